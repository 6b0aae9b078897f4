/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "run/run.h"
#include "util/random.h"

/* ---- what the devices make of the axes ---- */

static int name_default_engine(struct sgs_axis *axis, const struct sgs_device *devices,
	size_t n, struct sgs_error *err)
{
	const struct sgs_engine *engine = sgs_engine_default(devices[0].node);

	if (axis->given)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (sgs_engine_default(devices[i].node) != engine)
			return sgs_fail(err, SGS_CONTRADICT, "mixed_nodes",
				"%s would be read with %s and %s with %s; name engines for "
				"both with --engines",
				devices[0].path, engine->name, devices[i].path,
				sgs_engine_default(devices[i].node)->name);
	strcpy(axis->words[0], engine->name);
	return 0;
}

static int count_devices(struct sgs_axis *axis, size_t n, struct sgs_error *err)
{
	if (!axis->given)
		axis->numbers[0] = n;
	for (size_t i = 0; i < axis->n; i++)
		if (axis->numbers[i] > n)
			return sgs_fail(err, SGS_USAGE, "too_few_devices",
				"--devices has %" PRIu64
				", and %zu are given; give more, or a smaller number",
				axis->numbers[i], n);
	return 0;
}

static int scale_blocks(struct sgs_axis *axis, const struct sgs_device *devices, size_t n,
	struct sgs_error *err)
{
	uint32_t block = devices[0].block_bytes;

	for (size_t i = 1; i < n; i++)
		if (devices[i].block_bytes != block)
			return sgs_fail(err, SGS_CONTRADICT, "mixed_blocks",
				"--bs is in blocks, which are %u bytes on %s and %u on %s; "
				"write bytes",
				block, devices[0].path, devices[i].block_bytes,
				devices[i].path);
	for (size_t i = 0; i < axis->n; i++)
		if (__builtin_mul_overflow(axis->numbers[i], block, &axis->numbers[i]))
			return sgs_fail(err, SGS_USAGE, "too_large", "--bs is too large");
	return 0;
}

/* The default is of powers of two; blocks of 520 bytes get as many of theirs. */
static void fit_default(struct sgs_axis *axis, uint32_t block)
{
	if (block < 512 || axis->numbers[0] % block == 0)
		return;
	for (size_t i = 0; i < axis->n; i++)
		axis->numbers[i] = axis->numbers[i] / 512 * block;
}

static int settle_axes(
	struct sgs_sweep *sweep, const struct sgs_sweep_wish *wish, struct sgs_error *err)
{
	const struct sgs_device *devices = sweep->devices;
	size_t n = sweep->n_devices;
	int status;

	if (!n)
		return sgs_fail(err, SGS_USAGE, "no_device",
			"no device is given; sgstream list shows them");
	status = name_default_engine(&sweep->axes[SGS_AXIS_ENGINE], devices, n, err);
	if (!status)
		status = count_devices(&sweep->axes[SGS_AXIS_DEVICES], n, err);
	if (!status && wish->bs_in_blocks)
		status = scale_blocks(&sweep->axes[SGS_AXIS_BS], devices, n, err);
	if (!wish->axes[SGS_AXIS_BS])
		fit_default(&sweep->axes[SGS_AXIS_BS], devices[0].block_bytes);
	return status;
}

/* ---- cells and their order ---- */

static int count_cells(struct sgs_sweep *sweep, struct sgs_error *err)
{
	size_t n = 1;

	for (unsigned i = 0; i < SGS_AXES; i++) {
		n *= sweep->axes[i].n; /* at most 64 times the most */
		if (n > SGS_SWEEP_MOST_CELLS)
			return sgs_fail(err, SGS_USAGE, "too_many_cells",
				"these axes make more than %d cells; give fewer values",
				SGS_SWEEP_MOST_CELLS);
	}
	sweep->n_cells = n;
	return 0;
}

static void place_cell(const struct sgs_sweep *sweep, size_t index)
{
	struct sgs_cell *cell = &sweep->cells[index];

	cell->cpu_seconds_per_gib = -1;
	for (unsigned i = SGS_AXES; i-- > 0;) {
		cell->at[i] = (unsigned)(index % sweep->axes[i].n);
		index /= sweep->axes[i].n;
	}
}

