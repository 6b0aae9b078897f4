/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any other sweep: a table over the first two axes that vary, with the best cell marked, for
 * each combination of the rest; and a plot of the one that has the best cell.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"
#include "util/units.h"

enum form { BYTES, KIB, NUMBER, WORD };

static const struct axis {
	const char *key, *name;
	enum form form;
} axes[] = {
	{ "bs_bytes", "per command", BYTES },
	{ "queue_depth", "depth", NUMBER },
	{ "threads", "threads", NUMBER },
	{ "devices", "drives", NUMBER },
	{ "read_ahead_kib", "read-ahead", KIB },
	{ "offset_percent", "per cent", NUMBER },
	{ "scheduler", "scheduler", WORD },
	{ "engine", "engine", WORD },
};

enum { AXES = sizeof axes / sizeof *axes, MOST_HEADS = 64 };

struct matrix {
	const json_t *root, *cells, *best;
	const struct axis *down, *across; /* across may be NULL */
};

static bool open_matrix(struct matrix *m, const json_t *root)
{
	*m = (struct matrix){ .root = root,
		.cells = sgs_field_at(root, "sweep", "cells"),
		.best = sgs_page_best_cell(root) };
	for (size_t i = 0; i < AXES; i++) {
		if (sgs_page_axis(root, axes[i].key) < 2)
			continue;
		if (!m->down)
			m->down = &axes[i];
		else if (!m->across)
			m->across = &axes[i];
	}
	if (!m->down)
		m->down = &axes[0];
	return sgs_page_kind(root) == SGS_PAGE_MATRIX && m->best;
}

static const json_t *values(const struct matrix *m, const struct axis *axis)
{
	return sgs_field_at(m->root, "sweep", "axes", axis->key);
}

static const char *word(const struct axis *axis, const json_t *value, char buf[SGS_WORD_ROOM])
{
	uint64_t number =
		json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;

	if (axis->form == WORD)
		snprintf(buf, SGS_WORD_ROOM, "%.60s",
			json_is_string(value) ? json_string_value(value) : "");
	else if (axis->form == NUMBER)
		snprintf(buf, SGS_WORD_ROOM, "%.30s %" PRIu64, axis->name, number);
	else
		sgs_format_size(buf, SGS_WORD_ROOM,
			axis->form == KIB && number < UINT64_MAX / 1024 ? number * 1024
									: number);
	return buf;
}

/* ---- groups: cells that are alike on all axes but the two ---- */

static bool is_alike(const struct matrix *m, const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < AXES; i++) {
		if (&axes[i] == m->down || &axes[i] == m->across ||
			sgs_page_axis(m->root, axes[i].key) < 2)
			continue;
		if (!json_equal(
			    json_object_get(a, axes[i].key), json_object_get(b, axes[i].key)))
			return false;
	}
	return true;
}

static bool is_leader(const struct matrix *m, size_t index)
{
	const json_t *cell = json_array_get(m->cells, index);

	for (size_t i = 0; i < index; i++)
		if (is_alike(m, cell, json_array_get(m->cells, i)))
			return false;
	return true;
}

static const json_t *cell_at(
	const struct matrix *m, const json_t *leader, const json_t *down, const json_t *across)
{
	for (size_t i = 0; i < json_array_size(m->cells); i++) {
		const json_t *cell = json_array_get(m->cells, i);

		if (is_alike(m, cell, leader) &&
			json_equal(json_object_get(cell, m->down->key), down) &&
			(!across || json_equal(json_object_get(cell, m->across->key), across)))
			return cell;
	}
	return NULL;
}

/* ---- the tables ---- */

static void put_cell(FILE *out, const struct matrix *m, const json_t *cell)
{
	const json_t *run = sgs_page_cell_run(m->root, cell);
	char figure[SGS_WORD_ROOM];

	fputs(cell == m->best ? "<td class=\"best\">" : "<td>", out);
	if (run)
		sgs_html_figure(out, sgs_page_rate(run),
			sgs_word_figure(figure, sgs_page_rate(run) / 1e6));
	else
		fputs(json_is_string(json_object_get(cell, "reason")) ? "failed" : "-", out);
	fputs(cell == m->best ? " (best)</td>" : "</td>", out);
}

static void put_row(FILE *out, const struct matrix *m, const json_t *leader, const json_t *down)
{
	const json_t *across = m->across ? values(m, m->across) : NULL;
	char head[SGS_WORD_ROOM];

	sgs_html_row(out, word(m->down, down, head));
	if (!across)
		put_cell(out, m, cell_at(m, leader, down, NULL));
	for (size_t i = 0; i < json_array_size(across) && i < MOST_HEADS; i++)
		put_cell(out, m, cell_at(m, leader, down, json_array_get(across, i)));
	fputs("</tr>\n", out);
}

