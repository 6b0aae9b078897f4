/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/engines.h"

#include "engine/engine.h"
#include "report/json_value.h"
#include "report/table.h"
#include "util/text.h"

static const struct sgs_column columns[] = { { "ENGINE", false }, { "RUNS", false },
	{ "WHAT IT DOES, OR WHY NOT", false } };

static void print_engine(
	struct sgs_table *t, const struct sgs_engine *engine, const struct sgs_device *device)
{
	struct sgs_error why = { 0 };
	int status = engine->probe(device, &why);
	const char *const cells[] = {
		engine->name,
		status	      ? "no"
		: why.text[0] ? "but"
			      : "yes",
		why.text[0] ? why.text : engine->summary,
	};

	sgs_table_row(t, cells);
}

static void print_device(FILE *out, const struct sgs_device_row *row)
{
	struct sgs_table *t = sgs_table_new(out, columns, sizeof columns / sizeof *columns);

	for (size_t i = 0; i < sgs_engine_count; i++)
		print_engine(t, sgs_engines[i], &row->device);
	sgs_table_print(t);
}

void sgs_report_engines_text(FILE *out, const struct sgs_device_row *rows, size_t n)
{
	if (!n)
		fputs("no sg devices\n", out);
	for (size_t i = 0; i < n; i++) {
		const struct sgs_device *d = &rows[i].device;
		char path[sizeof d->path], block[sizeof d->block_path];

		sgs_copy_utf8(path, sizeof path, d->path[0] ? d->path : d->sg_path);
		sgs_copy_utf8(block, sizeof block, d->block_path);
		fprintf(out, "%s%s", i ? "\n" : "", path);
		if (rows[i].problem.status) {
			fprintf(out, ": no engine: %s\n", rows[i].problem.text);
			continue;
		}
		fprintf(out, " (%s%s%s)\n", d->sg_path[0] ? d->sg_path : "no sg node",
			block[0] ? ", " : "", block);
		print_device(out, &rows[i]);
	}
}

static json_t *engine_object(const struct sgs_engine *engine, const struct sgs_device *device)
{
	struct sgs_error why = { 0 };
	bool runs = engine->probe(device, &why) == 0;
	const struct sgs_json_pair pairs[] = {
		{ "name", sgs_json_text(engine->name) },
		{ "summary", sgs_json_text(engine->summary) },
		{ "runs", json_boolean(runs) },
		{ "reason", sgs_json_text_or_null(why.text) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

json_t *sgs_json_engines(const struct sgs_device *device)
{
	json_t *array = json_array();

	for (size_t i = 0; i < sgs_engine_count; i++)
		array = sgs_json_append(array, engine_object(sgs_engines[i], device));
	return array;
}
