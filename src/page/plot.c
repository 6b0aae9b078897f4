/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/plot.h"

#include <errno.h>
#include <stdlib.h>

#include "sys/child.h"

/* Colours that stand for the page's: svg.c puts these in their place. */
static const char preamble[] = "set encoding utf8\n"
			       "set linetype 1 lc rgb '#000001' lw 1.8 pt 7 ps 0.45\n"
			       "set linetype 2 lc rgb '#000002' lw 1.8 pt 5 ps 0.45\n"
			       "set linetype 3 lc rgb '#000003' lw 1.8 pt 9 ps 0.55\n"
			       "set linetype 4 lc rgb '#000004' lw 1.8 pt 13 ps 0.55\n"
			       "set linetype 5 lc rgb '#000005' lw 1.8 pt 6 ps 0.45\n"
			       "set linetype 6 lc rgb '#000006' lw 1.8 pt 4 ps 0.45\n"
			       "set linetype cycle 6\n"
			       "set border 3 lc rgb 'gray' lw 1\n"
			       "set tics nomirror out scale 0.5 textcolor rgb 'black'\n"
			       "set grid ytics lt 1 lc rgb 'gray' lw 0.5\n"
			       "set mxtics 1\nset mytics 1\n"
			       "set pointintervalbox 0\n"
			       "set bars 0\n"
			       "unset key\n"
			       "set rmargin 2\nset tmargin 0.8\n";

void sgs_plot_begin(struct sgs_plot *plot, unsigned number, unsigned height, const char *x)
{
	*plot = (struct sgs_plot){ .number = number, .height = height };
	plot->script = open_memstream(&plot->text, &plot->len);
	if (!plot->script)
		return;
	fprintf(plot->script,
		"set terminal svg size %d,%u dynamic noenhanced font 'sans,12'\n%s",
		SGS_PLOT_WIDTH, height, preamble);
	if (*x)
		fprintf(plot->script, "set xlabel '%s'\n", x);
}

unsigned sgs_plot_data(struct sgs_plot *plot)
{
	if (plot->script)
		fprintf(plot->script, "$d%u << end\n", ++plot->blocks);
	return plot->blocks;
}

void sgs_plot_data_end(struct sgs_plot *plot)
{
	if (plot->script)
		fputs("end\n", plot->script);
}

int sgs_plot_end(struct sgs_plot *plot, FILE *out, const char *title, const char *description)
{
	static const char *const gnuplot[] = { "gnuplot", "-d", "-", NULL };
	char *svg = NULL;
	size_t len;
	int r = plot->script ? 0 : -ENOMEM;

	if (plot->script && fclose(plot->script) == EOF)
		r = -ENOMEM;
	if (!r)
		r = sgs_sys_filter(gnuplot, plot->text, plot->len, &svg, &len);
	if (r > 0 || (!r && !sgs_svg_adopt(out, svg, plot, title, description)))
		r = -EPIPE;
	free(svg);
	free(plot->text);
	return r;
}
