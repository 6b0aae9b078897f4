/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measuring the cells of a sweep.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/host.h"
#include "run/run.h"
#include "run/sweep.h"
#include "sys/kernel.h"
#include "util/units.h"

enum { MOST_SHARE = 4 }; /* of the host's memory: one in so many */

struct trip {
	struct sgs_sweep *sweep;
	const struct sgs_sweep_observer *observer; /* may be NULL */
	struct sgs_sweep_step step;
	uint64_t began_ns;
	size_t measured; /* cells that are done, without those taken over */
};

/* ---- watching ---- */

/* Of what is left, by the mean of the cells so far, with all that lies between them. */
static uint64_t time_left(const struct trip *trip)
{
	const struct sgs_sweep *sweep = trip->sweep;
	uint64_t spent = sgs_now_ns() - trip->began_ns;
	uint64_t left = sweep->n_cells - sweep->done;

	if (trip->measured)
		return spent / trip->measured * left;
	return sweep->job.runtime_ns && sweep->job.runtime_ns < UINT64_MAX / left
		       ? sweep->job.runtime_ns * left
		       : UINT64_MAX;
}

static void pass_on(const struct sgs_progress *now, void *arg)
{
	struct trip *trip = arg;
	uint64_t in_cell = now ? now->at_ns : 0;

	trip->step.left_ns = time_left(trip);
	if (trip->step.left_ns != UINT64_MAX)
		trip->step.left_ns -=
			in_cell < trip->step.left_ns ? in_cell : trip->step.left_ns;
	trip->observer->progress(&trip->step, now, trip->observer->arg);
}

static void show_begin(struct trip *trip, const struct sgs_cell *cell)
{
	trip->step = (struct sgs_sweep_step){
		.sweep = trip->sweep,
		.cell = cell,
		.number = trip->sweep->done + 1,
		.of = trip->sweep->n_cells,
	};
	if (trip->observer && trip->observer->progress)
		pass_on(NULL, trip);
}

/* ---- what came of a cell ---- */

static void take_figures(struct sgs_cell *cell, const struct sgs_run_result *run)
{
	cell->threads = run->threads;
	cell->queue_depth = run->queue_depth;
	cell->bytes = run->total.bytes;
	cell->elapsed_ns = run->total.elapsed_ns;
	cell->bytes_per_second = run->total.bytes_per_second;
	cell->cpu_seconds_per_gib = run->cpu.seconds_per_gib;
	cell->p99_ns = run->total.latency.p99;
}

/* Without the room that they had to grow. */
static void take_messages(struct sgs_cell *cell, struct sgs_result *result)
{
	size_t n = result->n_messages;
	struct sgs_message *fit =
		n ? reallocarray(result->messages, n, sizeof *cell->messages) : NULL;

	if (!fit)
		return;
	cell->messages = fit;
	cell->n_messages = n;
	result->messages = NULL;
	result->n_messages = 0;
}

/* A cell that did not start is planned all the same, if not its plan was what is wrong. */
static void settle(struct sgs_cell *cell, struct sgs_result *result)
{
	cell->state = !result->run.started  ? SGS_CELL_REFUSED
		      : result->exit_status ? SGS_CELL_FAILED
					    : SGS_CELL_MEASURED;
	take_figures(cell, &result->run);
	if (result->exit_status)
		cell->why = calloc(1, sizeof *cell->why);
	if (cell->why)
		sgs_result_first_error(result, cell->why);
	if (result->run.started)
		take_messages(cell, result);
}

static bool a_node_has_left(const struct sgs_sweep *sweep)
{
	struct stat st;

	for (size_t i = 0; i < sweep->n_devices; i++)
		if (sgs_sys_stat(sweep->devices[i].path, &st) == -ENOENT)
			return true;
	return false;
}

/* A device that has left or hangs makes every other cell wait for its timeouts. What it was
 * asked last can end with any error, so its node is looked for as well. */
static bool is_hopeless(const struct sgs_sweep *sweep, const struct sgs_result *result)
{
	const uint64_t *faults = result->run.total.errors.by_class;

	if (!result->exit_status)
		return false;
	return faults[SGS_FAULT_GONE] || faults[SGS_FAULT_TIMEOUT] ||
	       faults[SGS_FAULT_NOT_READY] || a_node_has_left(sweep);
}

static void give_up(struct sgs_sweep *sweep, const struct sgs_result *result)
{
	struct sgs_error why = { 0 };

	sgs_result_first_error(result, &why);
	sgs_result_error(&sweep->sum, NULL, &why);
}

