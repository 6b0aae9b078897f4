/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgs_run(): plan, start the readers, watch, collect.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/limits.h"
#include "run/pace.h"
#include "run/paths.h"
#include "run/run.h"
#include "run/settings.h"
#include "sys/descriptors.h"
#include "sys/output.h"
#include "sys/tsc.h"
#include "util/units.h"

enum { READER_STACK = 256 << 10 };

static int no_memory(struct sgs_result *result)
{
	struct sgs_error err;

	sgs_fail(&err, sgs_status_from_errno(ENOMEM), "no_memory",
		"no memory for the readers; use fewer devices");
	sgs_result_error(result, NULL, &err);
	return err.status;
}

static void describe(const struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_run_result *out = &result->run;

	strncpy(out->engine, run->plan.engine->name, sizeof out->engine - 1);
	out->threads = run->plan.threads;
	out->queue_depth = run->plan.queue_depth;
	out->pattern = run->plan.streams > run->n_devices ? sgs_pattern_name(SGS_SEGMENTS)
							  : sgs_pattern_name(run->job->pattern);
	out->seed = run->plan.seed;
	out->paths = sgs_paths_name(run->job->paths);
	out->skips = run->job->skip;
	out->bs_bytes = out->n_devices ? out->devices[0].bs_bytes : 0;
}

uint64_t sgs_run_goal(const struct sgs_run *run, size_t device)
{
	const struct sgs_device_plan *p = &run->device_plans[device];
	uint32_t block = run->devices[device].block_bytes;
	uint64_t bytes;

	if (p->whose)
		return 0;
	if (!run->plan.streams)
		return sgs_schedule_bytes(&p->schedule, block);
	bytes = sgs_schedule_bytes(&p->stream, block);
	if (bytes == UINT64_MAX ||
		__builtin_mul_overflow(
			bytes, sgs_pace_streams(&run->plan, device, run->n_devices), &bytes))
		return UINT64_MAX;
	return bytes;
}

/* What is asked for; sgs_pace_collect() adds what came of it. */
static int plan_playback(const struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_playback *p = calloc(1, sizeof *p);

	if (p)
		p->each = calloc(run->plan.streams, sizeof *p->each);
	result->run.playback = p;
	if (!p || !p->each)
		return no_memory(result);
	p->streams = run->plan.streams;
	p->rate = run->job->pace.rate;
	p->frame_bytes =
		(uint64_t)run->device_plans[0].frame_blocks * run->devices[0].block_bytes;
	p->period_ns = run->plan.period_ns;
	p->deadline_ns = run->plan.deadline_ns;
	return 0;
}

/* A path to a unit that is read over another takes its share of that. */
static int plan_paths(
	struct sgs_run *run, size_t i, struct sgs_device_result *d, struct sgs_error *err)
{
	size_t unit = sgs_unit_of(run->devices, i);

	if (unit == i)
		return 0;
	d->same_unit = d - (i - unit);
	if (run->job->paths != SGS_PATHS_MERGE)
		return 0;
	run->device_plans[i].whose = &run->device_plans[unit].schedule;
	d->goal_bytes = 0;
	return sgs_paths_check(run->job, &run->devices[unit], &run->devices[i], err);
}

static int plan_devices(struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_error err = { 0 };

	for (size_t i = 0; i < run->n_devices; i++) {
		struct sgs_device_result *d = &result->run.devices[i];
		struct sgs_device_plan *p = &run->device_plans[i];

		if (sgs_plan_device(run->job, &run->plan, &run->devices[i], p, &err)) {
			sgs_result_error(result, run->devices[i].path, &err);
			return err.status;
		}
		d->device = run->devices[i];
		d->bs_bytes = p->bs_bytes;
		d->offset_bytes = p->schedule.first_lba * d->device.block_bytes;
		d->goal_bytes = sgs_run_goal(run, i);
		if (plan_paths(run, i, d, &err)) {
			sgs_result_error(result, run->devices[i].path, &err);
			return err.status;
		}
	}
	return 0;
}

/* Buffers are filled before the clock runs: more than three quarters of the memory for them
 * would bring the host down before anything is read. */
