/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream [read] [options] DEVICE...
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/options.h"
#include "run/signals.h"

#define AT(member) offsetof(struct sgs_options, member)

static const struct sgs_option rows[] = {
	{ 'e', "engine", SGS_OPT_STRING, AT(job.engine), "ENGINE",
		"path to the data (sgstream list --engines); sg-mmap for /dev/sgN, else "
		"buffered" },
	{ 'b', "bs", SGS_OPT_SIZE, AT(job.bs), "SIZE",
		"bytes per command; 64blk is 64 logical blocks (default 64k)" },
	{ 'c', "count", SGS_OPT_NUMBER, AT(job.count), "N", "commands per device" },
	{ 0, "size", SGS_OPT_SIZE, AT(job.size), "SIZE", "bytes per device" },
	{ 0, "runtime", SGS_OPT_TIME, AT(job.runtime_ns), "TIME",
		"stop after TIME; without any of the three the whole device is read" },
	{ 0, "offset", SGS_OPT_SIZE, AT(job.offset), "SIZE", "where to begin (default 0)" },
	{ 0, "loop", SGS_OPT_FLAG, AT(job.loop), NULL,
		"start again at the end, until one of the three" },
	{ 'j', "threads", SGS_OPT_SMALL, AT(job.threads), "N",
		"reader threads per device (default 1)" },
	{ 'q', "qd", SGS_OPT_SMALL, AT(job.queue_depth), "N",
		"commands in flight per device (default: one per thread)" },
	{ 0, "cdb", SGS_OPT_CDB, AT(job.cdb), "auto|6|10|12|16",
		"READ CDB (default auto: 10, or 16 where needed)" },
	{ 0, "timeout", SGS_OPT_TIME, AT(job.timeout_ns), "TIME", "per command (default 60s)" },
	{ 0, "retries", SGS_OPT_SMALL, AT(job.retries), "N",
		"per command, for what can pass: unit attention, aborted, busy, transport "
		"(default 5)" },
	{ 0, "require-zero-copy", SGS_OPT_FLAG, AT(job.require_zero_copy), NULL,
		"exit 36 if any command was copied" },
	{ 'o', "output", SGS_OPT_STRING, AT(output), "FILE",
		"write the data out in device order, - for standard output" },
	{ 0, "iovecs", SGS_OPT_SMALL, AT(job.iovecs), "N",
		"buffered, direct: read into N vectors (preadv)" },
	{ 0, "touch", SGS_OPT_FLAG, AT(job.touch), NULL,
		"read every cache line of the data, as a consumer would" },
	{ 0, "digest", SGS_OPT_FLAG, AT(job.digest), NULL,
		"digest of all data, the same through every engine" },
	{ 0, "interval", SGS_OPT_TIME, AT(job.interval_ns), "TIME",
		"a line each TIME, and in the JSON" },
	{ 0, "progress", SGS_OPT_PROGRESS, AT(progress), "auto|always|never",
		"bar on standard error (default auto: on a terminal)" },
	{ 0, "json", SGS_OPT_JSON, 0, "[=FILE]",
		"the result as JSON, alone on standard output" },
	{ 0, "dry-run", SGS_OPT_FLAG, AT(dry_run), NULL,
		"say what would be read, and read nothing" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL,
		"more about the devices and latencies" },
	{ 0, "quiet", SGS_OPT_FLAG, AT(quiet), NULL, "errors and the result only" },
	{ 'h', "help", SGS_OPT_FLAG, AT(help), NULL, "this help" },
	{ 'V', "version", SGS_OPT_FLAG, AT(version), NULL, "version" },
};

static const struct sgs_option_table table = { rows, sizeof rows / sizeof *rows };

static int help(void)
{
	puts("Usage: sgstream [read] [OPTION]... DEVICE...\n"
	     "       sgstream list [OPTION]... [DEVICE]...\n"
	     "Stream from SCSI devices (/dev/sgN, /dev/sdX), block devices or files, and say "
	     "how fast and\n"
	     "at what cost. Nothing is ever written to a device.\n\n"
	     "  sgstream /dev/sg1 --bs 64k            the whole drive, no copy\n"
	     "  sgstream -e buffered /dev/sg1         the same drive through the page cache\n"
	     "  sgstream /dev/sg[0-7] -q 4 --loop --runtime 10s\n");
	sgs_options_help(stdout, &table);
	puts("\nSizes: k M G T P or KiB... are powers of 1024, kB MB... of 1000. Times: us ms "
	     "s m h.\n"
	     "dd's if= bs= count= skip= iflag=direct|dio|mmap are understood; bs= is bytes per "
	     "command.");
	return 0;
}

