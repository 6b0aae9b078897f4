/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream compare. Part of the program and not of the library, as src/compare.
 */
#ifndef SGS_REPORT_COMPARE_H
#define SGS_REPORT_COMPARE_H

#include "compare/compared.h"
#include "report/report.h"

/* A row for each contender, what the page cache costs, and the verdict; with verbose the rounds
 * one by one. */
void sgs_report_compare_text(FILE *out, const struct sgs_compared *compared, int verbose);

/* json_compare.c: 0 or -errno. */
int sgs_report_compare_json(
	FILE *out, const struct sgs_call *call, const struct sgs_compared *compared);

#endif
