/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --bad-list: the blocks that could not be read, for other tools. A line a range, behind one of
 * names: device, first LBA, blocks, bytes of a block, between tabs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "sys/output.h"

static int only_with_skip(const char *option, struct sgs_error *err)
{
	return sgs_fail(err, SGS_CONTRADICT, "needs_skip",
		"%s is about blocks that are left out; give --on-error skip with it", option);
}

static int cannot_write(const char *file, int r, struct sgs_error *err)
{
	return sgs_fail(err, r == -ENOTSUP ? SGS_FILE : sgs_status_from_errno(-r),
		"cannot_write", "--bad-list %s: cannot write: %s", file,
		r == -ENOTSUP ? "only a regular file is replaced; give one"
			      : strerrordesc_np(-r));
}

static bool is_used(const struct sgs_options *options, const char *file)
{
	const char *const others[] = { options->output, options->json.file, options->csv.file,
		options->openmetrics.file };

	for (size_t i = 0; i < options->n_devices; i++)
		if (sgs_sys_same_file(file, options->devices[i]))
			return true;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i] &&
			(!strcmp(file, others[i]) || sgs_sys_same_file(file, others[i])))
			return true;
	return false;
}

int sgs_bad_list_check(struct sgs_options *options, struct sgs_error *err)
{
	const char *file = options->bad_list;
	int r;

	if (options->max_errors && !options->job.skip)
		return only_with_skip("--max-errors", err);
	if (options->max_errors)
		options->job.max_bad_blocks = options->max_errors;
	if (!file)
		return 0;
	if (!options->job.skip)
		return only_with_skip("--bad-list", err);
	if (is_used(options, file))
		return sgs_fail(err, SGS_CONTRADICT, "same_file",
			"--bad-list %s is read or written already; give another file", file);
	r = sgs_sys_may_replace(file);
	return r ? cannot_write(file, r, err) : 0;
}

static void print_device(FILE *out, const struct sgs_device_result *d)
{
	for (size_t i = 0; i < d->n_bad; i++)
		fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%u\n", d->device.path,
			d->bad[i].first, d->bad[i].count, d->device.block_bytes);
}

static int write_list(const char *file, const struct sgs_result *result)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (!out)
		return -ENOMEM;
	fputs("device\tfirst_lba\tblocks\tblock_bytes\n", out);
	for (size_t i = 0; i < result->run.n_devices; i++)
		print_device(out, &result->run.devices[i]);
	r = fclose(out) ? -ENOMEM : sgs_sys_replace(file, text, len);
	free(text);
	return r;
}

int sgs_bad_list_write(
	const struct sgs_options *options, const struct sgs_result *result, int status)
{
	struct sgs_error err;
	int r;

	if (!options->bad_list || !result->run.started)
		return status;
	r = write_list(options->bad_list, result);
	if (!r)
		return status;
	cannot_write(options->bad_list, r, &err);
	fprintf(stderr, "sgstream: %s\n", err.text);
	return status ? status : err.status;
}
