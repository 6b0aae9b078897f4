/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgstream compare [options] DEVICE...
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/watch.h"
#include "report/compare.h"
#include "run/compare.h"
#include "run/signals.h"
#include "util/random.h"

#define AT(member)  offsetof(struct sgs_options, member)
#define RUNTIME_NS  2000000000u /* of a run, when nothing else ends it */
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const struct sgs_option own[] = {
	{ 0, "engines", SGS_OPT_STRING, AT(contenders), "A,B,...",
		"contenders (default: sg-mmap,sg-dio,direct,buffered)" },
	{ 0, "rounds", SGS_OPT_NUMBER, AT(rounds), "N",
		"in each, every contender runs once (default 7; 95 % needs 6)" },
	{ 0, "warmup", SGS_OPT_SMALL, AT(warmup), "N",
		"rounds before them that do not count (default 1)" },
	{ 0, "fail-below", SGS_OPT_STRING, AT(fail_below), "RATIO",
		"exit 36 if the first is less than RATIO times as fast as the best other" },
	{ 0, "digest", SGS_OPT_FLAG, AT(job.digest), NULL,
		"prove first that all contenders read the same data" },
	{ 0, "runtime", SGS_OPT_TIME, AT(job.runtime_ns), "TIME",
		"of each run; 2s when no count, size or time is given" },
	{ 'v', "verbose", SGS_OPT_COUNT, AT(verbose), NULL,
		"also each round, and more about the devices" },
};

static const char *const shared[] = { "bs", "count", "size", "offset", "loop", "threads", "qd",
	"pattern", "seed", "paths", "cpus", "numa", "cdb", "fua", "dpo", "timeout", "retries",
	"touch", "read-ahead", "scheduler", "max-transfer", "allow-dio", "progress", "json",
	"quiet", "help", NULL };

static struct sgs_option rows[COUNT(own) + COUNT(shared)];
static struct sgs_option_table table = { rows, 0 };

static void make_table(void)
{
	memcpy(rows, own, sizeof own);
	table.n = COUNT(own) + sgs_options_share(&sgs_read_options, shared, rows + COUNT(own));
}

static int help(void)
{
	puts("Usage: sgstream compare [OPTION]... DEVICE...\n"
	     "Read the same through several engines in turn, and say which is how much faster, "
	     "and what\n"
	     "the page cache costs. What goes through the page cache finds it empty.\n\n"
	     "  sgstream compare /dev/sg1\n"
	     "  sgstream compare --engines sg-mmap,buffered -q 8 --size 4G /dev/sg[0-3]\n");
	sgs_options_help(stdout, &table);
	puts("\nThe first contender is the baseline. sg-dio is left out of the default where "
	     "the "
	     "driver would\n"
	     "copy. --fail-below looks at the whole interval: what may be noise does not "
	     "fail.");
	return 0;
}

/* Above zero, or -1. */
static double ratio_of(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return *text && !*end && isfinite(value) && value > 0 ? value : -1;
}

static int check_expectation(const struct sgs_options *options, struct sgs_error *err)
{
	if (!options->fail_below)
		return 0;
	if (ratio_of(options->fail_below) < 0)
		return sgs_fail(err, SGS_USAGE, "bad_value",
			"--fail-below: '%s' is no ratio; give a number above 0, such as 1.2",
			options->fail_below);
	if (options->rounds < SGS_STATS_LEAST)
		return sgs_fail(err, SGS_CONTRADICT, "too_few_rounds",
			"--fail-below needs --rounds %d at least: %llu cannot make 95 %% sure "
			"that a ratio is below",
			SGS_STATS_LEAST, (unsigned long long)options->rounds);
	return 0;
}

static struct sgs_compare_job job_of(const struct sgs_options *options)
{
	struct sgs_compare_job job = {
		.job = options->job,
		.engines = options->contenders,
		.rounds = options->rounds,
		.warmup = options->warmup,
	};

