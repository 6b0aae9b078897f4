/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "run/run.h"
#include "util/units.h"

enum {
	LEAST_PERIOD_NS = 1000,
	LEAD_NS = 20000000, /* so that no first frame waits for its reader to wake */
};

/* ---- the plan ---- */

/* A stream is one reader with one command in flight. */
static int check(const struct sgs_job *job, size_t n, struct sgs_error *err)
{
	const struct sgs_pace *pace = &job->pace;

	if (job->threads || job->queue_depth)
		return sgs_fail(err, SGS_CONTRADICT, "paced_depth",
			"--rate gives each stream one reader with one command in flight; leave "
			"--threads and --qd out, and give --streams");
	if (job->pattern != SGS_SEQ || job->paths == SGS_PATHS_MERGE)
		return sgs_fail(err, SGS_CONTRADICT, "paced_order",
			"--rate reads each stream in order over its own path; leave --pattern "
			"and "
			"--paths out");
	if (job->skip)
		return sgs_fail(err, SGS_CONTRADICT, "paced_skip",
			"--rate cannot stop to look for bad blocks; leave --on-error skip out");
	if (job->count)
		return sgs_fail(err, SGS_CONTRADICT, "paced_count",
			"--count is of commands, and --rate reads frames; give --size or "
			"--runtime instead");
	if (job->output_fd >= 0)
		return sgs_fail(err, SGS_CONTRADICT, "paced_output",
			"--rate has its own pace, and --output that of who takes the data; "
			"leave one "
			"of them out");
	if (pace->streams && pace->streams < n)
		return sgs_fail(err, SGS_CONTRADICT, "few_streams",
			"--streams %u is too few for %zu devices; give at least one for each",
			pace->streams, n);
	if (pace->streams > (size_t)SGS_MAX_DEPTH * n)
		return sgs_fail(err, SGS_USAGE, "too_many_streams",
			"--streams %u is above %d for each device; give fewer", pace->streams,
			SGS_MAX_DEPTH);
	return 0;
}

int sgs_pace_plan(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_plan *plan, struct sgs_error *err)
{
	const struct sgs_pace *pace = &job->pace;
	const struct sgs_size *frame = pace->frame.value ? &pace->frame : &job->bs;
	double bytes = (double)frame->value * (frame->in_blocks ? devices[0].block_bytes : 1);
	double period = bytes * 1e9 / (double)pace->rate;
	int status = check(job, n, err);

	if (status)
		return status;
	if (period < LEAST_PERIOD_NS || period > 1e18)
		return sgs_fail(err, SGS_USAGE, "bad_pace",
			"--rate %" PRIu64
			" with frames of %.0f bytes makes one every %.3g s; give "
			"another --rate or --frame",
			pace->rate, bytes, period / 1e9);
	plan->streams = pace->streams ? pace->streams : (unsigned)n;
	plan->threads = plan->queue_depth = (unsigned)((plan->streams + n - 1) / n);
	plan->slots = 1;
	plan->period_ns = (uint64_t)(period + 0.5);
	plan->deadline_ns = pace->deadline_ns ? pace->deadline_ns : plan->period_ns;
	return 0;
}

int sgs_pace_device(const struct sgs_job *job, const struct sgs_plan *plan,
	const struct sgs_device *device, uint64_t first, uint64_t blocks, uint64_t size,
	struct sgs_device_plan *out, struct sgs_error *err)
{
	uint64_t range = !job->loop && size ? size : blocks, share, limit;
	char has[32], frame[32];

	share = range / plan->threads / out->frame_blocks * out->frame_blocks;
	limit = job->loop ? size / plan->threads / out->frame_blocks * out->frame_blocks : 0;
	if (!share || (job->loop && size && !limit))
		return sgs_fail(err, SGS_USAGE, "no_room",
			"%s: %s shared out to %u streams has no room for frames of %s; use "
			"fewer "
			"--streams, a smaller --frame, or more of the device",
			device->path,
			sgs_format_size(
				has, sizeof has, (size ? size : range) * device->block_bytes),
			plan->threads,
			sgs_format_size(frame, sizeof frame,
				(uint64_t)out->frame_blocks * device->block_bytes));
	sgs_schedule_init(&out->stream, first, share, out->frame_blocks, job->loop, 0, limit);
	sgs_schedule_init(&out->schedule, first, share * plan->threads, out->bs_blocks,
		job->loop, 0, limit * plan->threads);
	return 0;
}

