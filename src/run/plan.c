/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/pace.h"
#include "scsi/cdb.h"
#include "util/random.h"
#include "util/units.h"

enum { OUTPUT_DEPTH = 4 }; /* so that reading goes on while one transfer is written */

const char *sgs_pattern_name(enum sgs_pattern pattern)
{
	static const char *const names[] = {
		[SGS_SEQ] = "seq",
		[SGS_SEGMENTS] = "segments",
		[SGS_RANDOM] = "random",
	};

	return names[pattern];
}

const char *sgs_paths_name(enum sgs_paths paths)
{
	static const char *const names[] = {
		[SGS_PATHS_UNSAID] = NULL,
		[SGS_PATHS_MERGE] = "merge",
		[SGS_PATHS_EACH] = "each",
	};

	return names[paths];
}

void sgs_job_init(struct sgs_job *job)
{
	*job = (struct sgs_job){
		.bs = { .value = 64 << 10 },
		.timeout_ns = 60000000000u,
		.retries = 5,
		.ready_timeout_ns = 30000000000u,
		.max_bad_blocks = 65536,
		.output_fd = -1,
	};
}

static int unknown_engine(const char *name, struct sgs_error *err)
{
	char known[160] = "";
	size_t at = 0;

	for (size_t i = 0; i < sgs_engine_count && at < sizeof known; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
			sgs_engines[i]->name);
	return sgs_fail(err, SGS_USAGE, "unknown_engine",
		"there is no engine '%s'; there are %s", name, known);
}

static int pick_engine(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	const struct sgs_engine **engine, struct sgs_error *err)
{
	if (job->engine) {
		*engine = sgs_engine_find(job->engine);
		return *engine ? 0 : unknown_engine(job->engine, err);
	}
	*engine = sgs_engine_default(devices[0].node);
	for (size_t i = 1; i < n; i++)
		if (sgs_engine_default(devices[i].node) != *engine)
			return sgs_fail(err, SGS_CONTRADICT, "mixed_nodes",
				"%s would be read with %s and %s with %s; name one engine for "
				"both with -e",
				devices[0].path, (*engine)->name, devices[i].path,
				sgs_engine_default(devices[i].node)->name);
	return 0;
}

/* An engine that waits in submit() has as many commands in flight as it has readers. */
static int share_depth(const struct sgs_job *job, struct sgs_plan *plan, struct sgs_error *err)
{
	bool one_each = plan->engine->max_slots == 1;

	plan->queue_depth = job->queue_depth	  ? job->queue_depth
			    : job->threads	  ? job->threads
			    : job->output_fd >= 0 ? OUTPUT_DEPTH
						  : 1;
	plan->threads = job->threads ? job->threads : one_each ? plan->queue_depth : 1;
	if (plan->queue_depth > SGS_MAX_DEPTH || plan->threads > SGS_MAX_DEPTH)
		return sgs_fail(err, SGS_USAGE, "too_deep",
			"%u commands in flight per device are more than the %d that are "
			"possible; use a smaller --qd or --threads",
			plan->queue_depth > plan->threads ? plan->queue_depth : plan->threads,
			SGS_MAX_DEPTH);
	if (plan->queue_depth < plan->threads)
		return sgs_fail(err, SGS_CONTRADICT, "depth_below_threads",
			"--qd %u is too small for --threads %u: every reader has a command in "
			"flight; leave one of them out",
			plan->queue_depth, plan->threads);
	plan->slots = (plan->queue_depth + plan->threads - 1) / plan->threads;
	if (plan->slots > plan->engine->max_slots)
		return sgs_fail(err, SGS_CONTRADICT, "depth_above_threads",
			"%s gives --qd %u only with as many readers, and --threads says %u; "
			"leave --threads out",
			plan->engine->name, plan->queue_depth, plan->threads);
	return 0;
}