void sgs_sweep_shuffle(struct sgs_sweep *sweep, uint64_t seed)
{
	uint64_t state = seed;

	sweep->seed = seed;
	for (size_t i = 0; i < sweep->n_cells; i++)
		sweep->order[i] = i;
	for (size_t i = sweep->n_cells; i-- > 1;) {
		size_t j = (size_t)(sgs_random_next(&state) % (i + 1)), kept = sweep->order[i];

		sweep->order[i] = sweep->order[j];
		sweep->order[j] = kept;
	}
}

int sgs_sweep_make(struct sgs_sweep *sweep, const struct sgs_job *job,
	const struct sgs_sweep_wish *wish, const struct sgs_axis axes[SGS_AXES],
	const struct sgs_device *devices, size_t n, uint64_t seed, struct sgs_error *err)
{
	int status;

	*sweep = (struct sgs_sweep){ .job = *job, .devices = devices, .n_devices = n };
	memcpy(sweep->axes, axes, sizeof sweep->axes);
	status = settle_axes(sweep, wish, err);
	if (!status)
		status = count_cells(sweep, err);
	if (status)
		return status;
	sweep->cells = calloc(sweep->n_cells, sizeof *sweep->cells);
	sweep->order = calloc(sweep->n_cells, sizeof *sweep->order);
	if (!sweep->cells || !sweep->order)
		return sgs_fail(err, SGS_INTERNAL, "no_memory",
			"no memory for the cells; give fewer values");
	for (size_t i = 0; i < sweep->n_cells; i++)
		place_cell(sweep, i);
	sgs_sweep_shuffle(sweep, seed);
	return 0;
}

/* ---- what a cell does ---- */

static uint64_t number_at(
	const struct sgs_sweep *sweep, const struct sgs_cell *cell, enum sgs_axis_kind kind)
{
	return sweep->axes[kind].numbers[cell->at[kind]];
}

static const char *word_at(
	const struct sgs_sweep *sweep, const struct sgs_cell *cell, enum sgs_axis_kind kind)
{
	return sweep->axes[kind].words[cell->at[kind]];
}

static bool goes_through_the_cache(const char *name)
{
	const struct sgs_engine *engine = sgs_engine_find(name);

	return engine && engine->transfer == SGS_CACHED;
}

struct sgs_job sgs_sweep_job(const struct sgs_sweep *sweep, const struct sgs_cell *cell)
{
	struct sgs_job job = sweep->job;
	struct sgs_host_settings *settings = &job.settings;

	job.engine = word_at(sweep, cell, SGS_AXIS_ENGINE);
	job.bs = (struct sgs_size){ .value = number_at(sweep, cell, SGS_AXIS_BS) };
	job.threads = (unsigned)number_at(sweep, cell, SGS_AXIS_THREADS);
	job.queue_depth = (unsigned)number_at(sweep, cell, SGS_AXIS_QD);
	job.drop_caches = goes_through_the_cache(job.engine);
	if (sweep->axes[SGS_AXIS_READ_AHEAD].given)
		settings->read_ahead =
			(struct sgs_kib){ true, number_at(sweep, cell, SGS_AXIS_READ_AHEAD) };
	if (sweep->axes[SGS_AXIS_OFFSET].given)
		job.zone = (struct sgs_zone){ true,
			(unsigned)number_at(sweep, cell, SGS_AXIS_OFFSET) };
	if (sweep->axes[SGS_AXIS_SCHEDULER].given)
		settings->scheduler = word_at(sweep, cell, SGS_AXIS_SCHEDULER);
	return job;
}

size_t sgs_sweep_devices(const struct sgs_sweep *sweep, const struct sgs_cell *cell)
{
	return (size_t)number_at(sweep, cell, SGS_AXIS_DEVICES);
}

const struct sgs_cell *sgs_sweep_best(const struct sgs_sweep *sweep)
{
	const struct sgs_cell *best = NULL;

	for (size_t i = 0; i < sweep->n_cells; i++) {
		const struct sgs_cell *cell = &sweep->cells[i];

		if (cell->state == SGS_CELL_MEASURED && cell->bytes &&
			(!best || cell->bytes_per_second > best->bytes_per_second))
			best = cell;
	}
	return best;
}

void sgs_sweep_free(struct sgs_sweep *sweep)
{
	for (size_t i = 0; sweep->cells && i < sweep->n_cells; i++) {
		free(sweep->cells[i].messages);
		free(sweep->cells[i].why);
	}
	free(sweep->cells);
	free(sweep->order);
	sgs_result_free(&sweep->sum);
	memset(sweep, 0, sizeof *sweep);
}
