/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream tune. Part of the program and not of the library, as src/tune.
 */
#ifndef SGS_REPORT_TUNE_H
#define SGS_REPORT_TUNE_H

#include "report/report.h"
#include "tune/tune.h"

/* A row for each device and for all, and the command lines to use; with verbose the steps. */
void sgs_report_tune_text(FILE *out, const struct sgs_tune *tune, int verbose);

/* 0 or -errno. */
int sgs_report_tune_json(FILE *out, const struct sgs_call *call, const struct sgs_tune *tune);

/* "step 12 of at most 168: /dev/sg1, 64 KiB per command, depth 4", on a terminal that wide. */
void sgs_report_tune_step(FILE *out, const struct sgs_tune *tune,
	const struct sgs_tune_target *target, const struct sgs_cell *cell, size_t number,
	size_t most, int columns);
void sgs_report_tune_wipe(FILE *out, int columns);

#endif
