/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of many files: of files that are named, and of folders. A file may hold several
 * objects, one after the other (JSON lines).
 */
#ifndef SGS_RESULTS_RESULT_SET_H
#define SGS_RESULTS_RESULT_SET_H

#include <stddef.h>

#include "results/result_file.h"

struct sgs_result_item {
	char *name; /* of its file */
	json_t *root;
};

/* Zeroed at first. */
struct sgs_result_set {
	struct sgs_result_item *items;
	size_t n;
	char **left_out; /* files of folders that are no results: a sentence each */
	size_t n_left_out;
};

/* Adds what has runs in a file, or in the files of a folder whose names end in .json or .jsonl,
 * in the order of their names. 0, or a status: a named file that is no result, a folder without
 * one. */
int sgs_result_set_add(struct sgs_result_set *set, const char *path,
	const struct sgs_result_wish *wish, struct sgs_error *err);

/* By the time when they were started; equal ones stay as they are. */
void sgs_result_set_sort(struct sgs_result_set *set);

void sgs_result_set_free(struct sgs_result_set *set);

#endif
