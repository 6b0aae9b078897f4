/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "sys/output.h"

static FILE *sink; /* of the JSON object */

int sgs_sink_open(const struct sgs_options *options, struct sgs_error *err)
{
	const char *file = options->json_file;
	int fd;

	if (!options->json)
		return 0;
	if (!file || !strcmp(file, "-")) {
		sink = stdout;
		return 0;
	}
	fd = sgs_sys_create_output(file);
	if (fd < 0)
		return sgs_fail(err, fd == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-fd),
			"cannot_write", "--json=%s: cannot write: %s", file,
			fd == -ENOTSUP ? "it is a device; give a file" : strerrordesc_np(-fd));
	sink = fdopen(fd, "w");
	return sink ? 0 : sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for --json");
}

FILE *sgs_sink(void)
{
	return sink;
}

bool sgs_sink_leaves_stdout(void)
{
	return sink != stdout;
}

int sgs_sink_close(int r, int status)
{
	if (sink && sink != stdout && fclose(sink) == EOF && !r)
		r = -errno;
	sink = NULL;
	if (fflush(stdout) == EOF && !r)
		r = -errno;
	if (r >= 0)
		return status;
	fprintf(stderr, "sgstream: the result could not be written: %s\n", strerrordesc_np(-r));
	return status ? status : sgs_status_from_errno(-r);
}

/* Before the options are known, --json may already stand among them. */
static void open_sink_early(const struct sgs_call *call)
{
	struct sgs_options options = { 0 };
	struct sgs_error err;

	options.json = sgs_wants_json(call->argc, (char **)call->argv, &options.json_file);
	if (!sink && sgs_sink_open(&options, &err)) {
		options.json_file = NULL;
		sgs_sink_open(&options, &err);
	}
}

int sgs_answer_early(const struct sgs_call *call, struct sgs_result *result)
{
	int status = result->exit_status, r = 0;

	open_sink_early(call);
	sgs_report_messages(stderr, result, 0);
	if (sink)
		r = sgs_report_json(sink, call, result, 1);
	sgs_result_free(result);
	return sgs_sink_close(r, status);
}

int sgs_answer_error(const struct sgs_call *call, const struct sgs_error *err)
{
	struct sgs_result result = { 0 };

	sgs_result_error(&result, NULL, err);
	return sgs_answer_early(call, &result);
}
