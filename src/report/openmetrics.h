/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the OpenMetrics page share.
 */
#ifndef SGS_REPORT_OPENMETRICS_H
#define SGS_REPORT_OPENMETRICS_H

#include "report/field.h"
#include "report/report.h"

struct metrics_family;

/* A set of samples with the same labels: a run, or a device of it. */
struct metrics_line {
	struct sgs_row row;
	char *labels; /* of figures */
	char *state;  /* of what is known of every call, also of one that read nothing */
};

struct metrics_page {
	FILE *out;
	const struct sgs_call *call;
	struct metrics_line *lines;
	size_t n, n_results;
	const struct metrics_family *family; /* the one that is being written */
	bool of_devices, headed;
};

/* gap, name="value", with what the format wants escaped. */
void sgs_openmetrics_put_label(FILE *out, const char *gap, const char *name, const char *value);

/* Renders the labels of every line; name is the file's. 0 or -ENOMEM. */
int sgs_openmetrics_label(struct metrics_page *page, const char *name);

#endif
