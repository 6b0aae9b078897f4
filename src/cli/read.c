/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream [read] [options] DEVICE...
 */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/watch.h"
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
	{ 0, "offset", SGS_OPT_OFFSET, AT(job.offset), "SIZE", "where to begin (default 0)" },
	{ 0, "loop", SGS_OPT_FLAG, AT(job.loop), NULL,
		"start again at the end, until one of the three" },
	{ 'j', "threads", SGS_OPT_NATURAL, AT(job.threads), "N",
		"reader threads per device (default 1)" },
	{ 'q', "qd", SGS_OPT_NATURAL, AT(job.queue_depth), "N",
		"commands in flight per device (default: one per thread)" },
	{ 0, "pattern", SGS_OPT_PATTERN, AT(job.pattern), "seq|segments|random",
		"one after the other, an own share for each reader, or shuffled (default "
		"seq)" },
	{ 0, "seed", SGS_OPT_NUMBER, AT(job.seed), "N",
		"of the random order (default: another each time)" },
	{ 0, "paths", SGS_OPT_PATHS, AT(job.paths), "merge|each",
		"devices that are paths to one unit: read it once over all of them, or once "
		"over each" },
	{ 0, "rate", SGS_OPT_RATE, AT(job.pace.rate), "RATE",
		"at a pace: bytes per second of each stream, 300MB/s, in frames" },
	{ 0, "frame", SGS_OPT_SIZE, AT(job.pace.frame), "SIZE",
		"with --rate: bytes read at once, by commands of --bs in turn (default: "
		"--bs)" },
	{ 0, "streams", SGS_OPT_NATURAL, AT(job.pace.streams), "N",
		"with --rate: over all devices, each with a range of its own (default: one on "
		"each)" },
	{ 0, "deadline", SGS_OPT_TIME, AT(job.pace.deadline_ns), "TIME",
		"with --rate: for a frame, from when it is due; exit 36 if any is late "
		"(default: "
		"until the next one, and late ones are only counted)" },
	{ 0, "cdb", SGS_OPT_CDB, AT(job.cdb), "auto|6|10|12|16",
		"READ CDB (default auto: 10, or 16 where needed)" },
	{ 0, "timeout", SGS_OPT_TIME, AT(job.timeout_ns), "TIME", "per command (default 60s)" },
	{ 0, "retries", SGS_OPT_SMALL, AT(job.retries), "N",
		"per command, for what can pass: unit attention, aborted, transport (default "
		"5); "
		"a busy device is asked again until --timeout; 0: nothing is" },
	{ 0, "ready-timeout", SGS_OPT_TIME, AT(job.ready_timeout_ns), "TIME",
		"for a unit that is becoming ready (default 30s)" },
	{ 0, "on-error", SGS_OPT_ON_ERROR, AT(job.skip), "stop|skip",
		"what a bad block does: end the device (default), or be left out" },
	{ 0, "max-errors", SGS_OPT_NUMBER, AT(max_errors), "N",
		"bad blocks of a device that may be left out (default 65536)" },
	{ 0, "bad-list", SGS_OPT_STRING, AT(bad_list), "FILE",
		"write the bad blocks as ranges; FILE is replaced as a whole" },
	{ 0, "require-zero-copy", SGS_OPT_FLAG, AT(job.require_zero_copy), NULL,
		"exit 36 if any command was copied" },
	{ 0, "read-ahead", SGS_OPT_KIB, AT(job.settings.read_ahead), "SIZE",
		"read-ahead of the block node for the run; put back at its end" },
	{ 0, "scheduler", SGS_OPT_STRING, AT(job.settings.scheduler), "NAME",
		"I/O scheduler of the block node for the run" },
	{ 0, "max-transfer", SGS_OPT_KIB, AT(job.settings.max_transfer), "SIZE",
		"max_sectors_kb for the run; it caps sg's reserve buffer, too" },
	{ 0, "allow-dio", SGS_OPT_FLAG, AT(job.settings.allow_dio), NULL,
		"let sg do direct I/O (its allow_dio) for the run" },
	{ 0, "cpus", SGS_OPT_STRING, AT(job.cpus), "LIST",
		"CPUs of the readers and, by that, the NUMA node of their buffers (default: "
		"those of the controller's node)" },
	{ 0, "numa", SGS_OPT_NUMA, AT(job.numa_off), "auto|off", "off: readers run anywhere" },
	{ 0, "drop-caches", SGS_OPT_FLAG, AT(job.drop_caches), NULL,
		"empty the page cache of the devices before the clock runs" },
	{ 'o', "output", SGS_OPT_STRING, AT(output), "FILE",
		"write the data out in device order, - for standard output" },
	{ 0, "iovecs", SGS_OPT_NATURAL, AT(job.iovecs), "N",
		"buffered, direct: read into N vectors (preadv)" },
	{ 0, "touch", SGS_OPT_FLAG, AT(job.touch), NULL,
		"read every cache line of the data, as a consumer would" },
	{ 0, "digest", SGS_OPT_FLAG, AT(job.digest), NULL,
		"digest of all data, the same through every engine at one --bs" },
	{ 0, "interval", SGS_OPT_TIME, AT(job.interval_ns), "TIME",
		"a line each TIME, and in the JSON" },
	{ 0, "progress", SGS_OPT_PROGRESS, AT(progress), "WHEN",
		"bar on standard error: auto, always or never (default auto: on a terminal)" },
	{ 0, "json", SGS_OPT_OPTIONAL_FILE, AT(json), "[=FILE]",
		"the result as JSON, alone on standard output" },
	{ 0, "csv", SGS_OPT_OPTIONAL_FILE, AT(csv), "[=FILE]",
		"the result as CSV, alone on standard output" },
	{ 0, "openmetrics", SGS_OPT_FILE, AT(openmetrics), "FILE",
		"the result as metrics for Prometheus; FILE is replaced as a whole" },
	{ 0, "dry-run", SGS_OPT_FLAG, AT(dry_run), NULL,
		"say what would be read, and read nothing" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL,
		"more about the devices and latencies" },
	{ 0, "quiet", SGS_OPT_FLAG, AT(quiet), NULL, "errors and the result only" },
	{ 'h', "help", SGS_OPT_FLAG, AT(help), NULL, "this help" },
	{ 'V', "version", SGS_OPT_FLAG, AT(version), NULL, "version" },
};

