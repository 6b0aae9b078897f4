/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream sweep [options] DEVICE...
 *
 * With --json=FILE the file is replaced after each cell, so that no more than one is ever lost.
 * A file that has an interrupted sweep is taken up, or refused when that was another one; it is
 * never written over. --resume FILE takes up any, and the result goes there again unless --json
 * names another file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/watch.h"
#include "report/sweep.h"
#include "run/signals.h"
#include "sys/output.h"
#include "util/random.h"

#define AT(member)  offsetof(struct sgs_options, member)
#define AXIS(kind)  AT(sweep.axes[SGS_AXIS_##kind])
#define RUNTIME_NS  1000000000u /* of a cell, when nothing else ends it */
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const struct sgs_option own[] = {
	{ 'b', "bs", SGS_OPT_STRING, AXIS(BS), "LIST",
		"bytes per command (default 4k..1M, with --offsets 256k); 8blk..2048blk are "
		"logical blocks" },
	{ 'q', "qd", SGS_OPT_STRING, AXIS(QD), "LIST",
		"commands in flight per device (default: one per thread)" },
	{ 'j', "threads", SGS_OPT_STRING, AXIS(THREADS), "LIST",
		"reader threads per device (default: as the depth asks)" },
	{ 0, "engines", SGS_OPT_STRING, AXIS(ENGINE), "A,B,...",
		"paths to the data (default: as read has it)" },
	{ 0, "devices", SGS_OPT_STRING, AXIS(DEVICES), "LIST",
		"the first so many of the devices (default: all)" },
	{ 0, "offsets", SGS_OPT_STRING, AXIS(OFFSET), "LIST",
		"places in per cent of the capacity: 0%,10%..100% profiles a drive; each a "
		"hundredth of it long, unless --size or --count says" },
	{ 0, "read-ahead", SGS_OPT_STRING, AXIS(READ_AHEAD), "LIST",
		"read-ahead of the block node; put back after each cell" },
	{ 0, "scheduler", SGS_OPT_STRING, AXIS(SCHEDULER), "A,B,...",
		"I/O schedulers of the block node; put back after each cell" },
	{ 0, "runtime", SGS_OPT_TIME, AT(job.runtime_ns), "TIME",
		"of each cell; 1s when no count, size or time is given" },
	{ 0, "seed", SGS_OPT_NUMBER, AT(seed), "N",
		"of the random order of the cells (default: another each time)" },
	{ 0, "resume", SGS_OPT_STRING, AT(resume), "FILE",
		"measure what is missing in the JSON of an interrupted sweep, and write it "
		"there again" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL,
		"also CPU seconds per GiB and the 99th percentile of each cell" },
	{ 0, "json", SGS_OPT_OPTIONAL_FILE, AT(json), "[=FILE]",
		"the result as JSON; FILE is replaced after each cell, and an interrupted "
		"sweep in it is gone on with" },
};

static const char *const shared[] = { "count", "size", "offset", "loop", "cdb", "timeout",
	"retries", "iovecs", "touch", "max-transfer", "allow-dio", "progress", "quiet", "help",
	NULL };

static struct sgs_option rows[COUNT(own) + COUNT(shared)];
static struct sgs_option_table table = { rows, 0 };

static void make_table(void)
{
	memcpy(rows, own, sizeof own);
	table.n = COUNT(own) + sgs_options_share(&sgs_read_options, shared, rows + COUNT(own));
}

static int help(void)
{
	puts("Usage: sgstream sweep [OPTION]... DEVICE...\n"
	     "Read once for each combination of block size, queue depth and what else has a "
	     "LIST, in random\n"
	     "order, and show the rates as a matrix. What goes through the page cache finds "
	     "it empty.\n\n"
	     "  sgstream sweep -q 1..32 --json=sweep.json /dev/sg1\n"
	     "  sgstream sweep -b 64k,1M --devices 1..8 --loop /dev/sg[0-7]\n"
	     "  sgstream sweep -b 512k --offsets 0%,10%..100% /dev/sg1\n");
	sgs_options_help(stdout, &table);
	puts("\nLIST: values with commas, or a range that doubles and has both its bounds: "
	     "4k,64k or 4k..1M.\n"
	     "Of --offsets it goes on in the step before it: 0%,5%..100%.");
	return 0;
}

/* ---- the file ---- */

/* What a sweep has on its way through this file. */
struct trip {
	const struct sgs_call *call;
	const struct sgs_options *options;
	const char *file; /* replaced after each cell; NULL: none */
	bool unwritten;	  /* it could not be, which has been said */
	struct sgs_watcher watcher;
	struct sgs_axis axes[SGS_AXES];
	struct sgs_sweep sweep;
	struct sgs_sweep_record *record;
};

static int cannot_write(const char *file, int r, struct sgs_error *err)
{
	return sgs_fail(err, sgs_status_from_errno(-r), "cannot_write",
		"%s: the result cannot be written: %s", file, strerrordesc_np(-r));
}

static int write_file(const struct trip *trip, bool under_way, struct sgs_error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = trip->file ? open_memstream(&text, &len) : NULL;
	int r = 0;

	if (!trip->file)
		return 0;
	if (!out)
		return cannot_write(trip->file, -ENOMEM, err);
	r = sgs_report_sweep_json(out, trip->call, &trip->sweep, trip->record, under_way);
	if (fclose(out) == EOF && !r)
		r = -ENOMEM;
	if (!r)
		r = sgs_sys_replace(trip->file, text, len);
	free(text);
	return r ? cannot_write(trip->file, r, err) : 0;
}

static const char *named_file(const struct sgs_options *options)
{
	const char *file = options->json.file;

	if (options->json.wanted && file && strcmp(file, "-") != 0)
		return file;
	return options->resume;
}