static int check_options(const struct sgs_job *job, size_t n, const struct sgs_engine *engine,
	struct sgs_error *err)
{
	if (job->iovecs && !engine->vectored)
		return sgs_fail(err, SGS_CONTRADICT, "no_iovecs",
			"%s does not read into several vectors; leave --iovecs out, or use -e "
			"direct or -e buffered",
			engine->name);
	if (job->iovecs > 1024)
		return sgs_fail(err, SGS_USAGE, "too_many_iovecs",
			"--iovecs %u is above 1024, the most for one read", job->iovecs);
	if (job->output_fd >= 0 && n > 1)
		return sgs_fail(err, SGS_CONTRADICT, "several_devices",
			"--output takes the data of one device, and %zu are given", n);
	if (job->output_fd >= 0 && job->pattern != SGS_SEQ)
		return sgs_fail(err, SGS_CONTRADICT, "no_order",
			"--output writes the data in device order, and --pattern %s reads it "
			"in "
			"another; leave one of them out",
			sgs_pattern_name(job->pattern));
	if (job->output_fd >= 0 && engine->transfer == SGS_NO_TRANSFER)
		return sgs_fail(err, SGS_CONTRADICT, "no_data",
			"%s moves no data; leave --output out", engine->name);
	return 0;
}

int sgs_plan_engine(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_plan *plan, struct sgs_error *err)
{
	int status;

	if (!n)
		return sgs_fail(err, SGS_USAGE, "no_device",
			"no device is given; sgstream list shows them");
	if (job->loop && !job->count && !job->size.value && !job->runtime_ns)
		return sgs_fail(err, SGS_CONTRADICT, "endless",
			"--loop alone never ends; give --runtime, --size or --count with it");
	if (!job->pace.rate &&
		(job->pace.frame.value || job->pace.streams || job->pace.deadline_ns))
		return sgs_fail(err, SGS_CONTRADICT, "no_rate",
			"--frame, --streams and --deadline are of reading at a pace; give "
			"--rate, "
			"too, or leave them out");
	status = pick_engine(job, devices, n, &plan->engine, err);
	if (!status)
		status = check_options(job, n, plan->engine, err);
	if (!status && job->pace.rate)
		return sgs_pace_plan(job, devices, n, plan, err);
	if (job->pattern == SGS_RANDOM)
		plan->seed = job->seed ? job->seed : sgs_random_seed();
	return status ? status : share_depth(job, plan, err);
}

/* A size in this device's blocks. */
static int to_blocks(const struct sgs_size *size, const char *option,
	const struct sgs_device *d, uint64_t *blocks, struct sgs_error *err)
{
	uint64_t rest = size->in_blocks ? 0 : size->value % d->block_bytes;
	uint64_t below = size->value - rest;

	*blocks = size->in_blocks ? size->value : size->value / d->block_bytes;
	if (size->in_blocks && size->value > UINT64_MAX / d->block_bytes)
		return sgs_fail(err, SGS_USAGE, "too_large",
			"%s: %s %" PRIu64 "blk is too large", d->path, option, size->value);
	if (!rest)
		return 0;
	if (!below)
		return sgs_fail(err, SGS_USAGE, "not_aligned",
			"%s: %s %" PRIu64 " is below its block length of %u bytes; use that",
			d->path, option, size->value, d->block_bytes);
	return sgs_fail(err, SGS_USAGE, "not_aligned",
		"%s: %s %" PRIu64 " is no multiple of its block length of %u bytes; %" PRIu64
		" or %" PRIu64 " would be",
		d->path, option, size->value, d->block_bytes, below, below + d->block_bytes);
}

static int plan_bs(const struct sgs_job *job, const struct sgs_device *d,
	struct sgs_device_plan *out, struct sgs_error *err)
{
	uint64_t blocks;
	int status = to_blocks(&job->bs, "--bs", d, &blocks, err);

	if (status)
		return status;
	if (!blocks)
		return sgs_fail(err, SGS_USAGE, "bad_size", "--bs must be at least one block");
	if (blocks > (1u << 30) / d->block_bytes)
		return sgs_fail(err, SGS_USAGE, "too_large",
			"%s: --bs of %" PRIu64
			" bytes is above 1 GiB, the most for one command; use a smaller one",
			d->path, blocks * d->block_bytes);
	out->bs_blocks = (uint32_t)blocks;
	out->bs_bytes = out->bs_blocks * d->block_bytes;
	return 0;
}