	if (!job.job.count && !job.job.size.value && !job.job.runtime_ns)
		job.job.runtime_ns = RUNTIME_NS;
	return job;
}

static int prepare(struct sgs_options *options, struct sgs_error *err)
{
	const struct sgs_compare_job job = job_of(options);
	int status = sgs_compare_check(&job, err);

	if (!status)
		status = check_expectation(options, err);
	if (!status && !options->n_devices)
		status = sgs_fail(err, SGS_USAGE, "no_device",
			"no device is given; sgstream list shows them");
	return status ? status : sgs_sink_open(options, err);
}

/* Lines name the run they come from; a bar is about the whole. */
static void watch(
	const struct sgs_compare_step *step, const struct sgs_progress *now, void *arg)
{
	const struct sgs_watcher *watcher = arg;

	if (!watcher->bar && step->round)
		fprintf(stderr, "%sround %u, %s, ", step->warmup ? "warm-up " : "", step->round,
			step->engine);
	else if (!watcher->bar)
		fprintf(stderr, "digest, %s, ", step->engine);
	sgs_watcher_show(now, arg);
}

static int report(const struct sgs_call *call, const struct sgs_options *options,
	const struct sgs_compared *compared)
{
	const struct sgs_result *sum = &compared->of->sum;
	int r = 0;

	if (sgs_sink())
		r = sgs_report_compare_json(sgs_sink(), call, compared);
	if (sgs_sink_leaves_stdout())
		sgs_report_compare_text(stdout, compared, (int)options->verbose);
	sgs_sink_flush();
	sgs_report_messages(stderr, sum, options->quiet);
	return sgs_sink_close(r, sum->exit_status);
}

static int judge(const struct sgs_call *call, const struct sgs_options *options,
	struct sgs_comparison *comparison)
{
	struct sgs_compared compared;
	struct sgs_error err;
	int status;

	if (sgs_compared_make(comparison, &compared) < 0) {
		sgs_fail(&err, SGS_INTERNAL, "no_memory", "no memory for the statistics");
		sgs_result_error(&comparison->sum, NULL, &err);
	}
	sgs_compared_warn(&compared, &comparison->sum);
	if (options->fail_below)
		sgs_compared_expect(&compared, ratio_of(options->fail_below), &comparison->sum);
	status = report(call, options, &compared);
	sgs_compared_free(&compared);
	return status;
}

static int compare(const struct sgs_call *call, struct sgs_options *options)
{
	struct sgs_watcher watcher = sgs_watcher_choose(options);
	struct sgs_compare_observer observer = { watch, &watcher };
	struct sgs_compare_job job = job_of(options);
	struct sgs_comparison comparison;
	struct sgs_device *devices;
	int status = 0;

	devices = sgs_open_devices(options, call, &status);
	if (!devices)
		return status;
	sgs_signals_running();
	sgs_compare(&job, devices, options->n_devices, &observer, &comparison);
	sgs_signals_reporting();
	sgs_watcher_wipe(&watcher);
	status = judge(call, options, &comparison);
	sgs_comparison_free(&comparison);
	free(devices);
	return status;
}

static int compare_main(const struct sgs_call *call, int argc, char **argv)
{
	struct sgs_options options;
	struct sgs_error err = { 0 };
	int status;

	make_table();
	sgs_options_init(&options);
	options.rounds = 7;
	options.warmup = 1;
	status = sgs_options_parse(&table, false, argc, argv, &options, &err);
	if (options.job.pattern == SGS_RANDOM && !options.job.seed)
		options.job.seed = sgs_random_seed(); /* the same order for all */
	if (!status && options.help)
		status = sgs_sink_close(0, help());
	else if (status || (status = prepare(&options, &err)))
		status = sgs_answer_error(call, &err);
	else
		status = compare(call, &options);
	sgs_options_free(&options);
	return status;
}

const struct sgs_command sgs_command_compare = {
	.name = "compare",
	.summary = "the same through several engines, with a verdict",
	.run = compare_main,
};
