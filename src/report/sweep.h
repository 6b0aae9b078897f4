/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream sweep.
 */
#ifndef SGS_REPORT_SWEEP_H
#define SGS_REPORT_SWEEP_H

#include "report/report.h"
#include "run/sweep.h"

/* A matrix of rates for each combination of what varies beyond two axes, with the best cell
 * marked; with verbose the same of CPU seconds per GiB and of the 99th percentile. */
void sgs_report_sweep_text(FILE *out, const struct sgs_sweep *sweep, int verbose);

/* sweep_progress.c: "cell 7 of 20, 64 KiB...: 1,290 MB/s (1,230 MiB/s), 13 s left" over the
 * line before, for a terminal that wide. A NULL step wipes it; now may be NULL. */
void sgs_report_sweep_progress(FILE *out, const struct sgs_sweep_step *step,
	const struct sgs_progress *now, int columns);

/* The same as a line of its own. */
void sgs_report_sweep_line(
	FILE *out, const struct sgs_sweep_step *step, const struct sgs_progress *now);

/* The runs of the cells as the JSON has them, those of now and those taken over. */
struct sgs_sweep_record;

/* NULL when memory is short. */
struct sgs_sweep_record *sgs_sweep_record_new(const struct sgs_sweep *sweep);

/* 0 or -ENOMEM. */
int sgs_sweep_record_add(
	struct sgs_sweep_record *record, size_t cell, const struct sgs_result *run);

void sgs_sweep_record_free(struct sgs_sweep_record *record);

/* json_sweep.c: 0 or -errno. A sweep that is under way is written as one that was interrupted:
 * that is what it is if nothing follows. */
int sgs_report_sweep_json(FILE *out, const struct sgs_call *call, const struct sgs_sweep *sweep,
	const struct sgs_sweep_record *record, bool under_way);

/* sweep_file.c: takes the cells over that the sweep in a file has measured; those that failed
 * or were refused are tried again. The seed of the order is the file's, unless seed_given asks
 * for another, which is refused. only_open: a file that is no sweep, or has no open cell, is
 * not looked at further. 0, or a status: axes, job, devices, version or kernel are others.
 * *found says whether there was a sweep. */
int sgs_sweep_resume(struct sgs_sweep *sweep, struct sgs_sweep_record *record, const char *file,
	bool seed_given, bool only_open, bool *found, struct sgs_error *err);

#endif