static int check_memory(const struct sgs_run *run, struct sgs_result *result)
{
	uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t need = 0;
	char needs[32], has[32];
	struct sgs_error err;

	for (size_t i = 0; i < run->n_devices; i++)
		need += (uint64_t)run->device_plans[i].bs_bytes * run->plan.queue_depth;
	if (run->plan.engine->node == SGS_NODE_NONE || need <= host / 4 * 3)
		return 0;
	sgs_fail(&err, sgs_status_from_errno(ENOMEM), "no_memory",
		"%u commands in flight on each of %zu devices need %s of buffers, and this "
		"host has %s of memory; "
		"use a smaller --bs or --qd",
		run->plan.queue_depth, run->n_devices,
		sgs_format_size(needs, sizeof needs, need),
		sgs_format_size(has, sizeof has, host));
	sgs_result_error(result, NULL, &err);
	return err.status;
}

static int make_plan(struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_error err = { 0 };
	size_t plans = run->n_devices * sizeof *run->device_plans;
	int status = sgs_plan_engine(run->job, run->devices, run->n_devices, &run->plan, &err);

	if (status) {
		sgs_result_error(result, NULL, &err);
		return status;
	}
	run->device_plans = aligned_alloc(128, plans);
	result->run.devices = calloc(run->n_devices, sizeof *result->run.devices);
	if (!run->device_plans || !result->run.devices)
		return no_memory(result);
	memset(run->device_plans, 0, plans);
	result->run.n_devices = run->n_devices;
	status = plan_devices(run, result);
	if (status)
		return status;
	status = check_memory(run, result);
	if (status)
		return status;
	describe(run, result);
	if (run->plan.streams && plan_playback(run, result))
		return result->exit_status;
	status = sgs_way_plan(&run->way, run->job, run->devices, run->n_devices, result);
	if (status)
		return status;
	return sgs_settings_find(
		&run->job->settings, run->devices, run->n_devices, &run->guard, result);
}

/* The limits that the settings may have changed are read again. */
static int renew_devices(struct sgs_run *run, struct sgs_result *result)
{
	size_t bytes = run->n_devices * sizeof *run->own_devices;

	run->own_devices = malloc(bytes);
	if (!run->own_devices)
		return no_memory(result);
	memcpy(run->own_devices, run->devices, bytes);
	run->devices = run->own_devices;
	for (size_t i = 0; i < run->n_devices; i++) {
		sgs_limits_again(&run->own_devices[i]);
		result->run.devices[i].device = run->own_devices[i];
	}
	return 0;
}

static int make_settings(struct sgs_run *run, struct sgs_result *result)
{
	const struct sgs_engine *engine = run->plan.engine;
	int status;

	if (!result->run.n_settings)
		return 0;
	status = sgs_settings_make(&run->guard, result);
	if (status)
		return status;
	sgs_settings_note(&run->job->settings, engine->name, engine->transfer,
		engine->node == SGS_NODE_BLOCK, result);
	return renew_devices(run, result);
}

static unsigned timeout_ms(uint64_t ns)
{
	uint64_t ms = (ns - 1) / 1000000 + 1;

	return ms < UINT_MAX ? (unsigned)ms : UINT_MAX;
}

static void prepare_reader(struct sgs_run *run, size_t index, struct sgs_reader *r)
{
	size_t device = index / run->plan.threads;
	struct sgs_device_plan *p = &run->device_plans[device];

	memset(r, 0, sizeof *r);
	r->engine = run->plan.engine;
	r->schedule = sgs_device_plan_schedule(p, (unsigned)(index % run->plan.threads));
	r->gate = &run->gate;
	r->done_fd = run->event_fd;
	r->deadline = UINT64_MAX;
	r->rules = (struct sgs_rules){
		.retries = run->job->retries,
		.busy_ns = run->job->timeout_ns,
		.ready_ns = run->job->ready_timeout_ns,
		.skip = run->job->skip,
	};
	r->salvage = &run->salvages[device];
	r->digest = run->job->digest;
	r->touch = run->job->touch;
	r->output = run->job->output_fd >= 0 ? &run->output : NULL;
	r->consuming = r->digest || r->touch || r->output;
	r->device = device;
	r->cpus = sgs_way_cpus(&run->way, device);
	r->config = (struct sgs_lane_config){
		.device = &run->devices[device],
		.bs_bytes = p->bs_bytes,
		.cdb = run->job->cdb,
		.timeout_ms = timeout_ms(run->job->timeout_ns),
		.slots =
			run->plan.queue_depth / run->plan.threads +
			(index % run->plan.threads < run->plan.queue_depth % run->plan.threads),
		.iovecs = run->job->iovecs,
	};
	if (index % run->plan.threads == 0) /* one trial a device proves the limit for all */
		sgs_schedule_extent(r->schedule, 0, &r->config.trial);
	sgs_hist_init(&r->latency);
}

