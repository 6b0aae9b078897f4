/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plots by gnuplot, as SVG inside of the page. Their colours are the page's, so they follow its
 * light and dark. gnuplot is given numbers and constant words only: no text of a result, which
 * it might take for a command.
 */
#ifndef SGS_PAGE_PLOT_H
#define SGS_PAGE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SGS_PLOT_COLOURS = 6, SGS_PLOT_WIDTH = 440, SGS_PLOT_HEIGHT = 260 };

struct sgs_plot {
	unsigned number; /* on the page, for its ids */
	FILE *script;	 /* what is written here goes to gnuplot; NULL: no memory */
	char *text;
	size_t len;
	unsigned blocks; /* of data */
	unsigned height;
};

/* Begins a plot so many pixels high; the label of what is across is a constant, "" is none. */
void sgs_plot_begin(struct sgs_plot *plot, unsigned number, unsigned height, const char *x);

/* A data block; its rows are written to plot->script, a line each, until the end. Returns its
 * number: $dN in a plot command. */
unsigned sgs_plot_data(struct sgs_plot *plot);
void sgs_plot_data_end(struct sgs_plot *plot);

/* Draws it into out, with a title and a description for who does not see it. 0 or -errno: then
 * nothing was written. */
int sgs_plot_end(struct sgs_plot *plot, FILE *out, const char *title, const char *description);

/* The shapes of points, once for all plots of a page. */
void sgs_plot_shapes(FILE *out);

/* svg.c: what gnuplot made as a part of the page. False when it is no plot. */
bool sgs_svg_adopt(FILE *out, const char *svg, const struct sgs_plot *plot, const char *title,
	const char *description);

#endif
