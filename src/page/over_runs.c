/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of a page with the results over time.
 */
#include <inttypes.h>

#include "page/history.h"
#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"
#include "stats/stats.h"

enum { DAY = 86400 };

static const char *time_format(const struct sgs_history_series *s)
{
	return s->points[s->n - 1].at - s->points[0].at < 2 * DAY ? "%H:%M" : "%Y-%m-%d";
}

static void put_points(struct sgs_plot *plot, const struct sgs_history_series *s, bool drops)
{
	sgs_plot_data(plot);
	for (size_t i = 0; i < s->n; i++)
		if (!drops || s->points[i].drop)
			fprintf(plot->script, "%" PRId64 " %.6g\n", (int64_t)s->points[i].at,
				s->points[i].rate / 1e6);
	sgs_plot_data_end(plot);
}

static void put_script(struct sgs_plot *plot, const struct sgs_history_series *s)
{
	int64_t first = s->points[0].at, last = s->points[s->n - 1].at;
	int64_t span = last > first ? last - first : 60;

	fprintf(plot->script,
		"set yrange [0:*]\nset xdata time\nset timefmt '%%s'\nset format x '%s'\n"
		"set xrange ['%" PRId64 "':'%" PRId64 "']\nset xtics %" PRId64 "\n",
		time_format(s), first - span / 12, last + span / 12, span / 3 + 1);
	put_points(plot, s, false);
	put_points(plot, s, true);
	fprintf(plot->script, "plot %.6g lt 6 lw 1 dt 2, $d1 using 1:2 with linespoints lt 1",
		s->usual / 1e6);
	fputs(s->drops ? ", $d2 using 1:2 with points lt 2 ps 0.9\n" : "\n", plot->script);
}

static void draw(struct sgs_page *page, const struct sgs_history_series *s)
{
	static const char *const legend[] = { "measured", "a drop", NULL };
	static const char *const plain[] = { "measured", NULL };
	char title[2 * SGS_PAGE_NAME + 16];
	struct sgs_plot plot;

	snprintf(title, sizeof title, "%s, MB/s", s->name);
	sgs_figure_begin(page, &plot, SGS_PLOT_HEIGHT, "");
	if (plot.script)
		put_script(&plot, s);
	sgs_figure_end(page, &plot, title,
		"Rate of each run against the time when it was started, with the median as a "
		"dashed "
		"line. The figures are in the table that follows.",
		s->drops ? legend : plain);
}

static void put_row(FILE *out, const struct sgs_history_series *s, size_t i)
{
	const struct sgs_history_point *p = &s->points[i];
	const char *at = sgs_field_text(p->item->root, "started_at");
	char when[32];

	snprintf(when, sizeof when, "%.10s %.5s", at, at + 11);
	sgs_html_row(out, when);
	fputs("<td>", out);
	sgs_html_rate(out, p->rate);
	fputs("</td><td>", out);
	sgs_html_number(out, p->rate / s->usual);
	fputs(p->drop ? "</td><td class=\"text\"><span class=\"bad\">drop</span></td>"
		      : "</td><td class=\"text\"></td>",
		out);
	sgs_html_cell(out, p->item->name);
	fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct sgs_history_series *s)
{
	static const char *const heads[] = { "<started, UTC", "rate", "to the median", "<",
		"<file", NULL };
	char caption[2 * SGS_PAGE_NAME + 16];

	snprintf(caption, sizeof caption, "%s: %s", s->name, s->way);
	fputs("<details><summary>Figures of each run of ", out);
	sgs_html_text(out, s->name);
	fputs("</summary>\n", out);
	sgs_html_table(out, caption, heads);
	for (size_t i = 0; i < s->n; i++)
		put_row(out, s, i);
	sgs_html_table_end(out);
	fputs("</details>\n", out);
}

void sgs_page_over_runs(struct sgs_page *page, const struct sgs_history *history)
{
	FILE *out = page->out;
	char sentence[SGS_PAGE_SENTENCE];

	if (!history || !history->n)
		return;
	fputs("<section id=\"history\" aria-labelledby=\"history-name\">\n"
	      "<h2 id=\"history-name\">Over time</h2>\n<ul>\n",
		out);
	for (size_t i = 0; i < history->n; i++) {
		const struct sgs_history_series *s = &history->series[i];

		sgs_history_say(s, sentence, sizeof sentence);
		fputs("<li>", out);
		sgs_html_say(out, "%s (%s)", sentence, s->way);
		fputs("</li>\n", out);
	}
	fprintf(out,
		"</ul>\n<p class=\"what\">A drop is a run that is slower than every one before "
		"it that is no "
		"drop itself, at least %d, and whose distance from their median is above 3.5 "
		"modified "
		"z-scores (0.6745 &times; distance / MAD) and above %.0f %%. A decline is one "
		"that Mann and "
		"Kendall&rsquo;s test finds at 5 %%, of more than %.0f %%.</p>\n<div "
		"class=\"plots\">\n",
		SGS_DROP_LEAST, 100 * SGS_HISTORY_LEAST, 100 * SGS_HISTORY_LEAST);
	for (size_t i = 0; i < history->n; i++)
		draw(page, &history->series[i]);
	fputs("</div>\n", out);
	for (size_t i = 0; i < history->n; i++)
		put_table(out, &history->series[i]);
	fputs("</section>\n", out);
}
