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
#include "run/sweep.h"

enum sgs_progress_mode { SGS_PROGRESS_AUTO, SGS_PROGRESS_ALWAYS, SGS_PROGRESS_NEVER };

/* A report that was asked for, and its file: NULL or "-" is standard output. */
struct sgs_file_option {
	bool wanted;
	const char *file;
};

/* plan: its question, as it was written. */
struct sgs_plan_words {
	const char *target, *stream_rate, *headroom, *controller_ceiling;
	const char *engine;
	unsigned streams, max_drives, max_controllers, max_hosts, cores, queue_depth;
	struct sgs_size frame, bs;
	uint64_t deadline_ns;
	bool by_host;
	const char *plot;
};

/* Everything the command line can say, for all commands; each has a table of those it takes. */
struct sgs_options {
	struct sgs_job job;
	struct sgs_file_option json, csv, openmetrics;
	bool interval_given;
	enum sgs_progress_mode progress;
	bool dry_run;
	bool quiet;
	bool engines;  /* list: what can run */
	bool topology; /* list: the way to each */
	unsigned verbose;
	bool help, version;
	uint64_t max_errors;		  /* 0: the default */
	const char *bad_list;		  /* file */
	const char *output;		  /* file for the data, "-" for standard output */
	const char *iflag, *iflag_engine; /* dd operand, and the engine it means */
	struct sgs_size skip;		  /* dd operand: counts in units of bs */
	const char *contenders;		  /* compare: names of engines */
	uint64_t rounds;		  /* compare */
	unsigned warmup;
	const char *fail_below;
	struct sgs_sweep_wish sweep;
	uint64_t seed;	    /* sweep: of the order of its cells */
	const char *resume; /* sweep */
	struct sgs_plan_words plan;
	char **devices;
	size_t n_devices;
};

/* A command: its words, and what it does. argv[0] is the command's name or the program's. */
struct sgs_command {
	const char *name;
	const char *summary;
	int (*run)(const struct sgs_call *call, int argc, char **argv);
};

extern const struct sgs_command sgs_command_read, sgs_command_list, sgs_command_doctor,
	sgs_command_compare, sgs_command_sweep, sgs_command_tune, sgs_command_plan,
	sgs_command_report;

/* sink.c: where the reports for programs go, one sink for each format that was asked for.
 * Opened before the work begins, so that a wrong name shows at once. 0 or a status. */
int sgs_sink_open(const struct sgs_options *options, struct sgs_error *err);

/* Opens what stands in the call's argv and is not open, as far as that is possible: for an
 * answer from before the options are known. Who reads a pipe is waited for only with wait. */
void sgs_sink_open_early(const struct sgs_call *call, bool wait);

/* The stream for a command's own JSON object, or NULL when --json was not given. */
FILE *sgs_sink(void);

/* Whether text belongs on standard output: not when a report does. */
bool sgs_sink_leaves_stdout(void);

/* Writes the results in each format. What could not be written is told by sgs_sink_close(). */
void sgs_sink_report(const struct sgs_call *call, const struct sgs_result *results, size_t n);

/* Flushes standard output before something goes to standard error. */
void sgs_sink_flush(void);

/* Flushes what was written; r is what a command's own JSON report returned, or 0. A failed
 * write becomes the status, unless there is one. */
int sgs_sink_close(int r, int status);

/* output.c: opens what --output names and hands it to the job. 0 or a status. */
int sgs_output_open(struct sgs_options *options, struct sgs_error *err);

/* The data goes to standard output, so that nothing else may. */
bool sgs_output_takes_stdout(const struct sgs_options *options);

/* badlist.c: --on-error skip and what belongs to it, before the run. 0 or a status. */
int sgs_bad_list_check(struct sgs_options *options, struct sgs_error *err);

/* Writes the bad blocks where --bad-list says. A failed write becomes the status, unless there
 * is one. */
int sgs_bad_list_write(
	const struct sgs_options *options, const struct sgs_result *result, int status);

/* devices.c: looks at all of them, for the caller to free(). NULL when one is no device: then
 * the call is answered, and *status is what to exit with. */
struct sgs_device *sgs_open_devices(
	const struct sgs_options *options, const struct sgs_call *call, int *status);

/* Ends a call that never came to its run: messages on standard error, and every report that was
 * asked for. Returns the exit status. */
int sgs_answer_early(const struct sgs_call *call, struct sgs_result *result);

/* The same from one error. */
int sgs_answer_error(const struct sgs_call *call, const struct sgs_error *err);

#endif
