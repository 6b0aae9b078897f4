/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table on a stream, by libsmartcols, the same on a terminal and in a file: no colours,
 * nothing cut. A row is an array of cells; it stays the caller's.
 */
#ifndef SGS_REPORT_TABLE_H
#define SGS_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct sgs_column {
	const char *name;
	bool right;
};

struct sgs_table;

/* NULL when memory is short; the other functions take that. */
struct sgs_table *sgs_table_new(FILE *out, const struct sgs_column *columns, size_t n);

/* n cells; an empty one prints as "-". */
void sgs_table_row(struct sgs_table *table, const char *const *cells);

/* Prints and frees. 0 or -errno, also when a row before did not fit in memory. */
int sgs_table_print(struct sgs_table *table);

#endif
