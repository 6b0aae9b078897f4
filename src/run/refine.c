/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/refine.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "run/run.h"
#include "run/stream.h"
#include "scsi/ready.h"
#include "sys/kernel.h"
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

static bool is_missing(int r)
{
	return r == -ENOENT || r == -ENODEV;
}

/* "running", or the device's folder is not there any more. */
static int scsi_has_left(const char *hctl)
{
	char state[32];
	int r = sgs_sysfs_text(state, sizeof state, "class/scsi_device/%s/device/state", hctl);

	if (r >= 0)
		return strcmp(state, "running") ? -ENXIO : 0;
	return is_missing(r) ? -ENODEV : 0;
}

/* As the SCSI engines have it */
int sgs_has_left(const struct sgs_device *d)
{
	int64_t sectors = 1;
	int r;

	if (d->hctl[0])
		return scsi_has_left(d->hctl);
	if (!d->disk_folder[0])
		return 0;
	r = sgs_sysfs_number(&sectors, "%s/size", d->disk_folder);
	return is_missing(r) || !sectors ? -ENODEV : 0;
}

static void look_for_device(const struct sgs_device *d, struct sgs_outcome *outcome)
{
	int left = sgs_has_left(d);

	if (!left)
		return;
	outcome->fault = SGS_FAULT_GONE;
	outcome->host_errno = -left;
}

static void look_for_end(const struct sgs_device *d, const struct sgs_extent *extent,
	struct sgs_outcome *outcome)
{
	struct stat st;

	if (sgs_sys_stat(d->block_path, &st) == 0 && S_ISREG(st.st_mode) &&
		(uint64_t)st.st_size < extent->lba + extent->blocks)
		sgs_outcome_from_shorter(outcome, sgs_device_bytes(d), (uint64_t)st.st_size);
}

void sgs_refine(struct sgs_reader *r, struct sgs_slot *slot)
{
	const struct sgs_device *d = r->config.device;
	struct sgs_outcome *outcome = &slot->outcome;

	if (d->node == SGS_NODE_FILE)
		look_for_end(d, &slot->extent, outcome);
	else if (outcome->fault == SGS_FAULT_NOT_READY)
		ask_ready(d, outcome);
	else if (outcome->host_errno == EIO || outcome->fault == SGS_FAULT_SHORT)
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