static int tell_done(struct trip *trip, size_t index, const struct sgs_result *result)
{
	struct sgs_error err = { 0 };
	int status;

	if (!trip->observer || !trip->observer->done)
		return 0;
	status = trip->observer->done(trip->sweep, index, result->run.started ? result : NULL,
		trip->observer->arg, &err);
	if (status)
		sgs_result_error(&trip->sweep->sum, NULL, &err);
	return status;
}

/* ---- memory ---- */

/* A reader's buffers are filled before the clock runs, and a matrix has corners that nobody
 * would ask for by themselves. */
static bool takes_too_much(const struct sgs_sweep *sweep, const struct sgs_job *job,
	size_t devices, struct sgs_error *why)
{
	const struct sgs_engine *engine = sgs_engine_find(job->engine);
	uint64_t depth = job->queue_depth > job->threads ? job->queue_depth : job->threads;
	char need[32], has[32];
	uint64_t bytes;

	if (engine->transfer == SGS_NO_TRANSFER || !sweep->memory_bytes)
		return false;
	if (__builtin_mul_overflow((depth ? depth : 1) * devices, job->bs.value, &bytes))
		bytes = UINT64_MAX;
	if (bytes <= sweep->memory_bytes / MOST_SHARE)
		return false;
	sgs_fail(why, SGS_USAGE, "too_much_memory",
		"its commands need %s of memory, more than a quarter of this host's %s; use a "
		"smaller --bs or --qd",
		sgs_format_size(need, sizeof need, bytes),
		sgs_format_size(has, sizeof has, sweep->memory_bytes));
	return true;
}

static void measure(struct trip *trip, const struct sgs_cell *cell, struct sgs_result *result)
{
	const struct sgs_sweep *sweep = trip->sweep;
	const struct sgs_observer observer = { .progress = pass_on, .arg = trip };
	const struct sgs_job job = sgs_sweep_job(sweep, cell);
	size_t devices = sgs_sweep_devices(sweep, cell);
	bool is_watched = trip->observer && trip->observer->progress;
	struct sgs_error why;

	if (takes_too_much(sweep, &job, devices, &why))
		sgs_result_error(result, NULL, &why);
	else
		sgs_run(&job, sweep->devices, devices, is_watched ? &observer : NULL, result);
}

/* ---- the whole ---- */

/* True: the sweep goes on. */
static bool run_cell(struct trip *trip, size_t index)
{
	struct sgs_sweep *sweep = trip->sweep;
	struct sgs_cell *cell = &sweep->cells[index];
	struct sgs_result result = { 0 };
	bool goes_on = false;

	show_begin(trip, cell);
	measure(trip, cell, &result);
	if (!sweep->sum.clock)
		sweep->sum.clock = result.clock;
	if (!result.signal && is_hopeless(trip->sweep, &result)) {
		give_up(sweep, &result);
	} else if (!result.signal) {
		settle(cell, &result);
		sweep->sum.run.total.bytes += cell->bytes;
		sweep->done++;
		trip->measured++;
		goes_on = !tell_done(trip, index, &result);
	}
	sgs_result_free(&result);
	return goes_on;
}

static void run_cells(struct trip *trip)
{
	struct sgs_sweep *sweep = trip->sweep;

	for (size_t i = 0; i < sweep->n_cells && !sgs_run_stopped(); i++)
		if (sweep->cells[sweep->order[i]].state == SGS_CELL_OPEN &&
			!run_cell(trip, sweep->order[i]))
			return;
}

/* When none could run, why not is what the sweep has to say. */
static void judge(struct sgs_sweep *sweep)
{
	const struct sgs_cell *refused = NULL;

	for (size_t i = 0; i < sweep->n_cells; i++) {
		const struct sgs_cell *cell = &sweep->cells[i];

		if (cell->state == SGS_CELL_REFUSED && !refused)
			refused = cell;
		else if (cell->state != SGS_CELL_REFUSED)
			return;
	}
	if (refused && refused->why)
		sgs_result_error(&sweep->sum, NULL, refused->why);
}

int sgs_sweep(struct sgs_sweep *sweep, const struct sgs_sweep_observer *observer)
{
	struct trip trip = {
		.sweep = sweep,
		.observer = observer,
		.began_ns = sgs_now_ns(),
	};
	struct sgs_host host;

	sgs_host_look(&host);
	if (!sweep->memory_bytes)
		sweep->memory_bytes = host.memory_bytes;
	run_cells(&trip);
	sweep->elapsed_ns = sgs_now_ns() - trip.began_ns;
	sgs_sweep_gather(sweep);
	judge(sweep);
	sweep->sum.signal = sgs_run_stopped();
	if (sweep->sum.signal)
		sweep->sum.exit_status = SGS_SIGNAL_BASE + sweep->sum.signal;
	return sweep->sum.exit_status;
}
