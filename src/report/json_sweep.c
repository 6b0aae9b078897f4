/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the runs ---- */

struct sgs_sweep_record *sgs_sweep_record_new(const struct sgs_sweep *sweep)
{
	struct sgs_sweep_record *record = calloc(1, sizeof *record);

	if (!record)
		return NULL;
	record->n = sweep->n_cells;
	record->runs = calloc(sweep->n_cells, sizeof(json_t *));
	if (record->runs)
		return record;
	free(record);
	return NULL;
}

int sgs_sweep_record_add(
	struct sgs_sweep_record *record, size_t cell, const struct sgs_result *run)
{
	const struct sgs_json_pair pairs[] = {
		{ "status", sgs_json_text(sgs_result_status(run)) },
		{ "exit_status", json_integer(run->exit_status) },
		{ NULL, NULL },
	};
	json_t *array = sgs_json_runs(run, 1);
	json_t *object = sgs_json_extend(json_incref(json_array_get(array, 0)), pairs);

	json_decref(array);
	json_decref(record->runs[cell]);
	record->runs[cell] = object;
	return object ? 0 : -ENOMEM;
}

void sgs_sweep_record_free(struct sgs_sweep_record *record)
{
	if (!record)
		return;
	for (size_t i = 0; i < record->n; i++)
		json_decref(record->runs[i]);
	free(record->runs);
	free(record);
}

static json_t *runs(const struct sgs_sweep_record *record)
{
	json_t *array = json_array();

	for (size_t i = 0; i < record->n; i++)
		if (record->runs[i])
			array = sgs_json_append(array, json_incref(record->runs[i]));
	return array;
}

/* ---- what the sweep is ---- */

static const struct axis {
	enum sgs_axis_kind kind;
	const char *key;
	bool words;
	bool optional; /* left out, when the axis is not given; else null stands for 0 */
} keys[] = {
	{ SGS_AXIS_BS, "bs_bytes", false, false },
	{ SGS_AXIS_QD, "queue_depth", false, false },
	{ SGS_AXIS_THREADS, "threads", false, false },
	{ SGS_AXIS_ENGINE, "engine", true, false },
	{ SGS_AXIS_DEVICES, "devices", false, false },
	{ SGS_AXIS_READ_AHEAD, "read_ahead_kib", false, true },
	{ SGS_AXIS_OFFSET, "offset_percent", false, true },
	{ SGS_AXIS_SCHEDULER, "scheduler", true, true },
};

enum { KEYS = sizeof keys / sizeof *keys };

static json_t *value_at(const struct axis *key, const struct sgs_axis *axis, size_t i)
{
	if (key->words)
		return sgs_json_text(axis->words[i]);
	return key->optional ? sgs_json_count(axis->numbers[i])
			     : sgs_json_count_or_null(axis->numbers[i]);
}

static json_t *values_of(const struct axis *key, const struct sgs_axis *axis)
{
	json_t *array = json_array();

	for (size_t i = 0; i < axis->n; i++)
		array = sgs_json_append(array, value_at(key, axis, i));
	return array;
}

json_t *sgs_json_sweep_axes(const struct sgs_sweep *sweep)
{
	json_t *object = json_object();

	for (size_t i = 0; i < KEYS; i++) {
		const struct sgs_axis *axis = &sweep->axes[keys[i].kind];

		if (axis->given || !keys[i].optional)
			object = sgs_json_set(object, keys[i].key, values_of(&keys[i], axis));
	}
	return object;
}

json_t *sgs_json_cell_place(const struct sgs_sweep *sweep, const struct sgs_cell *cell)
{
	json_t *object = json_object();

	for (size_t i = 0; i < KEYS; i++) {
		const struct sgs_axis *axis = &sweep->axes[keys[i].kind];

		if (axis->given || !keys[i].optional)
			object = sgs_json_set(object, keys[i].key,
				value_at(&keys[i], axis, cell->at[keys[i].kind]));
	}
	return object;
}

static json_t *size_of(const struct sgs_sweep *sweep, const struct sgs_size *size)
{
	uint64_t unit = size->in_blocks ? sweep->devices[0].block_bytes : 1;

	return sgs_json_count(
		size->value > UINT64_MAX / unit ? UINT64_MAX : size->value * unit);
}

static json_t *kib_or_null(const struct sgs_kib *kib)
{
	return kib->given ? sgs_json_count(kib->kib) : json_null();
}

