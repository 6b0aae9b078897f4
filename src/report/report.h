/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results for people and for programs. A report reads a result and writes to a stream; a new
 * format is one new file and one declaration here.
 */
#ifndef SGS_REPORT_REPORT_H
#define SGS_REPORT_REPORT_H

#include <stdio.h>
#include <time.h>

#include <sgstream/result.h>

extern const char sgs_version[]; /* "0.1.0" */
extern const char sgs_commit[];  /* git commit, "-dirty" with local changes */

/* What is said about the program's call rather than about its run. */
struct sgs_call {
	const char *command;        /* "read" */
	int argc;
	char *const *argv;
	struct timespec started_at; /* CLOCK_REALTIME */
};

/* design: one JSON object, schema "sgstream/1" (doc/sgstream-1.schema.json), and a newline. With
 * n results of one call (rounds of a comparison) runs has n elements. Returns 0 or -errno when
 * the stream could not be written. */
int sgs_report_json(FILE *out, const struct sgs_call *call, const struct sgs_result *results,
	size_t n);

/* Text for a person: device lines when there are several, the total, and what stands behind
 * it. verbose adds identities and the histogram's percentiles per device. */
void sgs_report_text(FILE *out, const struct sgs_result *result, int verbose);

/* Messages of the result, one line each, "sgstream: ..." */
void sgs_report_messages(FILE *err, const struct sgs_result *result, int quiet);

/* sgstream list */
void sgs_report_list_text(FILE *out, const struct sgs_device_row *rows, size_t n);
int sgs_report_list_json(FILE *out, const struct sgs_call *call, const struct sgs_device_row *rows,
	size_t n, const struct sgs_result *messages);

#endif
