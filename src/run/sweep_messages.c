/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the cells of a sweep are called, and what they had to say, said once.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/sweep.h"
#include "util/units.h"

/* Of a message, so that its cells have room behind it. */
enum { ROOM_FOR_TEXT = sizeof(((struct sgs_message *)0)->text) - SGS_CELL_NAME - 80 };

/* ---- names ---- */

static const struct {
	enum sgs_axis_kind kind;
	const char *before, *behind;
} numbers[] = {
	{ SGS_AXIS_QD, "depth ", "" },
	{ SGS_AXIS_THREADS, "threads ", "" },
	{ SGS_AXIS_DEVICES, "devices ", "" },
	{ SGS_AXIS_READ_AHEAD, "read-ahead ", " KiB" },
	{ SGS_AXIS_OFFSET, "offset ", " %" },
};

__attribute__((format(printf, 2, 3))) static void append(
	char buf[SGS_CELL_NAME], const char *format, ...)
{
	size_t len = strlen(buf);
	va_list args;

	va_start(args, format);
	vsnprintf(buf + len, SGS_CELL_NAME - len, format, args);
	va_end(args);
}

char *sgs_cell_name(
	const struct sgs_sweep *sweep, const struct sgs_cell *cell, char buf[SGS_CELL_NAME])
{
	const struct sgs_axis *engine = &sweep->axes[SGS_AXIS_ENGINE];
	const struct sgs_axis *bs = &sweep->axes[SGS_AXIS_BS];
	const struct sgs_axis *scheduler = &sweep->axes[SGS_AXIS_SCHEDULER];
	char size[32];

	snprintf(buf, SGS_CELL_NAME, "%s, %s per command",
		engine->words[cell->at[SGS_AXIS_ENGINE]],
		sgs_format_size(size, sizeof size, bs->numbers[cell->at[SGS_AXIS_BS]]));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct sgs_axis *axis = &sweep->axes[numbers[i].kind];

		if (axis->given)
			append(buf, ", %s%" PRIu64 "%s", numbers[i].before,
				axis->numbers[cell->at[numbers[i].kind]], numbers[i].behind);
	}
	if (scheduler->given)
		append(buf, ", scheduler %s", scheduler->words[cell->at[SGS_AXIS_SCHEDULER]]);
	return buf;
}

/* ---- messages ---- */

static bool is_same(const struct sgs_message *a, const struct sgs_message *b)
{
	return a->level == b->level && !strcmp(a->code, b->code) &&
	       !strcmp(a->device, b->device);
}

static bool says(const struct sgs_cell *cell, const struct sgs_message *m)
{
	for (size_t i = 0; i < cell->n_messages; i++)
		if (is_same(&cell->messages[i], m))
			return true;
	return false;
}

/* How many of the first n cells say it. */
static size_t count(const struct sgs_sweep *sweep, size_t n, const struct sgs_message *m)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += says(&sweep->cells[i], m);
	return found;
}

static size_t count_runs(const struct sgs_sweep *sweep)
{
	size_t n = 0;

	for (size_t i = 0; i < sweep->n_cells; i++)
		n += sweep->cells[i].state == SGS_CELL_MEASURED ||
		     sweep->cells[i].state == SGS_CELL_FAILED;
	return n;
}

static void add_message(struct sgs_sweep *sweep, size_t cell, const struct sgs_message *m)
{
	const char *device = m->device[0] ? m->device : NULL;
	char name[SGS_CELL_NAME];

	if (count(sweep, cell, m))
		return;
	sgs_result_message(&sweep->sum, m->level, device, m->code,
		"%.*s (%zu of %zu cells; the first: %s)", ROOM_FOR_TEXT, m->text,
		count(sweep, sweep->n_cells, m), count_runs(sweep),
		sgs_cell_name(sweep, &sweep->cells[cell], name));
}

/* Of one run, such as that a setting is for the engines that it concerns: it stands in its
 * cell.
 */
static bool is_of_one(const struct sgs_message *m)
{
	return m->level == SGS_INFO || !strcmp(m->code, "setting_without_effect");
}

void sgs_sweep_gather(struct sgs_sweep *sweep)
{
	for (size_t i = 0; i < sweep->n_cells; i++) {
		const struct sgs_cell *cell = &sweep->cells[i];

		for (size_t j = 0; j < cell->n_messages; j++)
			if (!is_of_one(&cell->messages[j]))
				add_message(sweep, i, &cell->messages[j]);
		if (cell->state == SGS_CELL_FAILED && !sweep->sum.exit_status)
			sweep->sum.exit_status = cell->why ? cell->why->status : SGS_OTHER;
	}
}