static int past_end(const struct sgs_device *d, const char *what, struct sgs_error *err)
{
	char size[32];

	if (d->block_bytes == 1)
		return sgs_fail(err, SGS_USAGE, "past_the_end",
			"%.200s: %s is past its end: it has %" PRIu64 " bytes", d->path, what,
			d->blocks);
	return sgs_fail(err, SGS_USAGE, "past_the_end",
		"%.200s: %s is past its end: it has %" PRIu64 " blocks of %u bytes (%s)",
		d->path, what, d->blocks, d->block_bytes,
		sgs_format_size(size, sizeof size, sgs_device_bytes(d)));
}

/* The blocks of a zone, whole commands but for what the capacity has no room for. */
static uint64_t zone_blocks(const struct sgs_job *job, const struct sgs_device *d,
	uint64_t size, uint32_t bs_blocks)
{
	uint64_t blocks = size ? size : d->blocks / 100;

	if (!size && job->count && __builtin_mul_overflow(job->count, bs_blocks, &blocks))
		blocks = d->blocks;
	blocks = (blocks + bs_blocks - 1) / bs_blocks * bs_blocks;
	if (!blocks)
		blocks = bs_blocks;
	return blocks < d->blocks ? blocks : d->blocks;
}

/* Begins on a multiple of the command size, so that every engine can read it. The last zone
 * ends at the capacity, whatever that is a multiple of. */
static void plan_zone(const struct sgs_job *job, const struct sgs_device *d,
	struct sgs_device_plan *out, uint64_t size)
{
	uint64_t length = zone_blocks(job, d, size, out->bs_blocks), last = d->blocks - length;
	uint64_t first =
		d->blocks / 100 * job->zone.percent + d->blocks % 100 * job->zone.percent / 100;

	if (first >= last)
		length = d->blocks - last / out->bs_blocks * out->bs_blocks;
	first = (first < last ? first : last) / out->bs_blocks * out->bs_blocks;
	sgs_schedule_init(&out->schedule, first, length, out->bs_blocks, job->loop,
		job->loop ? job->count : 0, job->loop ? size : 0);
}

/* A frame that is smaller than a command is one. */
static int plan_frames(const struct sgs_job *job, const struct sgs_device *d, uint64_t first,
	uint64_t size, const struct sgs_plan *plan, struct sgs_device_plan *out,
	struct sgs_error *err)
{
	const struct sgs_size *frame = job->pace.frame.value ? &job->pace.frame : &job->bs;
	uint64_t blocks;
	int status = to_blocks(frame, "--frame", d, &blocks, err);

	if (status)
		return status;
	if (blocks > UINT32_MAX)
		return sgs_fail(
			err, SGS_USAGE, "too_large", "%s: --frame is too large", d->path);
	out->frame_blocks = (uint32_t)blocks;
	if (out->bs_blocks > out->frame_blocks)
		out->bs_blocks = out->frame_blocks;
	out->bs_bytes = out->bs_blocks * d->block_bytes;
	return sgs_pace_device(job, plan, d, first, d->blocks - first, size, out, err);
}

static int plan_range(const struct sgs_job *job, const struct sgs_device *d,
	const struct sgs_plan *plan, struct sgs_device_plan *out, struct sgs_error *err)
{
	uint64_t first, size, range;
	const char *unit = d->block_bytes == 1 ? "byte" : "block";
	char what[96];
	int status = to_blocks(&job->offset, "--offset", d, &first, err);

	if (!status)
		status = to_blocks(&job->size, "--size", d, &size, err);
	if (status)
		return status;
	if (job->zone.given && size <= d->blocks) {
		plan_zone(job, d, out, size);
		return 0;
	}
	if (first >= d->blocks) {
		snprintf(what, sizeof what, "--offset at %s %" PRIu64, unit, first);
		return past_end(d, what, err);
	}
	range = d->blocks - first;
	if (job->pace.rate && (job->loop || size <= range))
		return plan_frames(job, d, first, size, plan, out, err);
	if (!job->loop && size > range) {
		snprintf(what, sizeof what, "--size of %" PRIu64 " blocks from block %" PRIu64,
			size, first);
		return past_end(d, what, err);
	}
	if (!job->loop && job->count && job->count - 1 > (range - 1) / out->bs_blocks) {
		snprintf(what, sizeof what, "--count %" PRIu64 " from block %" PRIu64,
			job->count, first);
		return past_end(d, what, err);
	}
	sgs_schedule_init(
		&out->schedule, first, range, out->bs_blocks, job->loop, job->count, size);
	return 0;
}

