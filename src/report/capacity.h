/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream plan. Part of the program and not of the library, as src/capacity.
 */
#ifndef SGS_REPORT_CAPACITY_H
#define SGS_REPORT_CAPACITY_H

#include "capacity/capacity.h"
#include "report/report.h"

/* The model, what it predicts, what the load needs and what binds first. */
void sgs_report_capacity_text(FILE *out, const struct sgs_capacity *plan);

/* json_capacity.c: one plan by itself, or with by_host an array of them. 0 or -errno. */
int sgs_report_capacity_json(FILE *out, const struct sgs_call *call,
	const struct sgs_capacity *plans, size_t n, bool by_host,
	const struct sgs_result *result);

/* plot_capacity.c: what gnuplot draws as SVG: points, curve, interval, ceiling. 0 or -errno. */
int sgs_report_capacity_plot(FILE *script, const struct sgs_capacity *plan);

enum { SGS_PREDICTED = 24 };

/* Numbers of drives of a unit that a report shows, rising. Returns how many. */
size_t sgs_report_capacity_drives(
	const struct sgs_capacity *plan, unsigned drives[SGS_PREDICTED]);

bool sgs_report_capacity_is_far(const struct sgs_capacity *plan, unsigned drives);

#endif
