/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the reports for programs go: each format to its file, one of them to standard output.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "sys/output.h"

#define AT(member) offsetof(struct sgs_options, member)

/* A format, and the option that asks for it. */
struct format {
	const char *name;
	size_t offset;	 /* of its struct sgs_file_option */
	bool of_all;	 /* every command has it, not only those that run */
	bool needs_file; /* the option always has a value */
	bool replaces;	 /* its file changes as a whole, at the end */
	int (*report)(FILE *out, const struct sgs_call *call, const struct sgs_result *results,
		size_t n, const char *file);
};

static int report_json(FILE *out, const struct sgs_call *call, const struct sgs_result *results,
	size_t n, const char *file)
{
	(void)file;
	return sgs_report_json(out, call, results, n);
}

static int report_csv(FILE *out, const struct sgs_call *call, const struct sgs_result *results,
	size_t n, const char *file)
{
	(void)file;
	return sgs_report_csv(out, call, results, n);
}

/* "sgstream" of "/var/lib/sgstream.prom" */
static char *run_name(const char *file)
{
	const char *base = file ? basename(file) : "", *dot = strrchr(base, '.');

	return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int report_openmetrics(FILE *out, const struct sgs_call *call,
	const struct sgs_result *results, size_t n, const char *file)
{
	char *name = run_name(file);
	int r = name ? sgs_report_openmetrics(out, call, results, n, name) : -ENOMEM;

	free(name);
	return r;
}

/* When two cannot have standard output, the first of them has it. */
static const struct format formats[] = {
	{ "json", AT(json), true, false, false, report_json },
	{ "csv", AT(csv), false, false, false, report_csv },
	{ "openmetrics", AT(openmetrics), false, true, true, report_openmetrics },
};

enum { JSON, FORMATS = sizeof formats / sizeof *formats };

static struct sink {
	bool open;
	const char *file; /* NULL: standard output */
	FILE *stream;	  /* NULL: the file is replaced at the end */
	int failure;	  /* -errno */
} sinks[FORMATS];

static int stdout_failure; /* the first: stdio forgets what it could not write */

static struct sgs_file_option *option_of(
	const struct format *format, const struct sgs_options *options)
{
	return (struct sgs_file_option *)((char *)options + format->offset);
}

static bool goes_to_stdout(const struct sgs_file_option *option)
{
	return option->wanted && (!option->file || !strcmp(option->file, "-"));
}

static bool goes_to_file(const struct sgs_file_option *option)
{
	return option->wanted && !goes_to_stdout(option);
}

static bool same_name(const char *a, const char *b)
{
	return !strcmp(a, b) || sgs_sys_same_file(a, b);
}

/* ---- opening ---- */

static int check_stdout(const struct sgs_options *options, struct sgs_error *err)
{
	const char *first = sgs_output_takes_stdout(options) ? "output -" : NULL;

	for (size_t i = 0; i < FORMATS; i++) {
		const char *name = formats[i].name;

		if (!goes_to_stdout(option_of(&formats[i], options)))
			continue;
		if (first)
			return sgs_fail(err, SGS_CONTRADICT, "both_on_stdout",
				"--%s and --%s both want standard output; give --%s=FILE",
				first, name, name);
		first = name;
	}
	return 0;
}

/* Nobody else's file: not what is to be read, and not that of another report. */
static int check_file(size_t index, const struct sgs_options *options, struct sgs_error *err)
{
	const struct format *format = &formats[index];
	const char *file = option_of(format, options)->file;

	for (size_t i = 0; i < options->n_devices; i++) /* the file's own word is no device */
		if (options->devices[i] != file && sgs_sys_same_file(file, options->devices[i]))
			return sgs_fail(err, SGS_USAGE, "same_file",
				"--%s=%s is what is to be read", format->name, file);
	if (sgs_sys_is_stdout(file))
		return sgs_fail(err, SGS_CONTRADICT, "both_on_stdout",
			"--%s=%s is standard output, where something else goes; give --%s=- "
			"for "
			"this report alone",
			format->name, file, format->name);
	if (options->output && same_name(file, options->output))
		return sgs_fail(err, SGS_CONTRADICT, "same_file",
			"--%s=%s is the file of --output", format->name, file);
	for (size_t i = 0; i < index; i++)
		if (goes_to_file(option_of(&formats[i], options)) &&
			same_name(file, option_of(&formats[i], options)->file))
			return sgs_fail(err, SGS_CONTRADICT, "same_file",
				"--%s=%s is the file of --%s", format->name, file,
				formats[i].name);
	return 0;
}

static int cannot_write(
	const struct format *format, const char *file, int r, struct sgs_error *err)
{
	const char *why = r != -ENOTSUP	     ? strerrordesc_np(-r)
			  : format->replaces ? "only a regular file is replaced; give one"
					     : "it is a device; give a file";

	return sgs_fail(err, r == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-r),
		"cannot_write", "--%s=%s: cannot write: %s", format->name, file, why);
}

/* A descriptor of an empty file, or -errno */
static int create(const char *file, bool wait)
{
	int fd = wait ? sgs_sys_await_output(file) : sgs_sys_open_output(file), r;

	if (fd < 0)
		return fd;
	r = sgs_sys_empty_output(fd);
	if (r)
		close(fd);
	return r ? r : fd;
}

static int open_file(size_t index, const char *file, bool wait, struct sgs_error *err)
{
	const struct format *format = &formats[index];
	struct sink *sink = &sinks[index];
	int r = format->replaces ? sgs_sys_may_replace(file) : create(file, wait);

	if (r < 0)
		return cannot_write(format, file, r, err);
	sink->file = file;
	if (!format->replaces)
		sink->stream = fdopen(r, "w");
	sink->open = format->replaces || sink->stream;
	return sink->open ? 0 : cannot_write(format, file, -ENOMEM, err);
}

