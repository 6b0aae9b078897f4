/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a page. Each writes nothing when a result has nothing for it.
 */
#ifndef SGS_PAGE_PARTS_H
#define SGS_PAGE_PARTS_H

#include "page/look.h"
#include "page/page.h"
#include "page/plot.h"

extern const char sgs_page_style[];

/* ---- figure.c: a plot with its legend and caption ---- */

void sgs_figure_begin(
	struct sgs_page *page, struct sgs_plot *plot, unsigned height, const char *x);

/* A line of the legend, in the order of the colours from 1 on. */
void sgs_figure_end(struct sgs_page *page, struct sgs_plot *plot, const char *title,
	const char *description, const char *const *legend);

/* ---- verdict.c ---- */

enum { SGS_PAGE_SENTENCE = 1200 };

/* What a result shows, in one sentence. */
const char *sgs_page_verdict(const json_t *root, char buf[SGS_PAGE_SENTENCE]);

/* What was measured, what won, by how much, at what cost, and whether to trust it. */
void sgs_page_facts(struct sgs_page *page, const json_t *root);

/* ---- one file each, of one result: the plots of all stand together, then the tables ---- */

typedef void sgs_page_part(struct sgs_page *page, const json_t *root);

sgs_page_part sgs_page_engines_plot, sgs_page_engines_table; /* rate and CPU cost */
sgs_page_part sgs_page_matrix_plot, sgs_page_matrix_table;   /* block size, depth, ... */
sgs_page_part sgs_page_scaling_plot, sgs_page_scaling_table; /* number of drives */
sgs_page_part sgs_page_profile_plot, sgs_page_profile_table; /* position */
sgs_page_part sgs_page_over_time_plot, sgs_page_over_time_table;
sgs_page_part sgs_page_latency_plot, sgs_page_latency_table;
sgs_page_part sgs_page_devices_table, sgs_page_bad_ranges_table, sgs_page_playback_table;

/* ---- of all results ---- */

struct sgs_history; /* page/history.h */

void sgs_page_over_runs(struct sgs_page *page, const struct sgs_history *history);

void sgs_page_hosts(struct sgs_page *page, const struct sgs_result_set *set);
void sgs_page_drives(struct sgs_page *page, const struct sgs_result_set *set);
void sgs_page_messages(struct sgs_page *page, const struct sgs_result_set *set);

#endif