/* Pipes and their like, and what is standard output by another name, cannot be replaced: they
 * get the result at the end, as any report. */
static bool only_at_the_end(struct sgs_options *options, const char *file, int r)
{
	if (file == options->resume)
		return false;
	if (sgs_sys_same_file(file, "/dev/stdout"))
		options->json.file = NULL;
	return !options->json.file || r == -ENOTSUP;
}

static int choose_file(struct trip *trip, struct sgs_options *options, struct sgs_error *err)
{
	const char *file = named_file(options);
	int r = file ? sgs_sys_may_replace(file) : 0;

	if (!file || only_at_the_end(options, file, r))
		return 0;
	for (size_t i = 0; i < options->n_devices; i++)
		if (sgs_sys_same_file(file, options->devices[i]))
			return sgs_fail(err, SGS_USAGE, "same_file",
				"%s is what is to be read; name another file for the result",
				file);
	if (r)
		return cannot_write(file, r, err);
	trip->file = file;
	if (file == options->json.file)
		options->json.wanted = false;
	return 0;
}

static int resume(struct trip *trip, struct sgs_error *err)
{
	const struct sgs_options *options = trip->options;
	const char *file = options->resume ? options->resume : trip->file;
	struct sgs_sweep *sweep = &trip->sweep;
	bool found = false;
	int status;

	if (!file)
		return 0;
	status = sgs_sweep_resume(
		sweep, trip->record, file, options->seed != 0, !options->resume, &found, err);
	if (!status && found)
		sgs_result_message(&sweep->sum, SGS_INFO, NULL, "resumed",
			"%s: %zu of %zu cells are taken over", file, sweep->kept,
			sweep->n_cells);
	return status;
}

/* ---- the sweep ---- */

static void watch(const struct sgs_sweep_step *step, const struct sgs_progress *now, void *arg)
{
	const struct trip *trip = arg;

	if (trip->watcher.bar)
		sgs_report_sweep_progress(stderr, step, now, trip->watcher.columns);
	else if (now)
		sgs_report_sweep_line(stderr, step, now);
}

static int keep_cell(const struct sgs_sweep *sweep, size_t cell, const struct sgs_result *run,
	void *arg, struct sgs_error *err)
{
	struct trip *trip = arg;

	(void)sweep;
	if (run && sgs_sweep_record_add(trip->record, cell, run))
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the results");
	trip->unwritten = write_file(trip, true, err);
	return trip->unwritten ? err->status : 0;
}

static int report(struct trip *trip)
{
	const struct sgs_options *options = trip->options;
	struct sgs_sweep *sweep = &trip->sweep;
	struct sgs_error err = { 0 };
	int r = 0;

	if (!trip->unwritten && write_file(trip, false, &err))
		sgs_result_error(&sweep->sum, NULL, &err);
	if (sgs_sink())
		r = sgs_report_sweep_json(sgs_sink(), trip->call, sweep, trip->record, false);
	if (sgs_sink_leaves_stdout())
		sgs_report_sweep_text(stdout, sweep, (int)options->verbose);
	sgs_sink_flush();
	sgs_report_messages(stderr, &sweep->sum, options->quiet);
	return sgs_sink_close(r, sweep->sum.exit_status);
}

static int run(struct trip *trip)
{
	const struct sgs_sweep_observer observer = { watch, keep_cell, trip };

	sgs_signals_running();
	sgs_sweep(&trip->sweep, &observer);
	sgs_signals_reporting();
	if (trip->watcher.bar)
		sgs_report_sweep_progress(stderr, NULL, NULL, trip->watcher.columns);
	return report(trip);
}

/* ---- before it ---- */

static int make(struct trip *trip, const struct sgs_device *devices, struct sgs_error *err)
{
	const struct sgs_options *options = trip->options;
	struct sgs_job job = options->job;
	int status;

	if (!job.count && !job.size.value && !job.runtime_ns)
		job.runtime_ns = RUNTIME_NS;
	status = sgs_sweep_make(&trip->sweep, &job, &options->sweep, trip->axes, devices,
		options->n_devices, options->seed ? options->seed : sgs_random_seed(), err);
	if (status)
		return status;
	trip->record = sgs_sweep_record_new(&trip->sweep);
	if (!trip->record)
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the results");
	return resume(trip, err);
}

static int prepare(struct trip *trip, struct sgs_options *options, struct sgs_error *err)
{
	int status = sgs_axes_parse(&options->sweep, trip->axes, err);

	if (!status && !options->n_devices)
		status = sgs_fail(err, SGS_USAGE, "no_device",
			"no device is given; sgstream list shows them");
	if (!status && options->sweep.axes[SGS_AXIS_OFFSET] && options->job.offset.value)
		status = sgs_fail(err, SGS_CONTRADICT, "two_offsets",
			"--offset and --offsets both say where to begin; leave one of them "
			"out");
	if (!status)
		status = choose_file(trip, options, err);
	return status ? status : sgs_sink_open(options, err);
}

static int sweep(struct trip *trip)
{
	struct sgs_device *devices;
	struct sgs_error err = { 0 };
	int status = 0;

	devices = sgs_open_devices(trip->options, trip->call, &status);
	if (!devices)
		return status;
	status = make(trip, devices, &err);
	if (status) {
		sgs_signals_reporting();
		status = sgs_answer_error(trip->call, &err);
	} else {
		status = run(trip);
	}
	sgs_sweep_record_free(trip->record);
	sgs_sweep_free(&trip->sweep);
	free(devices);
	return status;
}

static int sweep_main(const struct sgs_call *call, int argc, char **argv)
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
		status = sweep(&trip);
	}
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_sweep = {
	.name = "sweep",
	.summary = "a matrix over block size, queue depth and more",
	.run = sweep_main,
};