/* "Rates in MB/s, sg-mmap, threads 2": what the cells of a table share */
static void name_group(const struct matrix *m, const json_t *leader, char buf[SGS_PAGE_NAME])
{
	size_t at = (size_t)snprintf(buf, SGS_PAGE_NAME, "Rates in MB/s");
	char value[SGS_WORD_ROOM];

	for (size_t i = 0; i < AXES && at < SGS_PAGE_NAME; i++) {
		bool shown = sgs_page_axis(m->root, axes[i].key) > 1 || axes[i].form == WORD;

		if (shown && &axes[i] != m->down && &axes[i] != m->across &&
			json_object_get(leader, axes[i].key))
			at += (size_t)snprintf(buf + at, SGS_PAGE_NAME - at, ", %s",
				word(&axes[i], json_object_get(leader, axes[i].key), value));
	}
}

static void put_table(FILE *out, const struct matrix *m, const json_t *leader)
{
	const json_t *down = values(m, m->down),
		     *across = m->across ? values(m, m->across) : NULL;
	char text[MOST_HEADS][SGS_WORD_ROOM], caption[SGS_PAGE_NAME], corner[SGS_WORD_ROOM];
	const char *heads[MOST_HEADS + 2] = { corner, "MB/s" };

	snprintf(corner, sizeof corner, "<%s", m->down->name);
	for (size_t i = 0; i < json_array_size(across) && i < MOST_HEADS; i++)
		heads[i + 1] = word(m->across, json_array_get(across, i), text[i]);
	name_group(m, leader, caption);
	sgs_html_table(out, caption, heads);
	for (size_t i = 0; i < json_array_size(down); i++)
		put_row(out, m, leader, json_array_get(down, i));
	sgs_html_table_end(out);
}

void sgs_page_matrix_table(struct sgs_page *page, const json_t *root)
{
	struct matrix m;

	if (!open_matrix(&m, root))
		return;
	for (size_t i = 0; i < json_array_size(m.cells); i++)
		if (is_leader(&m, i))
			put_table(page->out, &m, json_array_get(m.cells, i));
}

/* ---- the plot ---- */

static void put_line(struct sgs_plot *plot, const struct matrix *m, const json_t *across)
{
	const json_t *down = values(m, m->down);

	sgs_plot_data(plot);
	for (size_t i = 0; i < json_array_size(down); i++) {
		const json_t *value = json_array_get(down, i);
		const json_t *run =
			sgs_page_cell_run(m->root, cell_at(m, m->best, value, across));

		if (run && json_integer_value(value) > 0)
			fprintf(plot->script, "%.6g %.6g\n",
				(double)json_integer_value(value) /
					(m->down->form == BYTES ? 1024 : 1),
				sgs_page_rate(run) / 1e6);
	}
	sgs_plot_data_end(plot);
}

static void put_script(struct sgs_plot *plot, const struct matrix *m, size_t lines)
{
	const json_t *across = m->across ? values(m, m->across) : NULL;

	fputs("set yrange [0:*]\nset logscale x 2\n", plot->script);
	for (size_t i = 0; i < lines; i++)
		put_line(plot, m, json_array_get(across, i));
	fputs("plot ", plot->script);
	for (size_t i = 0; i < lines; i++)
		fprintf(plot->script, "%s$d%zu using 1:2 with linespoints lt %zu",
			i ? ", " : "", i + 1, i + 1);
	fputc('\n', plot->script);
}

void sgs_page_matrix_plot(struct sgs_page *page, const json_t *root)
{
	char text[SGS_PLOT_COLOURS][SGS_WORD_ROOM], title[SGS_PAGE_NAME];
	const char *legend[SGS_PLOT_COLOURS + 1] = { NULL };
	struct sgs_plot plot;
	struct matrix m;
	size_t lines = 1;

	if (!open_matrix(&m, root) || m.down->form == WORD ||
		sgs_page_axis(root, m.down->key) < 2)
		return;
	if (m.across)
		lines = sgs_page_axis(root, m.across->key);
	if (lines > SGS_PLOT_COLOURS)
		lines = SGS_PLOT_COLOURS;
	for (size_t i = 0; m.across && i < lines; i++)
		legend[i] = word(m.across, json_array_get(values(&m, m.across), i), text[i]);
	name_group(&m, m.best, title);
	sgs_figure_begin(page, &plot, SGS_PLOT_HEIGHT,
		m.down->form == BYTES ? "KiB per command"
		: m.down->form == KIB ? "read-ahead, KiB"
				      : m.down->name);
	if (plot.script)
		put_script(&plot, &m, lines);
	sgs_figure_end(page, &plot, title,
		"Rate against what varies, a line for each value of the legend. The figures "
		"are in "
		"the table that follows.",
		legend);
}
