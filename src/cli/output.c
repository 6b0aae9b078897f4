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
	for (size_t i = 0; i < options->n_devices; i++)
		if (sgs_sys_same_file(options->output, options->devices[i]))
			return sgs_fail(err, SGS_USAGE, "same_file",
				"--output %s is what is to be read", options->output);
	return 0;
}

int sgs_output_open(struct sgs_options *options, struct sgs_error *err)
{
	int status, fd = STDOUT_FILENO;

	if (!options->output)
		return 0;
	status = check(options, err);
	if (status)
		return status;
	if (!is_stdout(options))
		fd = sgs_sys_create_output(options->output);
	if (fd < 0)
		return sgs_fail(err, fd == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-fd),
			"cannot_write", "--output %s: cannot write: %s", options->output,
			fd == -ENOTSUP
				? "it is a device, and sgstream writes to none; give a file"
				: strerrordesc_np(-fd));
	signal(SIGPIPE, SIG_IGN); /* a write then says EPIPE */
	options->job.output_fd = fd;
	return 0;
}
