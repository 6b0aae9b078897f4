/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/refine.h"

#include <errno.h>
#include <string.h>

#include "run/run.h"
#include "run/stream.h"
#include "scsi/ready.h"
#include "sys/sysfs.h"

#define ASK_NS 100000000u /* how often a unit is asked whether it is ready */

static const char *scsi_node(const struct sgs_device *d)
{
	if (!d->is_scsi)
		return "";
	return d->sg_path[0] ? d->sg_path : d->block_path[0] ? d->block_path : d->bsg_path;
}

/* Sense of TEST UNIT READY in place of the READ's, when it says that the unit is coming. */
static void ask_ready(const struct sgs_device *d, struct sgs_outcome *outcome)
{
	struct sgs_outcome answer = { .transfer = outcome->transfer };

	if (scsi_node(d)[0] && !sgs_test_unit_ready(scsi_node(d), &answer) &&
		sgs_outcome_is_becoming_ready(&answer))
		*outcome = answer;
}

/* "running", or the device's folder is not there any more. */
static void look_for_device(const struct sgs_device *d, struct sgs_outcome *outcome)
{
	char state[32];
	int r;

	if (!d->hctl[0])
		return;
	r = sgs_sysfs_text(state, sizeof state, "class/scsi_device/%s/device/state", d->hctl);
	if (r >= 0 && !strcmp(state, "running"))
		return;
	if (r < 0 && r != -ENOENT && r != -ENODEV)
		return;
	outcome->fault = SGS_FAULT_GONE;
	outcome->host_errno = r < 0 ? ENODEV : ENXIO; /* as the SCSI engines have it */
}

void sgs_refine(struct sgs_reader *r, struct sgs_outcome *outcome)
{
	const struct sgs_device *d = r->config.device;

	if (outcome->fault == SGS_FAULT_NOT_READY)
		ask_ready(d, outcome);
	else if (outcome->host_errno == EIO)
		look_for_device(d, outcome);
	r->capacity_changed |= sgs_outcome_is_capacity_change(outcome);
}

static bool is_coming(const struct sgs_device *d, struct sgs_outcome *answer)
{
	*answer = (struct sgs_outcome){ .fault = SGS_FAULT_NONE };
	if (!scsi_node(d)[0] || sgs_test_unit_ready(scsi_node(d), answer))
		return false;
	/* The end of becoming ready may be told once. */
	return answer->fault == SGS_FAULT_UNIT_ATTENTION ||
	       sgs_outcome_is_becoming_ready(answer);
}

void sgs_await_ready(struct sgs_reader *r)
{
	const struct sgs_device *d = r->config.device;
	struct sgs_outcome answer;
	uint64_t waited = 0;
	char what[320];

	while (is_coming(d, &answer) && waited < r->rules.ready_ns && !sgs_run_stopped()) {
		r->errors.by_class[answer.fault]++;
		sgs_bump(&r->live.answers, 1);
		sgs_wait_ns(ASK_NS);
		waited += ASK_NS;
	}
	r->ready_waited_ns = waited;
	if (answer.fault == SGS_FAULT_NONE)
		return;
	sgs_fail(&r->problem, sgs_outcome_status(&answer), "not_ready",
		"%s: the device is not ready: %s", d->path,
		sgs_outcome_describe(&answer, what, sizeof what));
}
