/* SPDX-License-Identifier: BSD-2-Clause */
#include "tune/tune.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { TRIES = 5 };

/* ---- the points ---- */

uint64_t sgs_tune_bs(const struct sgs_tune *tune, struct sgs_tune_point at)
{
	return tune->grid.axes[SGS_AXIS_BS].numbers[at.bs];
}

unsigned sgs_tune_qd(const struct sgs_tune *tune, struct sgs_tune_point at)
{
	return (unsigned)tune->grid.axes[SGS_AXIS_QD].numbers[at.qd];
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(struct sgs_axis *axis)
{
	qsort(axis->numbers, axis->n, sizeof *axis->numbers, ascending);
}

/* What is above the queue of every device waits in the kernel. */
static void cut_depths(struct sgs_axis *axis, const struct sgs_device *devices, size_t n)
{
	uint32_t most = 0;

	for (size_t i = 0; i < n; i++) {
		if (!devices[i].limits.queue_depth)
			return;
		if (devices[i].limits.queue_depth > most)
			most = devices[i].limits.queue_depth;
	}
	while (axis->n > 1 && axis->numbers[axis->n - 2] >= most)
		axis->n--;
}

static struct sgs_cell *cell_at(const struct sgs_tune *tune, struct sgs_tune_point at)
{
	const struct sgs_sweep *grid = &tune->grid;

	for (size_t i = 0; i < grid->n_cells; i++)
		if (grid->cells[i].at[SGS_AXIS_BS] == at.bs &&
			grid->cells[i].at[SGS_AXIS_QD] == at.qd)
			return &grid->cells[i];
	return NULL;
}

static int make_targets(struct sgs_tune *tune, size_t n, struct sgs_error *err)
{
	tune->n_targets = n > 1 ? n + 1 : 1;
	tune->targets = calloc(tune->n_targets, sizeof *tune->targets);
	if (!tune->targets)
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the search");
	for (size_t i = 0; i < n; i++)
		tune->targets[i] = (struct sgs_tune_target){ .first = i, .n = 1 };
	tune->targets[tune->n_targets - 1] = (struct sgs_tune_target){ .first = 0, .n = n };
	return 0;
}

int sgs_tune_make(struct sgs_tune *tune, const struct sgs_job *job,
	const struct sgs_sweep_wish *wish, const struct sgs_axis axes[SGS_AXES],
	const struct sgs_device *devices, size_t n, struct sgs_error *err)
{
	struct sgs_axis own[SGS_AXES];
	int status;

	memset(tune, 0, sizeof *tune);
	memcpy(own, axes, sizeof own);
	sort(&own[SGS_AXIS_BS]);
	sort(&own[SGS_AXIS_QD]);
	if (!own[SGS_AXIS_QD].given)
		cut_depths(&own[SGS_AXIS_QD], devices, n);
	status = sgs_sweep_make(&tune->grid, job, wish, own, devices, n, 1, err);
	return status ? status : make_targets(tune, n, err);
}

/* ---- a step ---- */

struct rig {
	struct sgs_tune *tune;
	struct sgs_tune_target *target;
	const struct sgs_tune_observer *observer; /* may be NULL */
	uint64_t at_block;			  /* where the next step begins */
};

static uint64_t smallest(const struct rig *rig)
{
	const struct sgs_device *devices = rig->tune->grid.devices + rig->target->first;
	uint64_t blocks = UINT64_MAX;

	for (size_t i = 0; i < rig->target->n; i++)
		if (devices[i].blocks < blocks)
			blocks = devices[i].blocks;
	return blocks;
}

/* From the start again, when the rest would not do for two steps like the last. */
static void go_on(struct rig *rig, const struct sgs_run_result *run)
{
	uint64_t most = 0, end = smallest(rig);

	for (size_t i = 0; i < run->n_devices; i++) {
		const struct sgs_device_result *d = &run->devices[i];
		uint64_t blocks = d->figures.bytes / d->device.block_bytes;

		if (blocks > most)
			most = blocks;
	}
	rig->at_block += most;
	if (rig->at_block >= end || end - rig->at_block < 2 * most)
		rig->at_block = 0;
}

static struct sgs_job job_of(const struct rig *rig, const struct sgs_cell *cell)
{
	struct sgs_job job = sgs_sweep_job(&rig->tune->grid, cell);

	job.loop = true;
	job.offset = (struct sgs_size){ .value = rig->at_block, .in_blocks = true };
	return job;
}

/* A point that a limit stands in the way of is no fault of the device. */
static double judge(struct rig *rig, struct sgs_cell *cell, struct sgs_result *result)
{
	struct sgs_result *sum = &rig->tune->grid.sum;

	if (!sum->clock)
		sum->clock = result->clock;
	if (result->signal)
		return -1;
	if (!result->run.started) {
		cell->state = SGS_CELL_REFUSED;
		if (!cell->why && (cell->why = calloc(1, sizeof *cell->why)))
			sgs_result_first_error(result, cell->why);
		return 0;
	}
	sum->run.total.bytes += result->run.total.bytes;
	cell->state = SGS_CELL_MEASURED;
	cell->threads = result->run.threads;
	for (size_t i = 0; i < result->n_messages; i++)
		if (result->messages[i].level == SGS_ERROR)
			sgs_result_message(sum, SGS_ERROR, result->messages[i].device,
				result->messages[i].code, "%s", result->messages[i].text);
	if (!sum->exit_status)
		sum->exit_status = result->exit_status;
	go_on(rig, &result->run);
	return result->exit_status ? -1 : result->run.total.bytes_per_second;
}

/* Whether a step was over before any reader had begun, as can happen to short ones. */
static bool was_too_short(const struct sgs_result *result)
{
	return result->run.started && !result->exit_status && !result->run.total.bytes;
}

static void run_step(struct rig *rig, const struct sgs_cell *cell, struct sgs_result *result)
{
	struct sgs_job job = job_of(rig, cell);
	const struct sgs_tune_target *target = rig->target;
	int tries = TRIES;

	do {
		sgs_result_free(result);
		sgs_run(&job, rig->tune->grid.devices + target->first, target->n, NULL, result);
	} while (was_too_short(result) && --tries);
}

static void show(const struct rig *rig, const struct sgs_cell *cell)
{
	const struct sgs_axis *axes = rig->tune->grid.axes;

	if (rig->observer && rig->observer->step)
		rig->observer->step(rig->tune, rig->target, cell,
			rig->target->tuned.n_steps + 1,
			sgs_tune_most_steps(axes[SGS_AXIS_BS].n, axes[SGS_AXIS_QD].n),
			rig->observer->arg);
}

static double measure(void *arg, struct sgs_tune_point at)
{
	struct rig *rig = arg;
	struct sgs_cell *cell = cell_at(rig->tune, at);
	struct sgs_result result = { 0 };
	double rate;

	if (sgs_run_stopped())
		return -1;
	if (cell->state == SGS_CELL_REFUSED)
		return 0;
	show(rig, cell);
	run_step(rig, cell, &result);
	rate = judge(rig, cell, &result);
	sgs_result_free(&result);
	return rate;
}

/* ---- the whole ---- */

static void forget_refusals(struct sgs_sweep *grid)
{
	for (size_t i = 0; i < grid->n_cells; i++) {
		grid->cells[i].state = SGS_CELL_OPEN;
		free(grid->cells[i].why);
		grid->cells[i].why = NULL;
	}
}

/* Nothing could run: the first reason stands for all. Some could not: that is told. */
static void explain(struct sgs_tune *tune, const struct sgs_tune_target *target)
{
	struct sgs_sweep *grid = &tune->grid;
	size_t refused = 0;
	const struct sgs_error *why = NULL;

	for (size_t i = 0; i < grid->n_cells; i++) {
		refused += grid->cells[i].why != NULL;
		if (!why)
			why = grid->cells[i].why;
	}
	if (!why)
		return;
	if (!target->tuned.found)
		sgs_result_error(&grid->sum, NULL, why);
	else
		sgs_result_message(&grid->sum, SGS_INFO, NULL, "points_refused",
			"%zu points could not be measured: %s", refused, why->text);
}

static int search(struct rig *rig)
{
	const struct sgs_sweep *grid = &rig->tune->grid;
	const struct sgs_tune_probe probe = { measure, rig };
	struct sgs_tune_target *target = rig->target;
	int r = sgs_tune_search(
		grid->axes[SGS_AXIS_BS].n, grid->axes[SGS_AXIS_QD].n, &probe, &target->tuned);

	if (r)
		return r;
	target->done = target->tuned.found;
	if (target->done)
		target->threads = cell_at(rig->tune, target->tuned.at)->threads;
	explain(rig->tune, target);
	return 0;
}

static void say_interrupted(struct sgs_tune *tune, int signum)
{
	struct sgs_result *sum = &tune->grid.sum;
	size_t steps = 0;

	for (size_t i = 0; i < tune->n_targets; i++)
		steps += tune->targets[i].tuned.n_steps;
	sum->signal = signum;
	sum->exit_status = SGS_SIGNAL_BASE + signum;
	sgs_result_message(sum, SGS_ERROR, NULL, "interrupted",
		"interrupted by SIG%s after %zu step%s", sigabbrev_np(signum), steps,
		steps == 1 ? "" : "s");
}

int sgs_tune(struct sgs_tune *tune, const struct sgs_tune_observer *observer)
{
	struct sgs_result *sum = &tune->grid.sum;
	uint64_t began = sgs_now_ns();
	struct sgs_error err;
	int r = 0;

	for (size_t i = 0; i < tune->n_targets && !r && !sum->exit_status; i++) {
		struct rig rig = { tune, &tune->targets[i], observer, 0 };

		forget_refusals(&tune->grid);
		r = search(&rig);
	}
	tune->elapsed_ns = sgs_now_ns() - began;
	if (r == -ENOMEM) {
		sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory for the search");
		sgs_result_error(sum, NULL, &err);
	}
	if (sgs_run_stopped())
		say_interrupted(tune, sgs_run_stopped());
	return sum->exit_status;
}

void sgs_tune_free(struct sgs_tune *tune)
{
	for (size_t i = 0; tune->targets && i < tune->n_targets; i++)
		sgs_tuned_free(&tune->targets[i].tuned);
	free(tune->targets);
	sgs_sweep_free(&tune->grid);
	memset(tune, 0, sizeof *tune);
}
