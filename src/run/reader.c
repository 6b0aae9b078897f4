/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/reader.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include "run/refine.h"
#include "run/pace.h"
#include "run/stream.h"
#include "sys/affinity.h"

static void stream(struct sgs_reader *r)
{
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	if (r->pace)
		sgs_stream_paced(r);
	else if (r->engine->reap)
		sgs_stream_queued(r);
	else
		sgs_stream(r);
	getrusage(RUSAGE_THREAD, &after);
	r->minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	r->major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
}

/* A drive that does not answer its first command is not waited for a second time. */
static void say_hung(struct sgs_reader *r)
{
	const struct sgs_slot *slot = r->lane->slots[0];
	char what[320];

	r->errors.by_class[SGS_FAULT_TIMEOUT]++;
	sgs_fail(&r->problem, SGS_TIMEOUT, "timeout",
		"%s: the first read, of %u blocks at LBA %" PRIu64 ", failed: %s",
		r->config.device->path, slot->extent.blocks, slot->extent.lba,
		sgs_outcome_describe(&slot->outcome, what, sizeof what));
}

void *sgs_reader_main(void *arg)
{
	struct sgs_reader *r = arg;
	uint64_t one = 1;

	/* First of all, so that its memory is near these CPUs as well. */
	if (r->cpus)
		r->astray = sgs_sys_run_on(r->cpus);
	sgs_reader_owes(r, 1);
	r->engine->open(&r->config, &r->lane, &r->problem);
	if (r->lane && r->lane->trial_fault == SGS_FAULT_TIMEOUT)
		say_hung(r);
	/* The trial cleared it: the drive had something to say all the same. */
	if (r->lane && r->lane->trial_fault == SGS_FAULT_UNIT_ATTENTION)
		r->errors.by_class[SGS_FAULT_UNIT_ATTENTION]++;
	if (r->lane && r->lane->trial_fault == SGS_FAULT_NOT_READY)
		sgs_await_ready(r);
	sgs_reader_owes(r, 0);
	if (sgs_gate_wait(r->gate))
		stream(r);
	__atomic_store_n(&r->ended, true, __ATOMIC_RELEASE);
	while (write(r->done_fd, &one, sizeof one) < 0)
		;
	return NULL;
}
