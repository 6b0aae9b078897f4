/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading results back: the objects of doc/sgstream-1.schema.json. A file is input as any
 * other, so what is read from it is asked for by kind, and what is missing or of another kind
 * reads as unknown.
 */
#ifndef SGS_RESULTS_RESULT_FILE_H
#define SGS_RESULTS_RESULT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <sgstream/error.h>

/* What a reader of a file can use, for the message about one that it cannot. */
struct sgs_result_wish {
	const char *what;   /* "result of sgstream sweep": "FILE is no ..." */
	const char *remedy; /* "leave --resume out, or give another file" */
	const char *code;   /* of the error */
};

/* Loads the result in a regular file into *root, for the caller to json_decref(). 0 or a
 * status: a file that cannot be read, no JSON, another object, or another version of the
 * schema. */
int sgs_result_file_load(const char *file, const struct sgs_result_wish *wish, json_t **root,
	struct sgs_error *err);

/* The refusal of a file, for a reason that its reader found. */
int sgs_result_file_refuse(const char *file, const struct sgs_result_wish *wish,
	const char *why, struct sgs_error *err);

/* The refusal of one that could not be read. */
int sgs_result_file_unreadable(
	const char *file, const struct sgs_result_wish *wish, int error, struct sgs_error *err);

/* Whether an object that was read from a file is of this version of the schema. 0 or a status.
 */
int sgs_result_file_check(const char *file, const struct sgs_result_wish *wish,
	const json_t *root, struct sgs_error *err);

/* ---- fields ---- */

bool sgs_field_is_text(const json_t *object, const char *key, const char *text);

/* "" when unknown; it lives as long as the object. */
const char *sgs_field_text(const json_t *object, const char *key);

/* 0 when unknown, or negative. */
uint64_t sgs_field_count(const json_t *object, const char *key);

/* -1 when unknown. */
double sgs_field_number(const json_t *object, const char *key);

/* A value behind several keys; NULL when one of them is missing. */
#define sgs_field_at(...) sgs_field_walk(__VA_ARGS__, (const char *)NULL)
json_t *sgs_field_walk(const json_t *object, ...) __attribute__((sentinel));

/* Whether two values are the same, in whatever form their numbers are written: 1.0 is 1. */
bool sgs_result_same(const json_t *a, const json_t *b);

/* ---- runs ---- */

/* The run of a sweep's cell when it ended well, else NULL. */
json_t *sgs_result_cell_run(const json_t *root, const json_t *cell);

#endif
