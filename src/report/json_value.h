/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON values, and the parts that every object of schema sgstream/1 has. All return a new
 * reference, or NULL when memory is short; a builder that is given NULL frees what else it was
 * given and returns NULL, so only the last one needs to be checked.
 */
#ifndef SGS_REPORT_JSON_VALUE_H
#define SGS_REPORT_JSON_VALUE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <sgstream/device.h>
#include <sgstream/result.h>

#include "report/report.h"

struct sgs_json_pair {
	const char *key; /* NULL ends a list of pairs */
	json_t *value;	 /* taken */
};

json_t *sgs_json_object(const struct sgs_json_pair *pairs);

/* Adds pairs to object, which may be NULL. */
json_t *sgs_json_extend(json_t *object, const struct sgs_json_pair *pairs);

json_t *sgs_json_set(json_t *object, const char *key, json_t *value);

/* Appends value. */
json_t *sgs_json_append(json_t *array, json_t *value);

/* Clamped to what JSON integers of jansson hold, 2^63 - 1. */
json_t *sgs_json_count(uint64_t value);

/* null for 0, where that means unknown. */
json_t *sgs_json_count_or_null(uint64_t value);

/* null for what is negative, which means unknown. */
json_t *sgs_json_known(int64_t value);

/* null for what is negative or not finite. */
json_t *sgs_json_number(double value);

/* Control bytes and broken UTF-8 made printable; null for NULL. */
json_t *sgs_json_text(const char *text);

/* null for an empty string. */
json_t *sgs_json_text_or_null(const char *text);

/* Adds where a device is and what it is: hctl, vendor, product, revision, serial, lu_name. */
json_t *sgs_json_add_identity(json_t *object, const struct sgs_device *device);
json_t *sgs_json_controller(const struct sgs_controller *controller);

/* The keys of a result's object before and after those of its command. status is a word of
 * sgs_result_status(); clock may be NULL. */
json_t *sgs_json_head(
	const struct sgs_call *call, const char *status, int exit_status, const char *clock);
json_t *sgs_json_messages(const struct sgs_result *results, size_t n);

/* json.c: an array with the runs that started. */
json_t *sgs_json_runs(const struct sgs_result *results, size_t n);

/* Writes root, which may be NULL, and a newline, and frees it. 0 or -errno. */
int sgs_json_write(FILE *out, json_t *root);

#endif