unsigned sgs_pace_streams(const struct sgs_plan *plan, size_t index, size_t n)
{
	return (unsigned)(plan->streams / n + (index < plan->streams % n));
}

/* ---- the readers ---- */

int sgs_pace_reader(const struct sgs_run *run, size_t index, struct sgs_reader *r)
{
	const struct sgs_plan *plan = &run->plan;
	const struct sgs_device_plan *device = &run->device_plans[r->device];
	unsigned number = (unsigned)(index % plan->threads);
	size_t size = (sizeof *r->pace + 127) / 128 * 128;

	if (!plan->streams)
		return 0;
	r->pace = aligned_alloc(128, size);
	if (!r->pace)
		return -ENOMEM;
	*r->pace = (struct sgs_pace_state){ .schedule = device->stream,
		.bs_blocks = device->bs_blocks,
		.period_ns = plan->period_ns,
		.deadline_ns = plan->deadline_ns };
	r->pace->schedule.first_lba += number * device->stream.range_blocks;
	if (number >= sgs_pace_streams(plan, r->device, run->n_devices))
		sgs_schedule_close(&r->pace->schedule);
	sgs_hist_init(&r->pace->time);
	r->schedule = &r->pace->schedule;
	if (r->config.trial.blocks > device->bs_blocks)
		r->config.trial.blocks = device->bs_blocks;
	return 0;
}

void sgs_pace_begin(const struct sgs_run *run)
{
	uint64_t runtime = run->job->runtime_ns;

	for (size_t i = 0; run->plan.streams && i < run->n_readers; i++) {
		struct sgs_pace_state *p = run->readers[i]->pace;

		p->begin_ns = run->begin.ns + LEAD_NS;
		p->end_ns = runtime && runtime < UINT64_MAX - p->begin_ns
				    ? p->begin_ns + runtime
				    : UINT64_MAX;
	}
}

/* ---- the result ---- */

static void add_stream(const struct sgs_run *run, const struct sgs_reader *r,
	struct sgs_playback *out, struct sgs_histogram *time)
{
	const struct sgs_pace_state *p = r->pace;

	out->each[out->streams++] = (struct sgs_stream_result){
		.device = (unsigned)r->device,
		.offset_bytes = p->schedule.first_lba * run->devices[r->device].block_bytes,
		.frames = p->frames,
		.late = p->late,
		.unread = p->unread,
		.worst_ns = p->time.max,
	};
	out->frames += p->frames;
	out->late += p->late;
	out->unread += p->unread;
	sgs_hist_merge(time, &p->time);
}

static void judge(const struct sgs_job *job, struct sgs_result *result)
{
	const struct sgs_playback *p = result->run.playback;
	char deadline[32];
	struct sgs_error err;

	if (!job->pace.deadline_ns || !(p->late || p->unread))
		return;
	sgs_fail(&err, SGS_EXPECTATION, "late_frames",
		"--deadline %s: %" PRIu64 " of %" PRIu64 " frames were late, and %" PRIu64
		" more were due and not read",
		sgs_format_time(deadline, sizeof deadline, p->deadline_ns), p->late, p->frames,
		p->unread);
	sgs_result_error(result, NULL, &err);
}

/* A reader that was left behind still writes: its frames are not known. */
void sgs_pace_collect(const struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_playback *out = result->run.playback;
	struct sgs_histogram *time = malloc(sizeof *time);

	if (!out || !time) {
		free(time);
		return;
	}
	sgs_hist_init(time);
	out->streams = 0;
	for (size_t i = 0; i < run->n_readers; i++) {
		const struct sgs_reader *r = run->readers[i];

		if (i % run->plan.threads <
				sgs_pace_streams(&run->plan, r->device, run->n_devices) &&
			__atomic_load_n(&r->ended, __ATOMIC_ACQUIRE))
			add_stream(run, r, out, time);
	}
	sgs_run_fill_latency(time, &out->time);
	free(time);
	judge(run->job, result);
}
