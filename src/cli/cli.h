/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the commands share: how a call is answered, whatever becomes of it.
 */
#ifndef SGS_CLI_CLI_H
#define SGS_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <sgstream/job.h>
#include <sgstream/result.h>

#include "report/report.h"

enum sgs_progress_mode { SGS_PROGRESS_AUTO, SGS_PROGRESS_ALWAYS, SGS_PROGRESS_NEVER };

/* Everything the command line can say, for all commands; each has a table of those it takes. */
struct sgs_options {
	struct sgs_job job;
	bool json; /* the object goes to json_file, or to standard output */
	const char *json_file;
	bool interval_given;
	enum sgs_progress_mode progress;
	bool dry_run;
	bool quiet;
	bool engines; /* list: what can run */
	unsigned verbose;
	bool help, version;
	const char *output;   /* file for the data, "-" for standard output */
	struct sgs_size skip; /* dd operand: counts in units of bs */
	char **devices;
	size_t n_devices;
};

/* A command: its words, and what it does. argv[0] is the command's name or the program's. */
struct sgs_command {
	const char *name;
	const char *summary;
	int (*run)(const struct sgs_call *call, int argc, char **argv);
};

extern const struct sgs_command sgs_command_read, sgs_command_list;

/* Where the JSON object of this call goes; NULL when it goes nowhere. Opened before the work
 * begins, so that a wrong name shows at once. */
struct sgs_sink;

/* Standard output for NULL or "-". */
int sgs_sink_open(const struct sgs_options *options, struct sgs_error *err);

/* The stream for the object, or NULL when --json was not given. */
FILE *sgs_sink(void);

/* Whether text belongs on standard output: not when the object does. */
bool sgs_sink_leaves_stdout(void);

/* Flushes what was written; r is what the report returned. A failed write becomes the status.
 */
int sgs_sink_close(int r, int status);

/* output.c: opens what --output names and hands it to the job. 0 or a status. */
int sgs_output_open(struct sgs_options *options, struct sgs_error *err);

/* The data goes to standard output, so that nothing else may. */
bool sgs_output_takes_stdout(const struct sgs_options *options);

/* Ends a call that never came to its run: messages on standard error, and the whole object with
 * --json. Returns the exit status. */
int sgs_answer_early(const struct sgs_call *call, struct sgs_result *result);

/* The same from one error. */
int sgs_answer_error(const struct sgs_call *call, const struct sgs_error *err);

#endif
