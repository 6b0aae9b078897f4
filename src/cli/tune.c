/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream tune [options] DEVICE...
 */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/watch.h"
#include "report/tune.h"
#include "run/signals.h"

#define AT(member)  offsetof(struct sgs_options, member)
#define AXIS(kind)  AT(sweep.axes[SGS_AXIS_##kind])
#define STEP_NS	    200000000u
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const char default_qd[] = "1..64";

static const struct sgs_option own[] = {
	{ 'b', "bs", SGS_OPT_STRING, AXIS(BS), "LIST",
		"block sizes to choose from (default 4k..1M); 8blk..2048blk are logical "
		"blocks" },
	{ 'q', "qd", SGS_OPT_STRING, AXIS(QD), "LIST",
		"depths to choose from (default 1..64, as far as the devices' queues go)" },
	{ 0, "runtime", SGS_OPT_TIME, AT(job.runtime_ns), "TIME",
		"of each step (default 200ms)" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL, "also each step" },
	{ 0, "json", SGS_OPT_OPTIONAL_FILE, AT(json), "[=FILE]",
		"the result as JSON, alone on standard output" },
};

static const char *const shared[] = { "engine", "cdb", "timeout", "retries", "touch", "pattern",
	"cpus", "numa", "max-transfer", "allow-dio", "progress", "quiet", "help", NULL };

static struct sgs_option rows[COUNT(own) + COUNT(shared)];
static struct sgs_option_table table = { rows, 0 };

struct trip {
	const struct sgs_call *call;
	const struct sgs_options *options;
	struct sgs_watcher watcher;
	struct sgs_axis axes[SGS_AXES];
	struct sgs_tune tune;
};

static void make_table(void)
{
	memcpy(rows, own, sizeof own);
	table.n = COUNT(own) + sgs_options_share(&sgs_read_options, shared, rows + COUNT(own));
}

static int help(void)
{
	puts("Usage: sgstream tune [OPTION]... DEVICE...\n"
	     "Find the smallest block size, and for it the smallest depth, that reach 98 % of "
	     "the best rate, on\n"
	     "each device and on all together, in short steps that are measured in turn; and "
	     "print the command\n"
	     "line to use.\n\n"
	     "  sgstream tune /dev/sg1\n"
	     "  sgstream tune -b 64k,256k,1M -q 1..16 /dev/sg[0-7]\n");
	sgs_options_help(stdout, &table);
	puts("\nLIST: values with commas, or a range that doubles and has both its bounds: "
	     "4k,64k or 4k..1M.");
	return 0;
}

static void watch(const struct sgs_tune *tune, const struct sgs_tune_target *target,
	const struct sgs_cell *cell, size_t number, size_t most, void *arg)
{
	const struct trip *trip = arg;

	if (trip->watcher.bar)
		sgs_report_tune_step(
			stderr, tune, target, cell, number, most, trip->watcher.columns);
}

static int report(struct trip *trip)
{
	const struct sgs_result *sum = &trip->tune.grid.sum;
	int r = 0;

	if (sgs_sink())
		r = sgs_report_tune_json(sgs_sink(), trip->call, &trip->tune);
	if (sgs_sink_leaves_stdout())
		sgs_report_tune_text(stdout, &trip->tune, (int)trip->options->verbose);
	sgs_sink_flush();
	sgs_report_messages(stderr, sum, trip->options->quiet);
	return sgs_sink_close(r, sum->exit_status);
}

static int run(struct trip *trip)
{
	const struct sgs_tune_observer observer = { watch, trip };

	sgs_signals_running();
	sgs_tune(&trip->tune, &observer);
	sgs_signals_reporting();
	if (trip->watcher.bar)
		sgs_report_tune_wipe(stderr, trip->watcher.columns);
	return report(trip);
}

/* The engine is the same for all points. */
static void choose_engine(struct sgs_axis *axis, const char *engine)
{
	if (!engine)
		return;
	axis->given = true;
	snprintf(axis->words[0], sizeof axis->words[0], "%s", engine);
}

static int prepare(struct trip *trip, struct sgs_options *options, struct sgs_error *err)
{
	bool qd_given = options->sweep.axes[SGS_AXIS_QD] != NULL;
	int status;

	if (!qd_given)
		options->sweep.axes[SGS_AXIS_QD] = default_qd;
	if (!options->job.runtime_ns)
		options->job.runtime_ns = STEP_NS;
	status = sgs_axes_parse(&options->sweep, trip->axes, err);
	trip->axes[SGS_AXIS_QD].given = qd_given;
	choose_engine(&trip->axes[SGS_AXIS_ENGINE], options->job.engine);
	if (!status && !options->n_devices)
		status = sgs_fail(err, SGS_USAGE, "no_device",
			"no device is given; sgstream list shows them");
	return status ? status : sgs_sink_open(options, err);
}

static int tune(struct trip *trip)
{
	const struct sgs_options *options = trip->options;
	struct sgs_device *devices;
	struct sgs_error err = { 0 };
	int status = 0;

	devices = sgs_open_devices(options, trip->call, &status);
	if (!devices)
		return status;
	status = sgs_tune_make(&trip->tune, &options->job, &options->sweep, trip->axes, devices,
		options->n_devices, &err);
	if (status) {
		sgs_signals_reporting();
		status = sgs_answer_error(trip->call, &err);
	} else {
		status = run(trip);
	}
	sgs_tune_free(&trip->tune);
	free(devices);
	return status;
}

static int tune_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct trip trip = { .call = call, .options = &options };
	struct sgs_error err = { 0 };
	int status;

	make_table();
	sgs_options_init(&options);
	status = sgs_options_parse(&table, false, argc, argv, &options, &err);
	if (!status && options.help) {
		status = sgs_sink_close(0, help());
	} else if (status || (status = prepare(&trip, &options, &err))) {
		status = sgs_answer_error(call, &err);
	} else {
		trip.watcher = sgs_watcher_choose(&options);
		status = tune(&trip);
	}
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_tune = {
	.name = "tune",
	.summary = "the smallest block size and depth that are fast enough",
	.run = tune_main,
};
