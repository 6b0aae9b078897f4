/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option table: one row an option, from which parsing and help both come.
 */
#ifndef SGS_CLI_OPTIONS_H
#define SGS_CLI_OPTIONS_H

#include <stdio.h>

#include "cli/cli.h"

enum sgs_option_kind {
	SGS_OPT_FLAG,	 /* bool */
	SGS_OPT_COUNT,	 /* unsigned, adds up: -vv */
	SGS_OPT_STRING,	 /* const char * */
	SGS_OPT_OFFSET,	 /* struct sgs_size, may be 0 */
	SGS_OPT_SIZE,	 /* struct sgs_size */
	SGS_OPT_KIB,	 /* struct sgs_kib */
	SGS_OPT_RATE,	 /* uint64_t, bytes per second */
	SGS_OPT_TIME,	 /* uint64_t, ns */
	SGS_OPT_NUMBER,	 /* uint64_t */
	SGS_OPT_SMALL,	 /* unsigned, may be 0 */
	SGS_OPT_NATURAL, /* unsigned */
	SGS_OPT_CDB,
	SGS_OPT_PATTERN,
	SGS_OPT_PATHS,
	SGS_OPT_NUMA, /* bool: off */
	SGS_OPT_PROGRESS,
	SGS_OPT_ON_ERROR, /* bool: skip */
	SGS_OPT_FILE,	  /* struct sgs_file_option */
	SGS_OPT_OPTIONAL_FILE,
};

struct sgs_option {
	char letter; /* 0 when it has none */
	const char *name;
	enum sgs_option_kind kind;
	size_t offset; /* in struct sgs_options */
	const char *argument;
	const char *help;
};

struct sgs_option_table {
	const struct sgs_option *rows;
	size_t n;
};

/* read.c: what other commands share. */
extern const struct sgs_option_table sgs_read_options;

/* Copies the rows with these names (a list that NULL ends) to rows, which has room for them.
 * Returns how many there are. */
size_t sgs_options_share(
	const struct sgs_option_table *from, const char *const *names, struct sgs_option *rows);

void sgs_options_init(struct sgs_options *options);

/* What argv says of an option with a file, also behind an error: --NAME or --NAME=FILE, with
 * needs_file also --NAME FILE. */
struct sgs_file_option sgs_find_file_option(
	int argc, char *const *argv, const char *name, bool needs_file);

/* Parses argv[1..]; options and devices may be mixed, "--" ends options. dd operands (if=, bs=,
 * count=, skip=, iflag=, of=/dev/null) are understood when dd is true. Returns 0 or a status.
 */
int sgs_options_parse(const struct sgs_option_table *table, bool dd, int argc, char **argv,
	struct sgs_options *options, struct sgs_error *err);

void sgs_options_help(FILE *out, const struct sgs_option_table *table);

void sgs_options_free(struct sgs_options *options);

/* cli/dd.c: 1 when word is a dd operand and was taken, 0 when it is none, else a status with
 * err. */
int sgs_dd_operand(
	const char *word, struct sgs_options *options, struct sgs_error *err, int *status);

#endif
