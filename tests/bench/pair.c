/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pair MODE ENGINE DEVICE BS COUNT ROUNDS SECONDS: the bare loop of loop.h against an engine of
 * sgstream, in one process and batches of a few milliseconds: loop, engine, loop. Each engine
 * batch is a whole sgs_run() with reader, gate, schedule and histogram, timed by its own
 * elapsed_ns. What disturbs the machine hits both sides alike, so the median over many rounds
 * resolves what runs of separate processes cannot; loop against loop says how well. No batch
 * reads what the one before has left in the processor's caches. A line per round: three times
 * ns. Ends after so many rounds or seconds, whichever comes first.
 */
#include <inttypes.h>

#include <sgstream/device.h>
#include <sgstream/job.h>

#include "loop.h"

struct pair {
	const char *mode, *path, *engine;
	uint64_t bs, count;
	uint64_t batches; /* that fit in the device */
	uint64_t batch;	  /* next */
	struct sgs_device device;
};

/* The node that the loop reads, of the drive that both read. */
static const char *loop_path(const struct pair *p)
{
	const struct loop_mode *mode = loop_find(p->mode);

	if (!mode)
		bench_die(p->mode, "no such mode");
	return mode->node == LOOP_SG	? p->device.sg_path
	       : mode->node == LOOP_BSG ? p->device.bsg_path
					: p->device.block_path;
}

/* First command of the next batch. */
static uint64_t next_batch(struct pair *p)
{
	return p->batch++ % p->batches * p->count;
}

/* The loop too gets a fresh descriptor and fresh memory for each batch. */
static uint64_t time_loop(struct pair *p)
{
	struct loop l;
	uint64_t ns;

	loop_open(&l, p->mode, loop_path(p), p->bs, next_batch(p));
	ns = loop_time(&l, p->count);
	loop_close(&l);
	return ns;
}

static uint64_t time_engine(struct pair *p)
{
	struct sgs_result result = { 0 };
	struct sgs_job job;
	uint64_t ns;

	sgs_job_init(&job);
	job.engine = p->engine;
	job.bs.value = p->bs;
	job.offset.value = next_batch(p) * p->bs;
	job.count = p->count;
	job.queue_depth = loop_find(p->mode)->depth;
	if (sgs_run(&job, &p->device, 1, NULL, &result))
		bench_die(p->engine, result.n_messages ? result.messages[0].text : "failed");
	if (result.run.total.bytes != p->count * p->bs || result.run.total.commands != p->count)
		bench_die(p->engine, "did not read what it was asked to");
	ns = result.run.total.elapsed_ns;
	sgs_result_free(&result);
	return ns;
}

int main(int argc, char **argv)
{
	struct sgs_error err = { 0 };
	struct pair p = { 0 };
	uint64_t rounds, deadline;

	if (argc != 8) {
		fputs("Usage: pair MODE ENGINE DEVICE BS COUNT ROUNDS SECONDS (MODE: see "
		      "loop.h)\n",
			stderr);
		return 2;
	}
	p.mode = argv[1];
	p.engine = argv[2];
	p.path = argv[3];
	p.bs = bench_number(argv[4]);
	p.count = bench_number(argv[5]);
	rounds = bench_number(argv[6]);
	deadline = bench_now_ns() + bench_number(argv[7]) * 1000000000u;
	if (sgs_device_open(p.path, &p.device, &err))
		bench_die(p.path, err.text);
	p.batches = sgs_device_bytes(&p.device) / (p.bs * p.count);
	if (!p.batches)
		bench_die("COUNT", "more than the device holds");
	while (rounds-- && bench_now_ns() < deadline) {
		uint64_t before = time_loop(&p), engine = time_engine(&p),
			 after = time_loop(&p);

		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", before, engine, after);
	}
	return 0;
}