/* Each lane has its node; sg-async needs one more for every 16 commands, io_uring its ring. */
static int want_descriptors(const struct sgs_run *run, struct sgs_result *result)
{
	uint64_t readers = (uint64_t)run->n_devices * run->plan.threads;
	uint64_t need = 2 * readers + (uint64_t)run->n_devices * run->plan.queue_depth / 8;
	uint64_t most = sgs_sys_want_descriptors(need);
	struct sgs_error err;

	if (!most)
		return 0;
	sgs_fail(&err, sgs_status_from_errno(EMFILE), "no_descriptors",
		"%zu devices with %u readers each may need %" PRIu64
		" descriptors, and the hard limit is %" PRIu64
		"; use a smaller --qd or fewer devices, or raise it (ulimit -Hn)",
		run->n_devices, run->plan.threads, need, most);
	sgs_result_error(result, NULL, &err);
	return err.status;
}

static int make_readers(struct sgs_run *run, struct sgs_result *result)
{
	run->salvages = calloc(run->n_devices, sizeof *run->salvages);
	run->stalls = calloc(run->n_devices, sizeof *run->stalls);
	if (!run->salvages || !run->stalls)
		return no_memory(result);
	for (size_t i = 0; i < run->n_devices; i++)
		sgs_salvage_init(&run->salvages[i], run->plan.engine, &run->devices[i],
			run->plan.queue_depth, run->job->max_bad_blocks);
	run->n_readers = run->n_devices * run->plan.threads;
	run->readers = calloc(run->n_readers, sizeof(struct sgs_reader *));
	if (!run->readers)
		return no_memory(result);
	for (size_t i = 0; i < run->n_readers; i++) {
		run->readers[i] =
			aligned_alloc(_Alignof(struct sgs_reader), sizeof(struct sgs_reader));
		if (!run->readers[i])
			return no_memory(result);
		prepare_reader(run, i, run->readers[i]);
		if (sgs_pace_reader(run, i, run->readers[i]))
			return no_memory(result);
	}
	return 0;
}

/* Returns how many threads run; fewer than n_readers when the system gives no more. */
static size_t start_threads(struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_error err;
	pthread_attr_t attr;
	size_t started = 0;
	int r = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, READER_STACK);
	for (; started < run->n_readers && !r; started += !r)
		r = pthread_create(&run->readers[started]->thread, &attr, sgs_reader_main,
			run->readers[started]);
	pthread_attr_destroy(&attr);
	if (r) {
		sgs_fail(&err, sgs_status_from_errno(r), "no_threads",
			"the system gives no more than %zu reader threads (%s); use fewer "
			"devices, a smaller --qd, or raise ulimit -u",
			started, strerrordesc_np(r));
		sgs_result_error(result, NULL, &err);
	}
	return started;
}

static void note_problem(
	struct sgs_run *run, const struct sgs_reader *r, struct sgs_result *result)
{
	struct sgs_device_result *d = &result->run.devices[r->device];

	if (d->status) /* all readers of a device tend to have the same */
		return;
	d->status = r->problem.status;
	sgs_result_error(result, d->device.path, &r->problem);
	sgs_schedule_close(&run->device_plans[r->device].schedule);
	for (size_t i = 0; run->plan.streams && i < run->n_readers; i++)
		if (run->readers[i]->device == r->device)
			sgs_schedule_close(run->readers[i]->schedule);
}