json_t *sgs_json_sweep_each(const struct sgs_sweep *sweep)
{
	const struct sgs_job *job = &sweep->job;
	const struct sgs_json_pair pairs[] = {
		{ "runtime_ns", sgs_json_count_or_null(job->runtime_ns) },
		{ "count", sgs_json_count_or_null(job->count) },
		{ "size_bytes", size_of(sweep, &job->size) },
		{ "offset_bytes", size_of(sweep, &job->offset) },
		{ "loop", json_boolean(job->loop) },
		{ "cdb", sgs_json_count_or_null((uint64_t)job->cdb) },
		{ "timeout_ns", sgs_json_count(job->timeout_ns) },
		{ "retries", sgs_json_count(job->retries) },
		{ "iovecs", sgs_json_count(job->iovecs) },
		{ "touch", json_boolean(job->touch) },
		{ "max_transfer_kib", kib_or_null(&job->settings.max_transfer) },
		{ "allow_dio", json_boolean(job->settings.allow_dio) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *device(const struct sgs_device *d)
{
	const struct sgs_json_pair pairs[] = {
		{ "block_bytes", sgs_json_count(d->block_bytes) },
		{ "blocks", sgs_json_count(d->blocks) },
		{ NULL, NULL },
	};
	json_t *object = sgs_json_set(json_object(), "path", sgs_json_text(d->path));

	return sgs_json_extend(sgs_json_add_identity(object, d), pairs);
}

json_t *sgs_json_sweep_devices(const struct sgs_sweep *sweep)
{
	json_t *array = json_array();

	for (size_t i = 0; i < sweep->n_devices; i++)
		array = sgs_json_append(array, device(&sweep->devices[i]));
	return array;
}

/* ---- the cells ---- */

static json_t *add_messages(json_t *object, const struct sgs_cell *cell)
{
	struct sgs_result said = { .messages = cell->messages, .n_messages = cell->n_messages };

	return sgs_json_set(object, "messages", sgs_json_messages(&said, 1));
}

/* As planned, where the axes leave it open. */
static json_t *add_plan(json_t *object, const struct sgs_cell *cell)
{
	if (cell->threads)
		object = sgs_json_set(object, "threads", sgs_json_count(cell->threads));
	if (cell->queue_depth)
		object = sgs_json_set(object, "queue_depth", sgs_json_count(cell->queue_depth));
	return object;
}

static json_t *cell_object(
	const struct sgs_sweep *sweep, const struct sgs_cell *cell, json_t *run)
{
	const struct sgs_json_pair pairs[] = {
		{ "run", run },
		{ "reason", sgs_json_text(cell->why ? cell->why->text : NULL) },
		{ "kept", json_boolean(cell->kept) },
		{ NULL, NULL },
	};
	json_t *object = add_plan(sgs_json_cell_place(sweep, cell), cell);

	return add_messages(sgs_json_extend(object, pairs), cell);
}

/* The number of its run, in the order of the cells. */
static json_t *cells(const struct sgs_sweep *sweep, const struct sgs_sweep_record *record)
{
	json_t *array = json_array();
	uint64_t run = 0;

	for (size_t i = 0; i < sweep->n_cells; i++)
		array = sgs_json_append(
			array, cell_object(sweep, &sweep->cells[i],
				       record->runs[i] ? sgs_json_count(run++) : json_null()));
	return array;
}

static json_t *sweep_object(
	const struct sgs_sweep *sweep, const struct sgs_sweep_record *record)
{
	const struct sgs_json_pair pairs[] = {
		{ "axes", sgs_json_sweep_axes(sweep) },
		{ "each", sgs_json_sweep_each(sweep) },
		{ "devices", sgs_json_sweep_devices(sweep) },
		{ "seed", sgs_json_count(sweep->seed) },
		{ "elapsed_ns", sgs_json_count_or_null(sweep->elapsed_ns) },
		{ "cells_done", sgs_json_count(sweep->done) },
		{ "cells_kept", sgs_json_count(sweep->kept) },
		{ "cells", cells(sweep, record) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

/* ---- the whole ---- */

int sgs_report_sweep_json(FILE *out, const struct sgs_call *call, const struct sgs_sweep *sweep,
	const struct sgs_sweep_record *record, bool under_way)
{
	const struct sgs_result *sum = &sweep->sum;
	const char *status = under_way ? "interrupted" : sgs_result_status(sum);
	int exit_status = under_way ? SGS_SIGNAL_BASE : sum->exit_status;
	json_t *root = sgs_json_head(call, status, exit_status, sum->clock);

	root = sgs_json_set(root, "runs", runs(record));
	root = sgs_json_set(root, "sweep", sweep_object(sweep, record));
	root = sgs_json_set(root, "messages", sgs_json_messages(sum, 1));
	return sgs_json_write(out, root);
}
