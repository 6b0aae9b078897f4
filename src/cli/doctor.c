/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream doctor [options] [DEVICE...]
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "report/doctor.h"
#include "run/signals.h"

#define AT(member) offsetof(struct sgs_options, member)
#define LARGEST	   (1u << 30)

static const struct sgs_option rows[] = {
	{ 'b', "bs", SGS_OPT_SIZE, AT(job.bs), "SIZE",
		"the block size that is wanted (default 64k)" },
	{ 0, "json", SGS_OPT_OPTIONAL_FILE, AT(json), "[=FILE]",
		"as JSON, alone on standard output" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL, "also what is as it should be" },
	{ 'h', "help", SGS_OPT_FLAG, AT(help), NULL, "this help" },
};

static const struct sgs_option_table table = { rows, sizeof rows / sizeof *rows };

static int help(void)
{
	puts("Usage: sgstream doctor [OPTION]... [DEVICE]...\n"
	     "Say what keeps sgstream from its best on this host and on all sg nodes, or the "
	     "given\n"
	     "devices, and the command that mends it. Nothing is changed.\n");
	sgs_options_help(stdout, &table);
	return 0;
}

static int check_bs(const struct sgs_size *bs, struct sgs_error *err)
{
	if (bs->value == 0)
		return sgs_fail(err, SGS_USAGE, "bad_value",
			"--bs: '0%s' is no block size; give at least one block",
			bs->in_blocks ? "blk" : "");
	if (bs->value > LARGEST)
		return sgs_fail(err, SGS_USAGE, "bad_size",
			"--bs of %llu %s is above 1 GiB, the most for one command; use a "
			"smaller one",
			(unsigned long long)bs->value, bs->in_blocks ? "blocks" : "bytes");
	return 0;
}

/* A device that is there is looked at, also when it cannot be opened; another is an error. */
static bool can_be_looked_at(const struct sgs_device_row *row)
{
	return row->device.node != SGS_NODE_NONE &&
	       strcmp(row->problem.code, "wrong_device_type") != 0;
}

static void look_at(const struct sgs_options *options, struct sgs_device_row **out, size_t *n,
	struct sgs_result *result)
{
	struct sgs_device_row *found = calloc(options->n_devices, sizeof *found), *row = found;
	struct sgs_error err;

	if (!found) {
		sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory for the devices");
		sgs_result_error(result, NULL, &err);
		return;
	}
	for (size_t i = 0; i < options->n_devices; i++) {
		memset(row, 0, sizeof *row);
		sgs_device_open(options->devices[i], &row->device, &row->problem);
		if (can_be_looked_at(row))
			row++;
		else
			sgs_result_error(result, options->devices[i], &row->problem);
	}
	*out = found;
	*n = (size_t)(row - found);
}

/* That there is no sg driver is found by a check, and is no reason not to look at the host. */
static void look_at_all(struct sgs_device_row **out, size_t *n, struct sgs_result *result)
{
	struct sgs_error err = { 0 };

	if (sgs_device_list(out, n, &err) && strcmp(err.code, "no_sg") != 0)
		sgs_result_error(result, NULL, &err);
}

static int report(const struct sgs_call *call, const struct sgs_options *options,
	const struct sgs_doctor *doctor, const struct sgs_findings *findings,
	struct sgs_result *result)
{
	int status = result->exit_status, r = 0;

	sgs_signals_reporting();
	if (sgs_sink())
		r = sgs_report_doctor_json(sgs_sink(), call, findings, result);
	if (sgs_sink_leaves_stdout())
		sgs_report_doctor_text(stdout, doctor, findings, (int)options->verbose);
	sgs_sink_flush();
	sgs_report_messages(stderr, result, 0);
	return sgs_sink_close(r, status);
}

static int doctor(const struct sgs_call *call, const struct sgs_options *options)
{
	struct sgs_doctor patient = { .bs = options->job.bs, .root = geteuid() == 0 };
	struct sgs_findings findings = { 0 };
	struct sgs_result result = { 0 };
	struct sgs_device_row *found = NULL;
	struct sgs_error err;
	int status;

	if (options->n_devices > 0)
		look_at(options, &found, &patient.n, &result);
	else
		look_at_all(&found, &patient.n, &result);
	patient.rows = found;
	if (sgs_doctor_examine(&patient, &findings) < 0) {
		sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory for all that was found");
		sgs_result_error(&result, NULL, &err);
	}
	status = report(call, options, &patient, &findings, &result);
	sgs_findings_free(&findings);
	sgs_result_free(&result);
	free(found);
	return status;
}

static int doctor_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct sgs_error err = { 0 };
	int status;

	sgs_options_init(&options);
	status = sgs_options_parse(&table, false, argc, argv, &options, &err);
	if (!status && options.help)
		status = sgs_sink_close(0, help());
	else if (status || (status = check_bs(&options.job.bs, &err)) ||
		 (status = sgs_sink_open(&options, &err)))
		status = sgs_answer_error(call, &err);
	else
		status = doctor(call, &options);
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_doctor = {
	.name = "doctor",
	.summary = "say what keeps sgstream from its best here, and what mends it",
	.run = doctor_main,
};