const struct sgs_option_table sgs_read_options = { rows, sizeof rows / sizeof *rows };

static int help(void)
{
	puts("Usage: sgstream [read] [OPTION]... DEVICE...\n"
	     "       sgstream list [OPTION]... [DEVICE]...\n"
	     "       sgstream compare [OPTION]... DEVICE...\n"
	     "       sgstream sweep [OPTION]... DEVICE...\n"
	     "       sgstream tune [OPTION]... DEVICE...\n"
	     "       sgstream doctor [OPTION]... [DEVICE]...\n"
	     "       sgstream plan [OPTION]... RESULT.json...\n"
	     "       sgstream report RESULT... -o FILE.html\n"
	     "Stream from SCSI devices (/dev/sgN, /dev/sdX), block devices or files, and say "
	     "how fast and\n"
	     "at what cost. Nothing is ever written to a device.\n\n"
	     "  sgstream /dev/sg1 --bs 64k            the whole drive, no copy\n"
	     "  sgstream -e buffered /dev/sg1         the same drive through the page cache\n"
	     "  sgstream /dev/sg[0-7] -q 4 --loop --runtime 10s\n"
	     "  sgstream compare /dev/sg1             both, in turn, with a verdict\n"
	     "  sgstream sweep -q 1..32 /dev/sg1      a matrix over block size and depth\n");
	sgs_options_help(stdout, &sgs_read_options);
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

/* skip= counts in transfers, so it is known only with bs. */
static int apply_skip(struct sgs_options *options, struct sgs_error *err)
{
	struct sgs_job *job = &options->job;

	if (!options->skip.value)
		return 0;
	if (job->offset.value)
		return sgs_fail(err, SGS_CONTRADICT, "two_offsets",
			"skip= and --offset both say where to begin; leave one of them out");
	job->offset.in_blocks = job->bs.in_blocks;
	if (__builtin_mul_overflow(options->skip.value, job->bs.value, &job->offset.value))
		return sgs_fail(err, SGS_USAGE, "bad_value", "skip=%llu times bs is too large",
			(unsigned long long)options->skip.value);
	return 0;
}

static int apply_iflag(struct sgs_options *options, struct sgs_error *err)
{
	struct sgs_job *job = &options->job;

	if (!options->iflag)
		return 0;
	if (job->engine && strcmp(job->engine, options->iflag_engine))
		return sgs_fail(err, SGS_CONTRADICT, "two_engines",
			"--engine %s and iflag=%s name two engines; leave one of them out",
			job->engine, options->iflag);
	job->engine = options->iflag_engine;
	return 0;
}

static int prepare(struct sgs_options *options, struct sgs_error *err)
{
	int status = apply_skip(options, err);

	if (!status)
		status = sgs_bad_list_check(options, err);
	if (!status)
		status = apply_iflag(options, err);
	if (!status)
		status = sgs_sink_open(options, err);
	return status ? status : sgs_output_open(options, err);
}

static int report(const struct sgs_call *call, const struct sgs_options *options,
	struct sgs_result *result)
{
	int status = result->exit_status;

	sgs_sink_report(call, result, 1);
	if (sgs_sink_leaves_stdout() && result->run.n_devices)
		sgs_report_text(sgs_output_takes_stdout(options) ? stderr : stdout, result,
			(int)options->verbose);
	sgs_sink_flush();
	sgs_report_messages(stderr, result, options->quiet);
	status = sgs_bad_list_write(options, result, status);
	sgs_result_free(result);
	return sgs_sink_close(0, status);
}

static int run(const struct sgs_call *call, struct sgs_options *options)
{
	struct sgs_watcher watcher = sgs_watcher_choose(options);
	struct sgs_observer observer = {
		.progress = sgs_watcher_show, .stalled = sgs_watcher_stalled, .arg = &watcher
	};
	struct sgs_result result = { 0 };
	struct sgs_device *devices;
	int status = 0;

	devices = sgs_open_devices(options, call, &status);
	if (!devices)
		return status;
	sgs_signals_running();
	if (options->dry_run)
		sgs_plan(&options->job, devices, options->n_devices, &result);
	else
		sgs_run(&options->job, devices, options->n_devices, &observer, &result);
	sgs_signals_reporting();
	sgs_watcher_wipe(&watcher);
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
	status = sgs_options_parse(&sgs_read_options, true, argc, argv, &options, &err);
	if (!status && options.help)
		status = sgs_sink_close(0, help());
	else if (!status && options.version)
		status = sgs_sink_close(0, version());
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
