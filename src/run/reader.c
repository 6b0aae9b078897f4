/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/reader.h"

#include <sys/resource.h>
#include <unistd.h>

#include "run/stream.h"

static void stream(struct sgs_reader *r)
{
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	if (r->engine->reap)
		sgs_stream_queued(r);
	else
		sgs_stream(r);
	getrusage(RUSAGE_THREAD, &after);
	r->minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	r->major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
}

void *sgs_reader_main(void *arg)
{
	struct sgs_reader *r = arg;
	uint64_t one = 1;

	r->engine->open(&r->config, &r->lane, &r->problem);
	/* The trial cleared it: the drive had something to say all the same. */
	if (r->lane && r->lane->trial_fault == SGS_FAULT_UNIT_ATTENTION)
		r->errors.by_class[SGS_FAULT_UNIT_ATTENTION]++;
	if (sgs_gate_wait(r->gate))
		stream(r);
	__atomic_store_n(&r->ended, true, __ATOMIC_RELEASE);
	while (write(r->done_fd, &one, sizeof one) < 0)
		;
	return NULL;
}
