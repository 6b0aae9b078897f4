/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan as a script for gnuplot. Nothing in it comes from a file but numbers and the name of
 * an engine, with what cannot be in one replaced.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "report/capacity.h"
#include "report/field.h"

#define MB 1e6

enum { STEPS = 200 };

static void put(FILE *out, double value, char behind)
{
	sgs_put_real(out, value);
	fputc(behind, out);
}

static void put_points(FILE *out, const struct sgs_capacity *plan)
{
	const struct sgs_model *m = &plan->model;

	fputs("$measured << END\n", out);
	for (size_t i = 0; i < m->host->n; i++) {
		if (!sgs_model_has_point(m, &m->host->points[i]))
			continue;
		put(out, m->host->points[i].devices, ' ');
		put(out, m->host->points[i].rate / MB, '\n');
	}
	fputs("END\n", out);
}

static void put_curve(FILE *out, const struct sgs_capacity *plan, double last)
{
	fputs("$curve << END\n", out);
	for (int i = 0; i <= STEPS; i++) {
		double drives = last * i / STEPS;
		struct sgs_span rate = sgs_predict(&plan->model, drives);

		put(out, drives, ' ');
		put(out, rate.median / MB, ' ');
		put(out, (isnan(rate.low) ? rate.median : rate.low) / MB, ' ');
		put(out, (isnan(rate.high) ? rate.median : rate.high) / MB, '\n');
	}
	fputs("END\n", out);
}

static void put_lines(FILE *out, const struct sgs_capacity *plan)
{
	double ceiling = sgs_model_seen_ceiling(&plan->model, &plan->model.drives.curve, NULL);
	double trusted = SGS_RANGE_TRUSTED * plan->model.drives.most;

	if (isfinite(ceiling)) {
		fputs("set arrow from graph 0, first ", out);
		sgs_put_real(out, ceiling / MB);
		fputs(" to graph 1, first ", out);
		sgs_put_real(out, ceiling / MB);
		fputs(" nohead dashtype 2 lc rgb '#b04030'\n", out);
	}
	fputs("set arrow from ", out);
	sgs_put_real(out, trusted);
	fputs(", graph 0 to ", out);
	sgs_put_real(out, trusted);
	fputs(", graph 1 nohead dashtype 3 lc rgb '#808080'\n", out);
}

static void put_title(FILE *out, const struct sgs_model *m)
{
	fputs("set title '", out);
	for (const char *c = m->way.engine; *c; c++)
		fputc(isalnum((unsigned char)*c) || *c == '-' ? *c : ' ', out);
	fprintf(out, ", %llu KiB per command, depth %u' noenhanced\n",
		(unsigned long long)m->way.bs_bytes / 1024, m->way.queue_depth);
}

int sgs_report_capacity_plot(FILE *out, const struct sgs_capacity *plan)
{
	unsigned drives[SGS_PREDICTED];
	size_t n = sgs_report_capacity_drives(plan, drives);

	fputs("set terminal svg size 800,500 dynamic background rgb 'white'\n", out);
	put_title(out, &plan->model);
	fprintf(out,
		"set xlabel 'drives of %u controller%s'\nset ylabel 'MB/s'\n"
		"set grid\nset key right bottom\nset yrange [0:*]\n",
		plan->model.unit, plan->model.unit == 1 ? "" : "s");
	put_points(out, plan);
	put_curve(out, plan, drives[n - 1]);
	put_lines(out, plan);
	fputs("plot $curve using 1:3:4 with filledcurves lc rgb '#c8d8f0' title '95 %', "
	      "$curve using 1:2 with lines lw 2 lc rgb '#2050a0' title 'predicted', "
	      "$measured using 1:2 with points pt 7 lc rgb 'black' title 'measured'\n",
		out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