static bool any_device_left(const struct sgs_result *result)
{
	for (size_t i = 0; i < result->run.n_devices; i++)
		if (!result->run.devices[i].status)
			return true;
	return false;
}

/* Whether the clock may run. A limit in the way of one device stops all, for the user has to
 * choose; a drive that hangs is left out. */
static bool lanes_are_open(struct sgs_run *run, size_t started, struct sgs_result *result)
{
	bool fine = started == run->n_readers;

	for (size_t i = 0; i < started; i++) {
		const struct sgs_reader *r = run->readers[i];

		if (r->problem.status)
			note_problem(run, r, result);
		fine &= r->lane != NULL;
	}
	return fine && any_device_left(result);
}

static void begin(struct sgs_run *run)
{
	double ns_per_tick, ticks;

	run->begin = sgs_clock_moment();
	ns_per_tick = sgs_clock_rate(run->begin);
	ticks = (double)run->job->runtime_ns / ns_per_tick;
	if (run->job->runtime_ns && ticks < (double)(UINT64_MAX / 2))
		for (size_t i = 0; i < run->n_readers; i++)
			run->readers[i]->deadline = run->begin.ticks + (uint64_t)ticks;
	sgs_pace_begin(run);
	sgs_cpu_mark(&run->cpu_begin);
}

static void join(struct sgs_run *run, size_t started)
{
	for (size_t i = 0; i < started; i++)
		if (run->abandoned &&
			!__atomic_load_n(&run->readers[i]->ended, __ATOMIC_ACQUIRE))
			pthread_detach(run->readers[i]->thread);
		else
			pthread_join(run->readers[i]->thread, NULL);
}

static void say_abandoned(const struct sgs_run *run, struct sgs_result *result)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_readers; i++)
		n += !__atomic_load_n(&run->readers[i]->ended, __ATOMIC_ACQUIRE);
	sgs_result_message(result, SGS_WARNING, NULL, "not_drained",
		"%zu commands did not come back in time and are left to the kernel", n);
}

/* A reader of a pipe may have seen enough; a full disk is another matter. */
static void report_output(const struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_error err;

	if (run->job->output_fd < 0)
		return;
	result->run.has_output = true;
	result->run.output_bytes = run->output.written;
	if (run->output.error == EPIPE) {
		sgs_result_message(result, SGS_WARNING, NULL, "output_closed",
			"the reader of the output closed it after %" PRIu64 " bytes",
			run->output.written);
	} else if (run->output.error) {
		sgs_fail(&err, sgs_status_from_errno(run->output.error), "output_failed",
			"the output could not be written: %s; %" PRIu64 " bytes are written",
			strerrordesc_np(run->output.error), run->output.written);
		sgs_result_error(result, NULL, &err);
	}
}

/* What the file held outlives a run that does not begin. */
static bool empty_output(const struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_error err;
	int r;

	if (run->job->output_fd < 0 || !run->job->output_replaces)
		return true;
	r = sgs_sys_empty_output(run->job->output_fd);
	if (!r)
		return true;
	sgs_fail(&err, sgs_status_from_errno(-r), "output_failed",
		"the output could not be emptied: %s; nothing is read", strerrordesc_np(-r));
	sgs_result_error(result, NULL, &err);
	return false;
}

static bool give_up_start(void *arg)
{
	sgs_run_watch_start(arg);
	return sgs_run_drained();
}

static void stream(struct sgs_run *run, struct sgs_result *result)
{
	size_t started;
	bool go;

	sgs_cached_open(&run->cached, run->job, &run->plan, run->device_plans, result);
	started = start_threads(run, result);
	run->abandoned = !sgs_gate_gather(&run->gate, (unsigned)started, give_up_start, run);
	go = !run->abandoned && lanes_are_open(run, started, result) && !sgs_run_stopped() &&
	     empty_output(run, result);
	if (go) {
		sgs_way_begin(&run->way, run->devices);
		sgs_cached_begin(&run->cached);
		begin(run);
	}
	sgs_gate_open(&run->gate, go);
	if (go) {
		sgs_run_watch(run, result);
		sgs_cpu_mark(&run->cpu_end);
		run->end = sgs_clock_moment();
		sgs_cached_end(&run->cached);
		sgs_way_end(&run->way, result);
	}
	join(run, started);
	if (!go)
		return;
	result->run.started = true;
	if (run->abandoned)
		say_abandoned(run, result);
	sgs_run_collect(run, result);
	sgs_pace_collect(run, result);
	sgs_cached_judge(&run->cached, &run->plan, result);
	report_output(run, result);
	sgs_way_judge(result);
	sgs_run_warn(run, result);
}

