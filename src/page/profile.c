/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep by position: what the drive gives from its outer to its inner tracks. Where other
 * axes vary, too, the best cell of each place counts.
 */
#include <inttypes.h>

#include "page/html.h"
#include "page/parts.h"
#include "report/words.h"

static const json_t *places(const json_t *root)
{
	if (sgs_page_kind(root) != SGS_PAGE_PROFILE)
		return NULL;
	return sgs_field_at(root, "sweep", "axes", "offset_percent");
}

static uint64_t place(const json_t *all, size_t i)
{
	json_int_t value = json_integer_value(json_array_get(all, i));

	return value > 0 ? (uint64_t)value : 0;
}

void sgs_page_profile_plot(struct sgs_page *page, const json_t *root)
{
	const json_t *all = places(root);
	struct sgs_plot plot;

	if (!all || !sgs_page_best_cell(root))
		return;
	sgs_figure_begin(page, &plot, SGS_PLOT_HEIGHT, "position, % of the capacity");
	if (plot.script) {
		fputs("set xrange [0:100]\nset yrange [0:*]\n", plot.script);
		sgs_plot_data(&plot);
		for (size_t i = 0; i < json_array_size(all); i++) {
			const json_t *run =
				sgs_page_best_run_at(root, "offset_percent", place(all, i));

			if (run)
				fprintf(plot.script, "%" PRIu64 " %.6g\n", place(all, i),
					sgs_page_rate(run) / 1e6);
		}
		sgs_plot_data_end(&plot);
		fputs("plot $d1 using 1:2 with linespoints lt 1\n", plot.script);
	}
	sgs_figure_end(page, &plot, "Rate by position, MB/s",
		"Rate against the position on the drive, from the outer tracks at 0 per cent "
		"to the "
		"inner ones. The figures are in the table that follows.",
		NULL);
}

static void put_row(FILE *out, uint64_t percent, const json_t *run, double first)
{
	const json_t *device = json_array_get(json_object_get(run, "devices"), 0);
	char word[SGS_WORD_ROOM];

	snprintf(word, sizeof word, "%" PRIu64 " %%", percent);
	sgs_html_row(out, word);
	fputs("<td>", out);
	sgs_html_count(out, sgs_field_count(device, "offset_bytes"));
	fputs("</td><td>", out);
	sgs_html_rate(out, sgs_page_rate(run));
	fputs("</td><td>", out);
	sgs_html_number(out, first > 0 ? sgs_page_rate(run) / first : -1);
	fputs("</td><td>", out);
	sgs_html_time(out, sgs_page_latency(run, "p99"));
	fputs("</td></tr>\n", out);
}

void sgs_page_profile_table(struct sgs_page *page, const json_t *root)
{
	static const char *const heads[] = { "<Position", "first byte", "rate", "to the first",
		"latency, 99 %", NULL };
	const json_t *all = places(root);
	double first;

	if (!all)
		return;
	first = sgs_page_rate(sgs_page_best_run_at(root, "offset_percent", place(all, 0)));
	sgs_html_table(page->out, "Rate by position", heads);
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *run = sgs_page_best_run_at(root, "offset_percent", place(all, i));

		if (run)
			put_row(page->out, place(all, i), run, first);
	}
	sgs_html_table_end(page->out);
}
