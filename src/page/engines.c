/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison: rate and CPU cost of each engine, with their intervals.
 */
#include <string.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"

static const json_t *contenders(const json_t *root)
{
	return sgs_field_at(root, "comparison", "contenders");
}

static bool took_part(const json_t *contender)
{
	return sgs_field_number(json_object_get(contender, "bytes_per_second"), "median") > 0;
}

/* gnuplot is given the words that engines have, and nothing else. */
static void put_tic(FILE *script, const char *engine, unsigned at)
{
	fprintf(script, "%s'", at > 1 ? ", " : "");
	for (unsigned i = 0; i < 12 && engine[i]; i++)
		fputc(strchr("abcdefghijklmnopqrstuvwxyz_-", engine[i]) ? engine[i] : '?',
			script);
	fprintf(script, "' %u", at);
}

static unsigned put_tics(FILE *script, const json_t *root)
{
	const json_t *all = contenders(root);
	unsigned n = 0;

	fputs("set ytics (", script);
	for (size_t i = 0; i < json_array_size(all); i++)
		if (took_part(json_array_get(all, i)))
			put_tic(script, sgs_field_text(json_array_get(all, i), "engine"), ++n);
	fprintf(script, ")\nset yrange [%u.5:0.5]\n", n);
	return n;
}

static void put_points(struct sgs_plot *plot, const json_t *root, const char *key, double unit)
{
	const json_t *all = contenders(root);
	unsigned n = 0;

	sgs_plot_data(plot);
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *contender = json_array_get(all, i);
		const json_t *e = json_object_get(contender, key);

		if (took_part(contender))
			fprintf(plot->script, "%g %u %g %g\n",
				sgs_field_number(e, "median") / unit, ++n,
				sgs_field_number(e, "low") / unit,
				sgs_field_number(e, "high") / unit);
	}
	sgs_plot_data_end(plot);
}

static void draw(struct sgs_page *page, const json_t *root, const char *key, double unit,
	const char *x, const char *title)
{
	struct sgs_plot plot;
	char text[SGS_PAGE_SENTENCE];
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(contenders(root)); i++)
		n += took_part(json_array_get(contenders(root), i));
	sgs_figure_begin(page, &plot, 70 + 30 * n, x);
	if (plot.script) {
		put_tics(plot.script, root);
		fputs("set rmargin 3\nset xrange [0:*]\nset grid xtics noytics "
		      "lt 1 lc rgb "
		      "'gray' lw 0.5\n",
			plot.script);
		put_points(&plot, root, key, unit);
		fputs("plot $d1 using 1:2:3:4 with xerrorbars lt 1 lw 2 pt 7 ps 0.8\n",
			plot.script);
	}
	snprintf(text, sizeof text,
		"%s of %u engines: the median of the rounds as a point, its interval as a "
		"line. "
		"The figures are in the table that follows.",
		title, n);
	sgs_figure_end(page, &plot, title, text, NULL);
}

/* ---- the table ---- */

static void put_interval(FILE *out, const json_t *e, double unit)
{
	char low[SGS_WORD_ROOM], high[SGS_WORD_ROOM];
	double from = sgs_field_number(e, "low"), to = sgs_field_number(e, "high");

	fputs("<td>", out);
	if (from >= 0)
		sgs_html_say(out, "%s to %s", sgs_word_figure(low, from / unit),
			sgs_word_figure(high, to / unit));
	fputs("</td>", out);
}

static void put_median(FILE *out, const json_t *e, double unit)
{
	char word[SGS_WORD_ROOM];
	double median = sgs_field_number(e, "median");

	fputs("<td>", out);
	if (median >= 0)
		sgs_html_figure(out, median, sgs_word_figure(word, median / unit));
	fputs("</td>", out);
}

static void put_row(FILE *out, const json_t *contender)
{
	const json_t *rate = json_object_get(contender, "bytes_per_second");
	const json_t *cost = json_object_get(contender, "cpu_seconds_per_gib");
	const json_t *ratio = json_object_get(contender, "ratio");

	sgs_html_row(out, sgs_field_text(contender, "engine"));
	if (!took_part(contender)) {
		fputs("<td class=\"text\" colspan=\"7\">takes no part: ", out);
		sgs_html_text(out, sgs_field_text(contender, "reason"));
		fputs("</td></tr>\n", out);
		return;
	}
	put_median(out, rate, 1e6);
	put_median(out, rate, 1048576);
	put_interval(out, rate, 1e6);
	put_median(out, cost, 1);
	put_interval(out, cost, 1);
	put_median(out, ratio, 1);
	put_interval(out, ratio, 1);
	fputs("</tr>\n", out);
}

void sgs_page_engines_plot(struct sgs_page *page, const json_t *root)
{
	if (!sgs_page_fastest(root))
		return;
	draw(page, root, "bytes_per_second", 1e6, "", "Rate by engine, MB/s");
	draw(page, root, "cpu_seconds_per_gib", 1, "", "CPU seconds per GiB by engine");
}

void sgs_page_engines_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Engine", "MB/s", "MiB/s", "interval, MB/s",
		"CPU s/GiB", "interval", "ratio", "interval", NULL };
	const json_t *all = contenders(root);

	if (!all)
		return;
	sgs_html_table(page->out, "Medians of the rounds and their intervals", heads);
	for (size_t i = 0; i < json_array_size(all); i++)
		put_row(page->out, json_array_get(all, i));
	sgs_html_table_end(page->out);
}