/* A reader that is left behind still uses its lane, its schedule and the gate. */
static void free_run(struct sgs_run *run)
{
	free(run->last_device_bytes);
	sgs_cached_close(&run->cached);
	sgs_guard_end(&run->guard);
	if (run->abandoned)
		return;
	for (size_t i = 0; run->readers && i < run->n_readers; i++) {
		if (run->readers[i]) {
			run->plan.engine->close(run->readers[i]->lane);
			free(run->readers[i]->pace);
		}
		free(run->readers[i]);
	}
	free(run->readers);
	sgs_way_free(&run->way);
	for (size_t i = 0; run->device_plans && i < run->n_devices; i++)
		sgs_device_plan_free(&run->device_plans[i]);
	for (size_t i = 0; run->salvages && i < run->n_devices; i++)
		sgs_salvage_destroy(&run->salvages[i]);
	free(run->salvages);
	free(run->stalls);
	free(run->device_plans);
	free(run->own_devices);
	sgs_output_destroy(&run->output);
	sgs_gate_destroy(&run->gate);
	free(run);
}

static int open_event(struct sgs_run *run, struct sgs_result *result)
{
	struct sgs_error err;

	run->event_fd = sgs_run_event_fd();
	if (run->event_fd >= 0)
		return 0;
	sgs_fail(&err, sgs_status_from_errno(-run->event_fd), "no_descriptors",
		"no descriptor for the run: %s; raise ulimit -n",
		strerrordesc_np(-run->event_fd));
	sgs_result_error(result, NULL, &err);
	return err.status;
}

static struct sgs_run *new_run(const struct sgs_job *job, const struct sgs_device *devices,
	size_t n, const struct sgs_observer *observer)
{
	struct sgs_run *run = calloc(1, sizeof *run);

	if (!run)
		return NULL;
	run->job = job;
	run->devices = devices;
	run->n_devices = n;
	run->observer = observer;
	run->event_fd = -1;
	run->guard.fd = -1;
	sgs_gate_init(&run->gate);
	sgs_output_init(&run->output, job->output_fd);
	return run;
}

static void finish(struct sgs_result *result, bool unanswered)
{
	result->signal = sgs_run_stopped();
	if (!result->signal)
		return;
	result->exit_status = SGS_SIGNAL_BASE + result->signal;
	if (!result->run.started)
		sgs_result_message(result, SGS_ERROR, NULL, "interrupted",
			"interrupted by SIG%s before anything was read%s",
			sigabbrev_np(result->signal),
			unanswered ? "; the drive has not answered its first command" : "");
}

int sgs_run(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	const struct sgs_observer *observer, struct sgs_result *result)
{
	struct sgs_run *run = new_run(job, devices, n, observer);
	bool unanswered;

	sgs_clock_init(sgs_tsc_trusted);
	result->clock = sgs_clock_name();
	if (!run)
		return no_memory(result);
	if (!make_plan(run, result) && !open_event(run, result) &&
		!want_descriptors(run, result) && !make_settings(run, result) &&
		!make_readers(run, result)) {
		stream(run, result);
	}
	sgs_settings_put_back(&run->guard, result);
	unanswered = run->abandoned;
	free_run(run);
	finish(result, unanswered);
	return result->exit_status;
}

int sgs_plan(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_result *result)
{
	struct sgs_run *run = new_run(job, devices, n, NULL);

	if (!run)
		return no_memory(result);
	make_plan(run, result);
	free_run(run);
	return result->exit_status;
}