/* Does the asked CDB reach every transfer? The largest LBA and the largest count decide. */
static int check_cdb(const struct sgs_job *job, const struct sgs_device *d,
	const struct sgs_device_plan *plan, struct sgs_error *err)
{
	const struct sgs_schedule *s = &plan->schedule;
	uint64_t in_pass = sgs_schedule_blocks(s);
	uint64_t last;
	uint32_t most;

	if (in_pass > s->range_blocks)
		in_pass = s->range_blocks;
	last = s->first_lba + in_pass - 1;
	most = in_pass < plan->bs_blocks ? (uint32_t)in_pass : plan->bs_blocks;
	if (sgs_read_cdb_length(job->cdb, last, 1) &&
		sgs_read_cdb_length(job->cdb, s->first_lba, most))
		return 0;
	return sgs_fail(err, SGS_USAGE, "cdb_too_short",
		"%s: READ(%d) cannot reach block %" PRIu64
		" or %u blocks at once; leave --cdb out, or use --cdb 16",
		d->path, job->cdb, last, plan->bs_blocks);
}

static int cut(struct sgs_device_plan *plan, const struct sgs_device *d, unsigned threads,
	struct sgs_error *err)
{
	uint64_t covers = sgs_schedule_covers(&plan->schedule);
	struct sgs_schedule *segments;

	if (covers < threads)
		return sgs_fail(err, SGS_CONTRADICT, "too_few_segments",
			"%s: --pattern segments gives each of %u readers its share, and there "
			"are %" PRIu64 " commands to share out; use fewer --threads",
			d->path, threads, covers);
	segments = aligned_alloc(_Alignof(struct sgs_schedule), threads * sizeof *segments);
	if (!segments)
		return sgs_fail(
			err, SGS_INTERNAL, "no_memory", "no memory for %u segments", threads);
	sgs_schedule_cut(&plan->schedule, segments, threads);
	return 0;
}

static int plan_pattern(const struct sgs_job *job, const struct sgs_plan *plan,
	const struct sgs_device *d, struct sgs_device_plan *out, struct sgs_error *err)
{
	if (job->pattern == SGS_RANDOM)
		sgs_schedule_shuffle(&out->schedule, plan->seed);
	return job->pattern == SGS_SEGMENTS ? cut(out, d, plan->threads, err) : 0;
}

void sgs_device_plan_free(struct sgs_device_plan *plan)
{
	free(plan->schedule.segments);
	plan->schedule.segments = NULL;
	plan->schedule.n_segments = 0;
}

struct sgs_schedule *sgs_device_plan_schedule(struct sgs_device_plan *plan, unsigned i)
{
	if (plan->whose)
		return plan->whose;
	return plan->schedule.segments ? &plan->schedule.segments[i] : &plan->schedule;
}

int sgs_plan_device(const struct sgs_job *job, const struct sgs_plan *plan,
	const struct sgs_device *device, struct sgs_device_plan *out, struct sgs_error *err)
{
	int status = plan->engine->probe(device, err);

	if (!status)
		status = plan_bs(job, device, out, err);
	if (!status)
		status = plan_range(job, device, plan, out, err);
	if (!status && plan->engine->node == SGS_NODE_SG)
		status = check_cdb(job, device, out, err);
	return status ? status : plan_pattern(job, plan, device, out, err);
}
