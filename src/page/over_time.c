/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A read with --interval: the rate over time, of each drive when there are several.
 */
#include <inttypes.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"

enum { MOST_LINES = SGS_PLOT_COLOURS };

static const json_t *intervals(const json_t *root)
{
	if (sgs_page_kind(root) != SGS_PAGE_READ)
		return NULL;
	return json_object_get(sgs_page_run(root, 0), "intervals");
}

/* The rest after the last whole one would be a spike: it is left out of the plot. */
static bool is_whole(const json_t *interval, const json_t *first)
{
	return 2 * sgs_field_count(interval, "span_ns") >= sgs_field_count(first, "span_ns");
}

/* In its order, or of all together when they were not told apart */
static uint64_t bytes_of(const json_t *interval, size_t device)
{
	const json_t *bytes = json_object_get(interval, "device_bytes");
	json_int_t value = json_integer_value(json_array_get(bytes, device));

	return !bytes ? sgs_field_count(interval, "bytes") : value > 0 ? (uint64_t)value : 0;
}

static double rate_of(const json_t *interval, size_t device)
{
	uint64_t ns = sgs_field_count(interval, "span_ns");

	return ns ? (double)bytes_of(interval, device) * 1e9 / (double)ns : 0;
}

static size_t count_lines(const json_t *all)
{
	const json_t *bytes = json_object_get(json_array_get(all, 0), "device_bytes");

	return bytes ? json_array_size(bytes) : 1;
}

static void put_line(struct sgs_plot *plot, const json_t *all, size_t device)
{
	const json_t *first = json_array_get(all, 0);

	sgs_plot_data(plot);
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *interval = json_array_get(all, i);
		double end = (double)sgs_field_count(interval, "at_ns");
		double middle = end - (double)sgs_field_count(interval, "span_ns") / 2;

		if (is_whole(interval, first))
			fprintf(plot->script, "%.6g %.6g\n", middle / 1e9,
				rate_of(interval, device) / 1e6);
	}
	sgs_plot_data_end(plot);
}

/* Beyond the colours that there are, drives share one. */
static void put_script(struct sgs_plot *plot, const json_t *all, size_t lines)
{
	bool one_colour = lines > MOST_LINES;

	fputs("set yrange [0:*]\nset xrange [0:*]\n", plot->script);
	for (size_t i = 0; i < lines; i++)
		put_line(plot, all, i);
	fputs("plot ", plot->script);
	for (size_t i = 0; i < lines; i++)
		fprintf(plot->script, "%s$d%zu using 1:2 with %s lt %zu", i ? ", " : "", i + 1,
			one_colour ? "lines" : "linespoints", one_colour ? 1 : i + 1);
	fputc('\n', plot->script);
}

void sgs_page_over_time_plot(struct sgs_page *page, const json_t *root)
{
	const json_t *all = intervals(root), *devices = sgs_page_devices(root);
	size_t lines = count_lines(all);
	const char *legend[MOST_LINES + 1] = { NULL };
	struct sgs_plot plot;

	if (json_array_size(all) < 2)
		return;
	for (size_t i = 0; lines <= MOST_LINES && i < lines; i++)
		legend[i] = sgs_field_text(json_array_get(devices, i), "path");
	sgs_figure_begin(page, &plot, SGS_PLOT_HEIGHT, "seconds");
	if (plot.script)
		put_script(&plot, all, lines);
	sgs_figure_end(page, &plot,
		lines > 1 ? "Rate of each drive over time, MB/s" : "Rate over time, MB/s",
		"Rate against the time since the start. The figures are in the table that "
		"follows.",
		legend);
}

/* ---- the table ---- */

static void put_row(FILE *out, const json_t *interval, size_t lines)
{
	char word[SGS_WORD_ROOM];

	sgs_html_row(out, sgs_word_span(word, sgs_field_count(interval, "at_ns")));
	for (size_t i = 0; i < lines; i++) {
		double rate = rate_of(interval, i);

		fputs("<td>", out);
		sgs_html_figure(out, rate, sgs_word_figure(word, rate / 1e6));
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

enum { MOST_COLUMNS = 64 };

void sgs_page_over_time_table(struct sgs_page *page, const json_t *root)
{
	const json_t *all = intervals(root), *devices = sgs_page_devices(root);
	const char *heads[MOST_COLUMNS + 2] = { "<until", "MB/s" };
	size_t lines = count_lines(all);

	if (json_array_size(all) < 2)
		return;
	if (lines > MOST_COLUMNS)
		lines = MOST_COLUMNS;
	for (size_t i = 0; lines > 1 && i < lines; i++)
		heads[i + 1] = sgs_field_text(json_array_get(devices, i), "path");
	fputs("<details><summary>Figures of each interval</summary>\n", page->out);
	sgs_html_table(page->out, "Rate over time, MB/s", heads);
	for (size_t i = 0; i < json_array_size(all); i++)
		put_row(page->out, json_array_get(all, i), lines);
	sgs_html_table_end(page->out);
	fputs("</details>\n", page->out);
}
