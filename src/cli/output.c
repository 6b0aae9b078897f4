/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --output: where the data goes.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sys/output.h"

static bool is_stdout(const struct sgs_options *options)
{
	return options->output && !strcmp(options->output, "-");
}

bool sgs_output_takes_stdout(const struct sgs_options *options)
{
	return is_stdout(options);
}

static int check(const struct sgs_options *options, struct sgs_error *err)
{
	if (is_stdout(options) && isatty(STDOUT_FILENO))
		return sgs_fail(err, SGS_USAGE, "terminal",
			"--output -: standard output is a terminal; send it to a pipe or a "
			"file");
	if (!is_stdout(options) && sgs_sys_is_stdout(options->output))
		return sgs_fail(err, SGS_CONTRADICT, "both_on_stdout",
			"--output %s is standard output, where the result goes; give --output "
			"- "
			"for the data alone",
			options->output);
	for (size_t i = 0; i < options->n_devices; i++)
		if (sgs_sys_same_file(options->output, options->devices[i]))
			return sgs_fail(err, SGS_USAGE, "same_file",
				"--output %s is what is to be read", options->output);
	return 0;
}

static int cannot_write(const char *file, int r, struct sgs_error *err)
{
	return sgs_fail(err, r == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-r),
		"cannot_write", "--output %s: cannot write: %s", file,
		r == -ENOTSUP ? "it is a device, and sgstream writes to none; give a file"
			      : strerrordesc_np(-r));
}

/* A plan is made for an output, and nothing comes to it. */
static int open_none(const char *file)
{
	int r = sgs_sys_may_open_output(file);

	return r ? r : sgs_sys_open_output("/dev/null");
}

int sgs_output_open(struct sgs_options *options, struct sgs_error *err)
{
	struct sgs_job *job = &options->job;
	int status, fd = STDOUT_FILENO;

	if (!options->output)
		return 0;
	status = check(options, err);
	if (status)
		return status;
	if (!is_stdout(options))
		fd = options->dry_run ? open_none(options->output)
				      : sgs_sys_await_output(options->output);
	if (fd < 0)
		return cannot_write(options->output, fd, err);
	signal(SIGPIPE, SIG_IGN); /* a write then says EPIPE */
	job->output_fd = fd;
	job->output_replaces = !is_stdout(options);
	return 0;
}
