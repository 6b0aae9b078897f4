/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/table.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#include <libsmartcols/libsmartcols.h>

struct sgs_table {
	struct libscols_table *lines;
	size_t columns;
	int failed; /* -errno of the first row that was lost */
};

static int add_columns(struct libscols_table *lines, const struct sgs_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int flags = columns[i].right ? SCOLS_FL_RIGHT : 0;

		if (!scols_table_new_column(lines, columns[i].name, 0, flags))
			return -ENOMEM;
	}
	return 0;
}

/* libsmartcols asks the locale what is printable; numbers stay as they are. */
static void know_characters(void)
{
	static bool known;

	if (!known)
		setlocale(LC_CTYPE, "");
	known = true;
}

struct sgs_table *sgs_table_new(FILE *out, const struct sgs_column *columns, size_t n)
{
	struct sgs_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	know_characters();
	table->columns = n;
	table->lines = scols_new_table();
	if (table->lines && add_columns(table->lines, columns, n) == 0) {
		scols_table_set_stream(table->lines, out);
		scols_table_set_termforce(table->lines, SCOLS_TERMFORCE_NEVER);
		return table;
	}
	scols_unref_table(table->lines);
	free(table);
	return NULL;
}

static int set_cells(struct libscols_line *line, const char *const *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int err = scols_line_set_data(line, i, cells[i][0] ? cells[i] : "-");

		if (err)
			return err;
	}
	return 0;
}

void sgs_table_row(struct sgs_table *table, const char *const *cells)
{
	struct libscols_line *line;

	if (!table)
		return;
	line = scols_table_new_line(table->lines, NULL);
	if (!line || set_cells(line, cells, table->columns) != 0)
		table->failed = -ENOMEM;
}

int sgs_table_print(struct sgs_table *table)
{
	int status;

	if (!table)
		return -ENOMEM;
	status = scols_print_table(table->lines);
	if (status == 0)
		status = table->failed;
	scols_unref_table(table->lines);
	free(table);
	return status;
}
