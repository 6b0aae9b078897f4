/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results for people and for programs. A report reads a result and writes to a stream; a new
 * format is one new file and one declaration here.
 */
#ifndef SGS_REPORT_REPORT_H
#define SGS_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <sgstream/job.h>
#include <sgstream/result.h>

extern const char sgs_version[]; /* "0.1.0" */
extern const char sgs_commit[];	 /* git commit, "-dirty" with local changes */

/* What is said about the program's call rather than about its run. */
struct sgs_call {
	const char *command; /* "read" */
	int argc;
	char *const *argv;
	struct timespec started_at; /* CLOCK_REALTIME */
};

/* design: one JSON object, schema "sgstream/1" (doc/sgstream-1.schema.json), and a newline.
 * With n results of one call (rounds of a comparison) runs has an element for each that
 * started; those that were only planned (--dry-run) stand under "planned". Returns 0 or -errno
 * when the stream could not be written. */
int sgs_report_json(
	FILE *out, const struct sgs_call *call, const struct sgs_result *results, size_t n);

/* RFC 4180 with a header: for each run that started a row per device and one of the total. The
 * columns are described in doc/formats.md; they stay, and new ones come last. */
int sgs_report_csv(
	FILE *out, const struct sgs_call *call, const struct sgs_result *results, size_t n);

/* OpenMetrics 1.0 text, which a reader of the Prometheus text format takes, too
 * (doc/formats.md). name tells these results from those of other files: the label "run" of all
 * samples. A result that did not start has its status only. Returns 0 or -errno. */
int sgs_report_openmetrics(FILE *out, const struct sgs_call *call,
	const struct sgs_result *results, size_t n, const char *name);

/* Text for a person: device lines when there are several, the total, and what stands behind
 * it. verbose adds identities and the histogram's percentiles per device. */
void sgs_report_text(FILE *out, const struct sgs_result *result, int verbose);

/* Messages of the result, one line each: "sgstream: /dev/sg1: ...", "sgstream: warning: ...".
 * quiet leaves only errors. */
void sgs_report_messages(FILE *err, const struct sgs_result *result, int quiet);

/* One line about the span since the last one: "at 2.000 s: 1,290 MB/s (1,230 MiB/s), ...". */
void sgs_report_interval(FILE *out, const struct sgs_progress *now);

/* A line over the one before, for a terminal that wide: bar, share done, rate, time left.
 * Without a goal in bytes or time there is no bar. NULL wipes the line. */
void sgs_report_progress(FILE *out, const struct sgs_progress *now, int columns);

/* "sgstream: /dev/sg1: 3 commands in flight for 12 s". */
void sgs_report_stalled(FILE *out, const char *device, unsigned commands, uint64_t ns);

/* sgstream list */
void sgs_report_list_text(FILE *out, const struct sgs_device_row *rows, size_t n);

enum {
	SGS_LIST_ENGINES = 1,  /* with what each engine can do on the device */
	SGS_LIST_TOPOLOGY = 2, /* with the way to it */
};
int sgs_report_list_json(FILE *out, const struct sgs_call *call,
	const struct sgs_device_row *rows, size_t n, unsigned with,
	const struct sgs_result *messages);

/* sgstream list --topology */
void sgs_report_topology_text(FILE *out, const struct sgs_device_row *rows, size_t n);

/* sgstream list --engines */
void sgs_report_engines_text(FILE *out, const struct sgs_device_row *rows, size_t n);

#endif