static int version(void)
{
	printf("sgstream %s (%s)\n", sgs_version, sgs_commit);
	return 0;
}

/* How the run is watched on standard error. */
struct watcher {
	bool bar, lines;
	int columns;
};

static void watch(const struct sgs_progress *now, void *arg)
{
	const struct watcher *w = arg;

	if (w->bar)
		sgs_report_progress(stderr, now, w->columns);
	else
		sgs_report_interval(stderr, now);
}

static int terminal_columns(void)
{
	struct winsize size = { 0 };

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

/* Asked-for intervals are lines; on a terminal a bar shows each second without being asked. */
static struct watcher choose_watcher(struct sgs_options *options)
{
	struct watcher w = { .columns = terminal_columns() };
	bool wanted = options->progress == SGS_PROGRESS_ALWAYS ||
		      (options->progress == SGS_PROGRESS_AUTO && !options->quiet &&
			      isatty(STDERR_FILENO));

	w.lines = options->job.interval_ns != 0;
	w.bar = wanted && !w.lines;
	if (w.bar)
		options->job.interval_ns = 1000000000u;
	return w;
}

/* skip= counts in transfers, so it is known only with bs. */
static int apply_skip(struct sgs_options *options, struct sgs_error *err)
{
	struct sgs_job *job = &options->job;

	if (!options->skip.value)
		return 0;
	job->offset.in_blocks = job->bs.in_blocks;
	if (__builtin_mul_overflow(options->skip.value, job->bs.value, &job->offset.value))
		return sgs_fail(err, SGS_USAGE, "bad_value", "skip=%llu times bs is too large",
			(unsigned long long)options->skip.value);
	return 0;
}

static int prepare(struct sgs_options *options, struct sgs_error *err)
{
	int status = apply_skip(options, err);

	if (!status && sgs_output_takes_stdout(options) && options->json && !options->json_file)
		status = sgs_fail(err, SGS_CONTRADICT, "both_on_stdout",
			"--output - and --json both want standard output; give --json=FILE");
	if (!status)
		status = sgs_sink_open(options, err);
	return status ? status : sgs_output_open(options, err);
}

static struct sgs_device *open_devices(
	const struct sgs_options *options, const struct sgs_call *call, int *status)
{
	struct sgs_device *devices =
		calloc(options->n_devices ? options->n_devices : 1, sizeof *devices);
	struct sgs_error err = { 0 };

	if (!devices) {
		*status = SGS_INTERNAL;
		return NULL;
	}
	for (size_t i = 0; i < options->n_devices; i++) {
		struct sgs_result result = { 0 };

		if (!sgs_device_open(options->devices[i], &devices[i], &err))
			continue;
		sgs_result_error(&result, options->devices[i], &err);
		sgs_signals_reporting();
		*status = sgs_answer_early(call, &result);
		free(devices);
		return NULL;
	}
	return devices;
}

static int report(const struct sgs_call *call, const struct sgs_options *options,
	struct sgs_result *result)
{
	int status = result->exit_status, r = 0;

	if (sgs_sink())
		r = sgs_report_json(sgs_sink(), call, result, 1);
	if (sgs_sink_leaves_stdout() && result->run.n_devices)
		sgs_report_text(sgs_output_takes_stdout(options) ? stderr : stdout, result,
			(int)options->verbose);
	fflush(stdout);
	sgs_report_messages(stderr, result, options->quiet);
	sgs_result_free(result);
	return sgs_sink_close(r, status);
}

static int run(const struct sgs_call *call, struct sgs_options *options)
{
	struct watcher watcher = choose_watcher(options);
	struct sgs_observer observer = { watch, &watcher };
	struct sgs_result result = { 0 };
	struct sgs_device *devices;
	int status = 0;

	devices = open_devices(options, call, &status);
	if (!devices)
		return status;
	sgs_signals_running();
	if (options->dry_run)
		sgs_plan(&options->job, devices, options->n_devices, &result);
	else
		sgs_run(&options->job, devices, options->n_devices, &observer, &result);
	sgs_signals_reporting();
	if (watcher.bar)
		sgs_report_progress(stderr, NULL, watcher.columns);
	status = report(call, options, &result);
	free(devices);
	return status;
}

static int read_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct sgs_error err = { 0 };
	int status;

	sgs_options_init(&options);
	status = sgs_options_parse(&table, true, argc, argv, &options, &err);
	if (!status && options.help)
		status = help();
	else if (!status && options.version)
		status = version();
	else if (status || (status = prepare(&options, &err)))
		status = sgs_answer_error(call, &err);
	else
		status = run(call, &options);
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_read = {
	.name = "read",
	.summary = "stream from devices and print the result",
	.run = read_main,
};
