/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream list [options] [DEVICE...]
 */
#include <stdlib.h>

#include "cli/options.h"
#include "run/signals.h"

#define AT(member) offsetof(struct sgs_options, member)

static const struct sgs_option rows[] = {
	{ 0, "engines", SGS_OPT_FLAG, AT(engines), NULL,
		"for each device, which engines can run and why not" },
	{ 0, "topology", SGS_OPT_FLAG, AT(topology), NULL,
		"the way to each device as a tree: NUMA node, PCIe, adapter, ports, and what "
		"each link carries" },
	{ 0, "json", SGS_OPT_OPTIONAL_FILE, AT(json), "[=FILE]",
		"as JSON, alone on standard output" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL, "more about each device" },
	{ 'h', "help", SGS_OPT_FLAG, AT(help), NULL, "this help" },
};

static const struct sgs_option_table table = { rows, sizeof rows / sizeof *rows };

static int help(void)
{
	puts("Usage: sgstream list [OPTION]... [DEVICE]...\n"
	     "Show every sg node of this host, readable or not, or just the given devices.\n");
	sgs_options_help(stdout, &table);
	return 0;
}

/* Named devices become rows as found ones do: what is wrong with one does not hide the others.
 */
static int look_at(const struct sgs_options *options, struct sgs_device_row **out, size_t *n,
	struct sgs_error *err)
{
	struct sgs_device_row *found = calloc(options->n_devices, sizeof *found);

	if (!found)
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the list");
	for (size_t i = 0; i < options->n_devices; i++)
		sgs_device_open(options->devices[i], &found[i].device, &found[i].problem);
	*out = found;
	*n = options->n_devices;
	return 0;
}

static void note_problems(
	const struct sgs_device_row *list, size_t n, bool named, struct sgs_result *result)
{
	for (size_t i = 0; named && i < n; i++)
		if (list[i].problem.status)
			sgs_result_error(result, list[i].device.path, &list[i].problem);
}

static int list(const struct sgs_call *call, const struct sgs_options *options)
{
	struct sgs_result result = { 0 };
	struct sgs_device_row *found = NULL;
	struct sgs_error err = { 0 };
	bool named = options->n_devices > 0;
	size_t n = 0;
	int r = 0, status = named ? look_at(options, &found, &n, &err)
				  : sgs_device_list(&found, &n, &err);

	sgs_signals_reporting();
	if (status)
		sgs_result_error(&result, NULL, &err);
	note_problems(found, n, named, &result);
	if (sgs_sink())
		r = sgs_report_list_json(sgs_sink(), call, found, n,
			(options->engines ? SGS_LIST_ENGINES : 0) |
				(options->topology ? SGS_LIST_TOPOLOGY : 0),
			&result);
	if (sgs_sink_leaves_stdout() && options->engines)
		sgs_report_engines_text(stdout, found, n);
	else if (sgs_sink_leaves_stdout() && options->topology)
		sgs_report_topology_text(stdout, found, n);
	else if (sgs_sink_leaves_stdout() && !status)
		sgs_report_list_text(stdout, found, n);
	sgs_sink_flush();
	sgs_report_messages(stderr, &result, 0);
	status = result.exit_status;
	sgs_result_free(&result);
	free(found);
	return sgs_sink_close(r, status);
}

static int list_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct sgs_error err = { 0 };
	int status;

	sgs_options_init(&options);
	status = sgs_options_parse(&table, false, argc, argv, &options, &err);
	if (!status && options.help)
		status = sgs_sink_close(0, help());
	else if (status || (status = sgs_sink_open(&options, &err)))
		status = sgs_answer_error(call, &err);
	else
		status = list(call, &options);
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_list = {
	.name = "list",
	.summary = "show every sg node",
	.run = list_main,
};