static int open_sink(
	size_t index, const struct sgs_options *options, bool wait, struct sgs_error *err)
{
	const struct sgs_file_option *option = option_of(&formats[index], options);
	int status;

	if (!option->wanted)
		return 0;
	if (goes_to_stdout(option)) {
		sinks[index] = (struct sink){ .open = true, .stream = stdout };
		return 0;
	}
	status = check_file(index, options, err);
	return status ? status : open_file(index, option->file, wait, err);
}

int sgs_sink_open(const struct sgs_options *options, struct sgs_error *err)
{
	int status = check_stdout(options, err);

	for (size_t i = 0; !status && i < FORMATS; i++)
		status = open_sink(i, options, true, err);
	return status;
}

/* A format that cannot have its file may still have standard output: the object of --json is
 * there whatever happens. */
static void open_early(size_t index, struct sgs_options *options, bool wait)
{
	struct sgs_file_option *option = option_of(&formats[index], options);
	struct sgs_error err;

	if (sinks[index].open || (goes_to_stdout(option) && !sgs_sink_leaves_stdout()))
		return;
	if (open_sink(index, options, wait, &err) && index == JSON) {
		option->file = NULL;
		open_sink(index, options, wait, &err);
	}
}

/* The file of a sweep may hold cells that are measured: no early answer is worth them. */
static bool may_hold_cells(const struct sgs_call *call, const struct sgs_file_option *option)
{
	struct stat st;

	return !strcmp(call->command, "sweep") && goes_to_file(option) &&
	       !stat(option->file, &st) && S_ISREG(st.st_mode) && st.st_size;
}

void sgs_sink_open_early(const struct sgs_call *call, bool wait)
{
	struct sgs_options options = {
		.devices = (char **)call->argv, /* any of the words may be one */
		.n_devices = (size_t)call->argc,
	};

	for (size_t i = 0; i < FORMATS; i++) {
		struct sgs_file_option *option = option_of(&formats[i], &options);

		if (!formats[i].of_all && strcmp(call->command, "read") != 0)
			continue;
		*option = sgs_find_file_option(
			call->argc, call->argv, formats[i].name, formats[i].needs_file);
		if (may_hold_cells(call, option))
			option->wanted = false;
	}
	for (size_t i = 0; i < FORMATS; i++)
		open_early(i, &options, wait);
}

/* ---- writing ---- */

FILE *sgs_sink(void)
{
	return sinks[JSON].stream;
}

bool sgs_sink_leaves_stdout(void)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (sinks[i].stream == stdout)
			return false;
	return true;
}

/* A dry run is no news: what is known of the last real one stays. */
static bool has_news(const struct sgs_result *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (results[i].run.started || results[i].exit_status)
			return true;
	return false;
}

static int replace(
	size_t index, const struct sgs_call *call, const struct sgs_result *results, size_t n)
{
	const char *file = sinks[index].file;
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int r;

	if (!has_news(results, n))
		return 0;
	out = open_memstream(&text, &len);
	if (!out)
		return -ENOMEM;
	r = formats[index].report(out, call, results, n, file);
	if (fclose(out) == EOF && !r)
		r = -ENOMEM;
	if (!r)
		r = sgs_sys_replace(file, text, len);
	free(text);
	return r;
}

static void report(
	size_t index, const struct sgs_call *call, const struct sgs_result *results, size_t n)
{
	struct sink *sink = &sinks[index];

	if (sink->stream)
		sink->failure =
			formats[index].report(sink->stream, call, results, n, sink->file);
	else
		sink->failure = replace(index, call, results, n);
}

/* Standard output is last: should its reader be gone, the files are written. */
void sgs_sink_report(const struct sgs_call *call, const struct sgs_result *results, size_t n)
{
	for (size_t i = FORMATS; i-- > 0;)
		if (sinks[i].open && sinks[i].stream != stdout)
			report(i, call, results, n);
	for (size_t i = 0; i < FORMATS; i++)
		if (sinks[i].open && sinks[i].stream == stdout)
			report(i, call, results, n);
}

/* ---- the end ---- */

static int not_written(const struct format *format, const char *file, int r, int status)
{
	struct sgs_error err;

	if (file)
		sgs_fail(&err, sgs_status_from_errno(-r), "not_written",
			"the result could not be written: %s (--%s=%s)", strerrordesc_np(-r),
			format->name, file);
	else
		sgs_fail(&err, sgs_status_from_errno(-r), "not_written",
			"the result could not be written: %s", strerrordesc_np(-r));
	fprintf(stderr, "sgstream: %s\n", err.text);
	return status ? status : err.status;
}

static void note_stdout(int r)
{
	if (!stdout_failure)
		stdout_failure = r;
}

void sgs_sink_flush(void)
{
	if (fflush(stdout) == EOF)
		note_stdout(-errno);
}

static int close_sink(size_t index, int status)
{
	struct sink sink = sinks[index];

	sinks[index] = (struct sink){ 0 };
	if (sink.stream == stdout) {
		note_stdout(sink.failure);
		return status;
	}
	if (sink.stream && fclose(sink.stream) == EOF && !sink.failure)
		sink.failure = -errno;
	if (!sink.failure)
		return status;
	return not_written(&formats[index], sink.file, sink.failure, status);
}

int sgs_sink_close(int r, int status)
{
	if (r < 0)
		sinks[JSON].failure = r;
	for (size_t i = 0; i < FORMATS; i++)
		status = close_sink(i, status);
	sgs_sink_flush();
	if (ferror(stdout)) /* of which nobody has said why */
		note_stdout(-EIO);
	return stdout_failure ? not_written(NULL, NULL, stdout_failure, status) : status;
}
