/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking up a sweep from its file. What is in the file is checked as any input is.
 */
#include <stdlib.h>

#include "report/json_sweep.h"
#include "results/result_file.h"
#include "util/text.h"

/* ---- reading ---- */

static const struct sgs_result_wish wish = {
	.what = "result of sgstream sweep",
	.remedy = "leave --resume out, or give another file",
	.code = "no_sweep",
};

static int no_sweep(const char *file, const char *why, struct sgs_error *err)
{
	return sgs_result_file_refuse(file, &wish, why, err);
}

static bool looks_like_one(const json_t *root)
{
	const json_t *sweep = json_object_get(root, "sweep");

	return sgs_field_is_text(root, "command", "sweep") &&
	       json_is_array(json_object_get(root, "runs")) &&
	       json_is_object(json_object_get(sweep, "axes")) &&
	       json_is_object(json_object_get(sweep, "each")) &&
	       json_is_array(json_object_get(sweep, "devices")) &&
	       json_is_array(json_object_get(sweep, "cells"));
}

static int load(const char *file, json_t **root, struct sgs_error *err)
{
	int status = sgs_result_file_load(file, &wish, root, err);

	if (status || looks_like_one(*root))
		return status;
	return no_sweep(file, "it is another object", err);
}

static int same_seed(const char *file, const json_t *seed, bool given, struct sgs_sweep *sweep,
	struct sgs_error *err)
{
	json_int_t old = json_integer_value(seed);

	if (!json_is_integer(seed) || old < 0)
		return no_sweep(file, "its seed is no number", err);
	if (given && (uint64_t)old != sweep->seed)
		return sgs_fail(err, SGS_CONTRADICT, "other_sweep",
			"%s holds another sweep: its --seed is %lld; leave --seed out", file,
			(long long)old);
	sgs_sweep_shuffle(sweep, (uint64_t)old);
	return 0;
}

/* ---- taking over ---- */

static bool same_place(json_t *place, const json_t *old)
{
	const char *key;
	json_t *value;

	json_object_foreach(place, key, value)
	{
		if (!json_is_null(value) && !json_equal(value, json_object_get(old, key)))
			return false;
	}
	return place != NULL;
}

static void take_figures(struct sgs_cell *cell, const json_t *run)
{
	const json_t *total = json_object_get(run, "total");
	double rate = sgs_field_number(total, "bytes_per_second");

	cell->threads = (unsigned)sgs_field_count(run, "threads");
	cell->queue_depth = (unsigned)sgs_field_count(run, "queue_depth");
	cell->bytes = sgs_field_count(total, "bytes");
	cell->elapsed_ns = sgs_field_count(total, "elapsed_ns");
	cell->bytes_per_second = rate < 0 ? 0 : rate;
	cell->cpu_seconds_per_gib =
		sgs_field_number(json_object_get(total, "cpu"), "seconds_per_gib");
	cell->p99_ns = sgs_field_count(json_object_get(total, "latency_ns"), "p99");
}

static void copy_text(char *to, size_t cap, const json_t *object, const char *key)
{
	sgs_copy_utf8(to, cap, sgs_field_text(object, key));
}

static void take_message(struct sgs_message *m, const json_t *old)
{
	m->level = sgs_field_is_text(old, "level", "error")	? SGS_ERROR
		   : sgs_field_is_text(old, "level", "warning") ? SGS_WARNING
								: SGS_INFO;
	copy_text(m->code, sizeof m->code, old, "code");
	copy_text(m->text, sizeof m->text, old, "text");
	copy_text(m->device, sizeof m->device, old, "device");
}

static void take_messages(struct sgs_cell *cell, const json_t *list)
{
	size_t n = json_array_size(list);

	cell->messages = n ? calloc(n, sizeof *cell->messages) : NULL;
	if (!cell->messages)
		return;
	cell->n_messages = n;
	for (size_t i = 0; i < n; i++)
		take_message(&cell->messages[i], json_array_get(list, i));
}

static void take_cell(struct sgs_sweep *sweep, struct sgs_sweep_record *record, size_t i,
	const json_t *old, json_t *run)
{
	struct sgs_cell *cell = &sweep->cells[i];

	take_figures(cell, run);
	take_messages(cell, json_object_get(old, "messages"));
	cell->state = SGS_CELL_MEASURED;
	cell->kept = true;
	record->runs[i] = json_incref(run);
	sweep->sum.run.total.bytes += cell->bytes;
	sweep->done++;
	sweep->kept++;
}

static int take_cells(struct sgs_sweep *sweep, struct sgs_sweep_record *record,
	const char *file, const json_t *root, struct sgs_error *err)
{
	const json_t *cells = json_object_get(json_object_get(root, "sweep"), "cells");

	if (json_array_size(cells) != sweep->n_cells)
		return no_sweep(file, "it has not one cell for each point of its axes", err);
	for (size_t i = 0; i < sweep->n_cells; i++) {
		const json_t *old = json_array_get(cells, i);
		json_t *place = sgs_json_cell_place(sweep, &sweep->cells[i]);
		json_t *run = sgs_result_cell_run(root, old);
		bool same = same_place(place, old);

		json_decref(place);
		if (!same)
			return no_sweep(file, "its cells are not those of its axes", err);
		if (run)
			take_cell(sweep, record, i, old, run);
	}
	return 0;
}

static bool has_open_cell(const json_t *root)
{
	const json_t *cells = json_object_get(json_object_get(root, "sweep"), "cells");

	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *cell = json_array_get(cells, i);

		if (json_is_null(json_object_get(cell, "run")) &&
			json_is_null(json_object_get(cell, "reason")))
			return true;
	}
	return false;
}

static int resume(struct sgs_sweep *sweep, struct sgs_sweep_record *record, const char *file,
	bool seed_given, const json_t *root, struct sgs_error *err)
{
	const json_t *seed = json_object_get(json_object_get(root, "sweep"), "seed");
	int status = sgs_sweep_is_same(file, root, sweep, err);

	if (!status)
		status = same_seed(file, seed, seed_given, sweep, err);
	return status ? status : take_cells(sweep, record, file, root, err);
}

int sgs_sweep_resume(struct sgs_sweep *sweep, struct sgs_sweep_record *record, const char *file,
	bool seed_given, bool only_open, bool *found, struct sgs_error *err)
{
	json_t *root;
	int status = load(file, &root, err);

	*found = !status && (!only_open || has_open_cell(root));
	if (*found)
		status = resume(sweep, record, file, seed_given, root, err);
	else if (only_open)
		status = 0;
	json_decref(root);
	return status;
}
