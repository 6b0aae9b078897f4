/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of a result one by one, for reports that are tables: where each stands and when
 * it is known. Numbers are written alike in every locale.
 */
#ifndef SGS_REPORT_FIELD_H
#define SGS_REPORT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sgstream/result.h>

/* What a table has a line for: a run, or one of its devices. */
struct sgs_row {
	const struct sgs_result *result;
	const struct sgs_device_result *device; /* NULL: the total of the run */
	size_t number;				/* of the run, from 1 */
};

enum sgs_place {
	SGS_IN_FIGURES, /* struct sgs_figures, of the device or the total */
	SGS_IN_DEVICE,	/* struct sgs_device_result; the total has none */
	SGS_IN_RUN,	/* struct sgs_run_result */
	SGS_IN_TOTAL,	/* struct sgs_run_result; a device has none */
};

enum sgs_shape { SGS_COUNT32, SGS_COUNT64, SGS_REAL };

/* What makes a figure known. Beyond it, UINT64_MAX and reals that are negative or not finite
 * are unknown. */
enum sgs_need {
	SGS_ALWAYS,
	SGS_NOT_ZERO,
	SGS_ELAPSED,	  /* the clock has moved */
	SGS_SOME_COMMAND, /* a command was good */
	SGS_SOME_LATENCY, /* one was timed */
};

struct sgs_field {
	enum sgs_place place;
	enum sgs_shape shape;
	enum sgs_need need;
	size_t offset;
};

struct sgs_value {
	enum { SGS_UNKNOWN, SGS_WHOLE, SGS_BROKEN } kind;
	uint64_t whole;
	double broken;
};

struct sgs_value sgs_field_value(const struct sgs_field *field, const struct sgs_row *row);

const struct sgs_figures *sgs_row_figures(const struct sgs_row *row);

const struct sgs_cache *sgs_row_cache(const struct sgs_row *row);

/* What is asked of the device, or of all of them; unknown when only time ends it. */
struct sgs_value sgs_row_goal(const struct sgs_row *row);

/* Of the run, a word of sgs_result_status(); of a device the same words, from its own status:
 * "interrupted" when a signal kept it from its goal. */
const char *sgs_row_status(const struct sgs_row *row);
int sgs_row_exit_status(const struct sgs_row *row);

/* Twelve digits, as in the JSON. */
void sgs_put_real(FILE *out, double value);

/* Nanoseconds as seconds, to the last digit: "0.0000461", "1", "0". */
void sgs_put_seconds(FILE *out, uint64_t ns);

/* Flushes a stream that had errno 0 when the report began. 0 or -errno. */
int sgs_report_flush(FILE *out);

#endif
