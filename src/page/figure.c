/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "page/html.h"
#include "page/parts.h"

void sgs_figure_begin(
	struct sgs_page *page, struct sgs_plot *plot, unsigned height, const char *x)
{
	sgs_plot_begin(plot, ++page->plots, height, x);
}

static void put_legend(FILE *out, const char *const *legend)
{
	unsigned colour = 1;

	if (!legend || !legend[0])
		return;
	fputs("<ul class=\"legend\">", out);
	for (; *legend; legend++, colour = colour % SGS_PLOT_COLOURS + 1) {
		fprintf(out, "<li class=\"l%u\">", colour);
		sgs_html_text(out, *legend);
		fputs("</li>", out);
	}
	fputs("</ul>\n", out);
}

void sgs_figure_end(struct sgs_page *page, struct sgs_plot *plot, const char *title,
	const char *description, const char *const *legend)
{
	int r;

	fputs("<figure>\n", page->out);
	sgs_html_element(page->out, "figcaption", title);
	put_legend(page->out, legend);
	r = sgs_plot_end(plot, page->out, title, description);
	if (r) {
		sgs_html_element(page->out, "p class=\"what\"",
			"This plot could not be drawn; its figures are in the table.");
		page->trouble = page->trouble ? page->trouble : r;
	} else {
		page->drawn++;
	}
	fputs("</figure>\n", page->out);
}
