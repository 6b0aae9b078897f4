/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comparisons show, from runs built by hand; and comparisons over files, with the null
 * engine beside them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "compare/compared.h"
#include "report/compare.h"

#include "fake_result.h"

#define MB 1e6

static struct sgs_comparison comparison;
static struct sgs_compared compared;

/* ---- comparisons built by hand ---- */

static void forget(void)
{
	sgs_compared_free(&compared);
	sgs_comparison_free(&comparison);
}

static int clean(void **state)
{
	(void)state;
	forget();
	return 0;
}

/* list as in --engines. */
static void begin(const char *list, unsigned rounds)
{
	struct sgs_error err;

	forget();
	if (sgs_contenders_name(list, &comparison, &err))
		fail_msg("%s", err.text);
	comparison.rounds = comparison.whole = rounds;
	comparison.warmup = 1;
	comparison.runs = calloc(256, sizeof *comparison.runs);
	comparison.contender_of = calloc(256, sizeof *comparison.contender_of);
}

static struct sgs_run_result *add_run(
	size_t contender, unsigned round, bool warmup, double mb_per_second, double cost)
{
	struct sgs_result *r = &comparison.runs[comparison.n_runs];
	const struct sgs_engine *engine = comparison.contenders[contender].engine;

	*r = fake_result(1, 16384);
	snprintf(r->run.engine, sizeof(r->run.engine), "%s", engine->name);
	r->run.round = round;
	r->run.warmup = warmup;
	r->run.queue_depth = 1;
	r->run.total.bytes_per_second = mb_per_second * MB;
	r->run.total.elapsed_ns = (uint64_t)((double)r->run.total.bytes / mb_per_second * 1000);
	r->run.total.transfer[SGS_MAPPED] = 0;
	if (engine->transfer < SGS_TRANSFERS)
		r->run.total.transfer[engine->transfer] = r->run.total.commands;
	r->run.cpu.seconds_per_gib = cost;
	r->run.cpu.host_busy_percent = -1;
	comparison.contender_of[comparison.n_runs++] = contender;
	comparison.sum.run.total.bytes += r->run.total.bytes;
	return &r->run;
}

/* One value a round, and the same cost in each of them. */
static void measured(size_t contender, const double *rates, size_t n, double cost)
{
	add_run(contender, 1, true, 1, 99); /* warms up, and counts for nothing */
	for (size_t i = 0; i < n; i++)
		add_run(contender, (unsigned)i + 1, false, rates[i],
			cost + 0.001 * (double)(i % 3));
}

static void judge(void)
{
	assert_int_equal(sgs_compared_make(&comparison, &compared), 0);
}

static void is_verdict(const char *expected)
{
	judge();
	assert_string_equal(compared.verdict, expected);
}

/* About 1, 1.42 times and 1.5 times as much; ratios of the first two 1.38 to 1.47. */
static const double slow[] = { 1000, 1010, 990, 1005, 995, 1000, 1000 };
static const double fast[] = { 1380, 1434, 1406, 1427, 1463, 1430, 1410 };
static const double faster[] = { 1500, 1515, 1485, 1500, 1500, 1500, 1500 };

static void zero_copy_against_the_page_cache(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.66);
	is_verdict(
		"sg-mmap reads /dev/sg0 1.42 times as fast as buffered (98.4 % 1.38 to 1.47) "
		"and costs 0.46 s of CPU per GiB less");
	assert_int_equal(compared.n, 2);
	assert_int_equal(compared.rounds, 7);
	assert_true(compared.series[0].ratio.median == 1);
	assert_true(fabs(compared.series[1].ratio.median - 1 / 1.42) < 0.001);
	/* The other way round: the winner comes first all the same. */
	begin("buffered,sg-mmap", 7);
	measured(0, slow, 7, 0.66);
	measured(1, fast, 7, 0.20);
	is_verdict(
		"sg-mmap reads /dev/sg0 1.42 times as fast as buffered (98.4 % 1.38 to 1.47) "
		"and costs 0.46 s of CPU per GiB less");
}

static void what_the_page_cache_costs(void **state)
{
	(void)state;
	begin("sg-mmap,direct,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, fast, 7, 0.30);
	measured(2, slow, 7, 0.62);
	judge();
	/* 0.42 s per GiB are 420e6 / 2^20 = 400.5 ns per KiB; at 1000e6 / 1024 KiB/s 39.1 % */
	assert_string_equal(compared.copy.cached->contender->engine->name, "buffered");
	assert_string_equal(compared.copy.other->contender->engine->name, "sg-mmap");
	assert_true(fabs(compared.copy.ns_per_kib.median - 400.5) < 0.1);
	assert_true(fabs(compared.copy.core_percent - 39.12) < 0.02);
	begin("sg-copy,buffered", 7); /* neither is without a copy */
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.62);
	judge();
	assert_null(compared.copy.other);
	begin("sg-dio,buffered", 7); /* asked for no copy, and was copied once */
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.62);
	comparison.runs[3].run.total.transfer[SGS_COPIED] = 1;
	judge();
	assert_null(compared.copy.other);
}

static void the_baseline_meets_the_page_cache_first(void **state)
{
	(void)state;
	begin("sg-mmap,direct,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, faster, 7, 0.20);
	measured(2, slow, 7, 0.20);
	is_verdict(
		"sg-mmap reads /dev/sg0 1.42 times as fast as buffered (98.4 % 1.38 to 1.47), "
		"with no difference in CPU that shows; direct is faster still, 1.056 times as "
		"fast as sg-mmap");
}

static void it_may_cost_more(void **state)
{
	(void)state;
	begin("direct,sg-mmap,null", 7);
	measured(0, slow, 7, 0.20);
	measured(1, fast, 7, 0.30);
	measured(2, fast, 7, 0);
	is_verdict(
		"sg-mmap reads /dev/sg0 1.42 times as fast as direct (98.4 % 1.38 to 1.47) but "
		"costs 0.10 s of CPU per GiB more");
}

/* Ratios 0.990 0.990 0.995 0.995 1.005 1.005 1.010: the logarithm of their median is -0.00501,
 * their MAD 0.00504, so one lies on the wrong side by a chance of Phi(-0.671) = 0.251, and 33
 * is the first number of which the interval leaves one out four times out of five. */
static void no_difference(void **state)
{
	const double other[] = { 1010, 1000, 1000, 1000, 1000, 995, 1005 };

	(void)state;
	begin("sg-mmap,direct", 7);
	measured(0, slow, 7, 0.20);
	measured(1, other, 7, -1);
	is_verdict(
		"no difference between sg-mmap and direct on /dev/sg0 that these 7 rounds can "
		"show (ratio 0.995; 98.4 % 0.990 to 1.010); about 33 rounds would be needed");
	assert_int_equal(compared.series[1].cost.n, 0); /* not known */
	begin("sg-mmap,direct", 7);
	measured(0, slow, 7, 0.20);
	measured(1, slow, 7, 0.30);
	is_verdict(
		"no difference between sg-mmap and direct on /dev/sg0 that these 7 rounds can "
		"show (ratio 1.000; 98.4 % 1.000 to 1.000); sg-mmap costs 0.10 s of CPU per "
		"GiB less");
}

static void too_few_rounds(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 3);
	measured(0, fast, 3, 0.20);
	measured(1, slow, 3, 0.62);
	is_verdict("no difference between sg-mmap and buffered that 3 rounds can show (ratio "
		   "1.42; "
		   "75 % 1.38 to 1.42); at least 6 would be needed");
	begin("sg-mmap,buffered", 1);
	measured(0, fast, 1, 0.20);
	measured(1, slow, 1, 0.62);
	is_verdict("no difference between sg-mmap and buffered that 1 round can show (ratio "
		   "1.38); "
		   "at least 6 would be needed");
	begin("sg-mmap,buffered", 0);
	is_verdict("no round was finished, so there is nothing to compare");
}

static void alone(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 7);
	comparison.contenders[1].out = true;
	measured(0, slow, 7, 0.25);
	is_verdict("sg-mmap reads /dev/sg0 at 1000 MB/s (954 MiB/s) for 0.25 s of CPU per GiB, "
		   "with nothing to compare it with");
}

/* Of a round that did not end well for all, no run counts. */
static void rounds_that_count(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	comparison.whole = 6;
	judge();
	assert_int_equal(compared.rounds, 6);
	assert_int_equal(compared.series[0].rate.n, 6);
	sgs_compared_free(&compared);
	comparison.runs[3].run.total.bytes_per_second = 0; /* the third: nothing was read */
	judge();
	assert_int_equal(compared.rounds, 5);
	assert_int_equal(compared.numbers[2], 4);
}

/* ---- expectations ---- */

static void expects(const char *list, double least, int status, const char *code)
{
	begin(list, 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	judge();
	sgs_compared_expect(&compared, least, &comparison.sum);
	assert_int_equal(comparison.sum.exit_status, status);
	assert_int_equal(comparison.sum.n_messages, code != NULL);
	if (code)
		assert_string_equal(comparison.sum.messages[0].code, code);
}

static void expectations(void **state)
{
	(void)state;
	expects("sg-mmap,buffered", 1, 0, NULL);
	expects("sg-mmap,buffered", 1.37, 0, NULL);
	expects("sg-mmap,buffered", 1.4, 0, "ratio_unsure"); /* 1.38 to 1.47 */
	expects("sg-mmap,buffered", 1.47, 0, "ratio_unsure");
	expects("sg-mmap,buffered", 1.48, SGS_EXPECTATION, "below_ratio");
	expects("sg-mmap,null", 1, SGS_EXPECTATION,
		"below_ratio");		     /* no data to compare with */
	begin("direct,sg-mmap,buffered", 7); /* the best other is what counts */
	measured(0, slow, 7, 0.20);
	measured(1, fast, 7, 0.20);
	measured(2, slow, 7, 0.20);
	judge();
	sgs_compared_expect(&compared, 0.9, &comparison.sum);
	assert_int_equal(comparison.sum.exit_status, SGS_EXPECTATION);
	assert_non_null(strstr(comparison.sum.messages[0].text, "as fast as sg-mmap"));
}

/* ---- warnings ---- */

static const char *warning(const char *code)
{
	for (size_t i = 0; i < comparison.sum.n_messages; i++)
		if (!strcmp(comparison.sum.messages[i].code, code))
			return comparison.sum.messages[i].text;
	return NULL;
}

static void warns(const char *code, const char *part)
{
	judge();
	sgs_compared_warn(&compared, &comparison.sum);
	if (!code) {
		assert_int_equal(comparison.sum.n_messages, 0);
		return;
	}
	if (!warning(code) || !strstr(warning(code), part))
		fail_msg("%s: '%s' does not say '%s'", code,
			warning(code) ? warning(code) : "no warning", part);
}

static void warns_of_nothing(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	warns(NULL, NULL);
	begin("sg-mmap,buffered", 0);
	warns(NULL, NULL);
}

static void warns_of_short_runs(void **state)
{
	(void)state;
	begin("sg-mmap,null", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	for (size_t i = 0; i < comparison.n_runs; i++)
		comparison.runs[i].run.total.elapsed_ns = i < 8 ? 90000000 : 50;
	warns("short_run", "sg-mmap took only 90 ms");
	assert_non_null(strstr(warning("short_run"), "--runtime"));
}

static void warns_of_drift(void **state)
{
	const double falling[] = { 1000, 990, 980, 970, 960, 950, 940 };
	const double hardly[] = { 1000, 1001, 1002, 1003, 1004, 1005, 1006 };

	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, hardly, 7, 0.20);
	measured(1, falling, 7, 0.20);
	warns("drift", "(buffered -6 %, p 0.0004; Mann-Kendall)"); /* 2 / 7! */
}

static void warns_of_outliers(void **state)
{
	const double values[] = { 1000, 1010, 990, 500, 1005, 995, 1000 };

	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, slow, 7, 0.20);
	measured(1, values, 7, 0.20);
	warns("outliers", "(buffered -50 % in round 4)");
}

static void warns_of_depth(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	for (size_t i = 0; i < comparison.n_runs; i++)
		comparison.runs[i].run.devices[0].device.limits.read_ahead = 1 << 20;
	warns("depth_differs",
		"buffered has up to 1 MiB in flight by read-ahead, and sg-mmap 64 "
		"KiB: read-ahead is queue depth in disguise; compare with -q 16");
	for (size_t i = 0; i < comparison.n_runs; i++)
		comparison.runs[i].run.queue_depth = 16;
	sgs_compared_free(&compared);
	sgs_result_free(&comparison.sum);
	warns(NULL, NULL);
}

/* More than all of this machine's CPUs are busy; the process had 0.06 s of them. */
static void warns_of_a_busy_host(void **state)
{
	(void)state;
	begin("sg-mmap,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	for (size_t i = 0; i < comparison.n_runs; i++)
		comparison.runs[i].run.cpu.host_busy_percent = 100;
	warns("host_busy", "of the ");
}

/* ---- what the runs said ---- */

static void messages_once(void **state)
{
	const struct sgs_result *sum = &comparison.sum;

	(void)state;
	begin("sg-dio,buffered", 7);
	measured(0, fast, 7, 0.20);
	measured(1, slow, 7, 0.20);
	for (size_t i = 0; i < comparison.n_runs; i++) {
		struct sgs_result *r = &comparison.runs[i];

		sgs_result_message(r, SGS_WARNING, "/dev/sg0", "same_unit", "one unit twice");
		sgs_result_message(r, SGS_WARNING, NULL, "short_run", "short");
		if (i >= 2 && i < 5) /* of sg-dio */
			sgs_result_message(
				r, SGS_WARNING, "/dev/sg0", "copied", "%zu copied", i);
	}
	sgs_result_message(
		&comparison.runs[10], SGS_ERROR, "/dev/sg0", "gone", "/dev/sg0: it is gone");
	sgs_comparison_gather(&comparison);
	assert_int_equal(sum->n_messages, 3);
	assert_string_equal(sum->messages[0].text, "one unit twice");
	assert_string_equal(sum->messages[1].text, "2 copied (sg-dio, 3 of 8 runs)");
	assert_string_equal(sum->messages[1].device, "/dev/sg0");
	assert_string_equal(sum->messages[2].text, "/dev/sg0: it is gone (buffered, round 2)");
	assert_int_equal(sum->messages[2].level, SGS_ERROR);
}

/* ---- reports ---- */

static char *argv_of_call[] = { "sgstream", "compare", "/dev/sg0", NULL };
static const struct sgs_call call = {
	.command = "compare", .argc = 3, .argv = argv_of_call, .started_at = { 1700000000, 0 }
};

static char *text_of(int verbose)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	sgs_report_compare_text(out, &compared, verbose);
	fclose(out);
	return text;
}

static void keep_sample(const char *name, const char *text)
{
	const char *folder = getenv("SGS_TEST_OUT");
	char path[4096];
	FILE *file;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static json_t *json_of(const char *name)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *root;

	assert_int_equal(sgs_report_compare_json(out, &call, &compared), 0);
	fclose(out);
	keep_sample(name, text);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	free(text);
	return root;
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("this does not say '%s':\n%s", part, text);
}

static void three_contenders_and_one_absent(void)
{
	const double disturbed[] = { 1000, 1010, 990, 500, 1005, 995, 1000 };

	begin("sg-mmap,sg-dio,direct,buffered", 7);
	measured(0, fast, 7, 0.20);
	comparison.contenders[1].out = true;
	strcpy(comparison.contenders[1].why.text, "allow_dio is 0, so it would be copied");
	measured(2, faster, 7, 0.30);
	measured(3, disturbed, 7, 0.62);
	comparison.digest = (struct sgs_compare_digest){
		.asked = true,
		.done = true,
		.equal = true,
		.bytes = 1073741824,
		.total = { .valid = true, .high = 0x0123456789abcdef, .low = 1 },
	};
	judge();
}

static void in_words(void **state)
{
	char *text;

	(void)state;
	three_contenders_and_one_absent();
	text = text_of(0);
	says(text, "64 KiB per command, depth 1; 1.07 GB a run, 7 rounds in turn after 1 to "
		   "warm up");
	says(text,
		"ENGINE    MB/s         98.4 % MiB/s         98.4 % CPU s/GiB         98.4 % "
		"RATIO         98.4 %");
	says(text, "sg-mmap  1,427 1,380 to 1,463 ");
	says(text, "sg-dio      takes no part: allow_dio is 0");
	says(text,
		"digest      0123456789abcdef0000000000000001 of the same 1.07 GB through all");
	says(text, "page cache  buffered against sg-mmap: +401 ns of CPU per KiB (+401 to "
		   "+401), ");
	says(text, compared.verdict);
	assert_null(strstr(text, "ROUND"));
	free(text);
	text = text_of(1);
	says(text, "ROUND");
	says(text, "    4   1,427  1,500     500*\n");
	free(text);
}

static double real(const json_t *object, const char *a, const char *b)
{
	return json_number_value(json_object_get(json_object_get(object, a), b));
}

static void in_json(void **state)
{
	json_t *root, *c, *contender;

	(void)state;
	three_contenders_and_one_absent();
	root = json_of("compare");
	c = json_object_get(root, "comparison");
	assert_int_equal(json_array_size(json_object_get(root, "runs")), 24);
	assert_string_equal(json_string_value(json_object_get(c, "baseline")), "sg-mmap");
	assert_int_equal(json_integer_value(json_object_get(c, "rounds")), 7);
	contender = json_array_get(json_object_get(c, "contenders"), 1);
	assert_int_equal(json_array_size(json_object_get(contender, "rounds")), 0);
	assert_non_null(json_string_value(json_object_get(contender, "reason")));
	contender = json_array_get(json_object_get(c, "contenders"), 3);
	assert_true(real(contender, "bytes_per_second", "median") == 1e9);
	assert_true(real(contender, "bytes_per_second", "low") == 5e8);
	assert_true(real(contender, "bytes_per_second", "coverage") == 0.984375);
	assert_true(json_is_true(json_object_get(
		json_array_get(json_object_get(contender, "rounds"), 3), "outlier")));
	assert_true(real(c, "page_cache_copy", "core_percent_at_rate") > 39);
	json_decref(root);
}

static void nothing_to_tell(void **state)
{
	char *text;

	(void)state;
	begin("sg-mmap,buffered", 7);
	comparison.whole = 0;
	judge();
	text = text_of(1);
	assert_string_equal(text, "");
	free(text);
	add_run(0, 1, false, 100, -1);
	comparison.sum.signal = 2;
	comparison.sum.exit_status = 130;
	sgs_compared_free(&compared);
	judge();
	text = text_of(1);
	says(text, "interrupted by SIGINT; 0 of 7 rounds were finished\n");
	says(text, "no round was finished");
	free(text);
	json_decref(json_of("compare-interrupted"));
}

/* ---- comparisons that run ---- */

static char file[32];
static struct sgs_device device;
static struct sgs_compare_job job;

static int make_file(void **state)
{
	struct sgs_error err;
	int fd;

	(void)state;
	strcpy(file, "/tmp/test_compare.XXXXXX");
	fd = mkstemp(file);
	if (fd < 0 || ftruncate(fd, 1 << 20) < 0 || close(fd) < 0)
		return -1;
	memset(&job, 0, sizeof(job));
	sgs_job_init(&job.job);
	job.rounds = 3;
	job.warmup = 1;
	return sgs_device_open(file, &device, &err);
}

static int remove_file(void **state)
{
	forget();
	(void)state;
	return unlink(file);
}

/* What ran: "null buffered buffered null ..." */
static const char *order(void)
{
	static char text[512];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < comparison.n_runs; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s%u", i ? " " : "",
			comparison.runs[i].run.engine, comparison.runs[i].run.round);
	return text;
}

static void rounds_in_turn(void **state)
{
	(void)state;
	job.engines = "null,buffered,mmap";
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), 0);
	assert_string_equal(order(), "null1 buffered1 mmap1 buffered1 mmap1 null1 "
				     "mmap2 null2 buffered2 null3 buffered3 mmap3");
	assert_true(comparison.runs[2].run.warmup);
	assert_false(comparison.runs[3].run.warmup);
	assert_int_equal(comparison.whole, 3);
	assert_ptr_equal(sgs_comparison_run(&comparison, 0, 2), &comparison.runs[7]);
	assert_null(sgs_comparison_run(&comparison, 0, 4));
	judge();
	assert_int_equal(compared.rounds, 3);
	assert_string_equal(sgs_result_status(&comparison.sum), "ok");
}

static void one_that_cannot(void **state)
{
	(void)state;
	job.engines = "sg-mmap,null,buffered";
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), SGS_FILE);
	assert_true(comparison.contenders[0].out);
	assert_non_null(strstr(comparison.contenders[0].why.text, "no SCSI device"));
	assert_int_equal(comparison.whole, 3);
	assert_int_equal(comparison.n_runs, 8);
	assert_string_equal(sgs_result_status(&comparison.sum), "partial");
	forget();
	job.engines = NULL; /* nobody asked for it */
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), 0);
	assert_true(comparison.contenders[0].out);
	assert_int_equal(comparison.sum.n_messages, 0);
}

static void none_that_can(void **state)
{
	(void)state;
	job.job.offset.value = 5 << 20;
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), SGS_USAGE);
	assert_string_equal(sgs_result_status(&comparison.sum), "error");
	assert_int_equal(comparison.n_runs, 0);
	assert_int_equal(comparison.sum.n_messages, 1);
	judge();
}

static void same_data(void **state)
{
	uint64_t bytes;

	(void)state;
	job.engines = "null,mmap,buffered";
	job.job.digest = true;
	job.job.loop = true;
	job.job.size.value = 3 << 20; /* three times what there is; for a digest, once */
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), 0);
	assert_true(comparison.digest.done && comparison.digest.equal);
	assert_int_equal(comparison.digest.bytes, 1 << 20);
	assert_false(comparison.runs[0].run.total.digest.valid);
	forget();
	job.job.size.value = 0;
	job.job.runtime_ns = 20000000;
	job.job.bs.value = 4096;
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), 0);
	bytes = comparison.digest.bytes;
	assert_true(comparison.digest.equal && bytes > 0 && bytes <= 1 << 20);
}

static unsigned steps;

/* All that the observer hears of goes on, over all runs: a run's clock ends with its last
 * command, which may be a little before its last progress. */
static void look(const struct sgs_compare_step *step, const struct sgs_progress *now, void *arg)
{
	uint64_t *last = arg;

	assert_non_null(step->engine);
	assert_true(step->round >= 1 && now->at_ns + 30000000 >= *last);
	assert_int_equal(now->runtime_ns, 4 * 2 * 60000000);
	*last = now->at_ns;
	steps++;
}

static void progress_of_the_whole(void **state)
{
	uint64_t last = 0;
	const struct sgs_compare_observer observer = { look, &last };

	(void)state;
	job.engines = "null,mmap";
	job.job.loop = true;
	job.job.runtime_ns = 60000000;
	job.job.interval_ns = 20000000;
	assert_int_equal(sgs_compare(&job, &device, 1, &observer, &comparison), 0);
	assert_true(steps >= 8);
	assert_true(last > 7 * 60000000ull);
}

static void refusals(void **state)
{
	struct sgs_error err;

	(void)state;
	job.rounds = 0;
	assert_int_equal(sgs_compare_check(&job, &err), SGS_USAGE);
	job.rounds = 7;
	job.engines = "direct,,buffered";
	assert_int_equal(sgs_compare_check(&job, &err), SGS_USAGE);
	job.engines = "buffered,direct,buffered";
	assert_int_equal(sgs_compare_check(&job, &err), SGS_USAGE);
	assert_string_equal(err.code, "named_twice");
	job.engines = "bufferedbufferedbufferedbufferedbuffered";
	assert_int_equal(sgs_compare_check(&job, &err), SGS_USAGE);
	assert_int_equal(sgs_compare(&job, &device, 1, NULL, &comparison), SGS_USAGE);
}

#define by_hand(test)	  cmocka_unit_test_teardown(test, clean)
#define over_a_file(test) cmocka_unit_test_setup_teardown(test, make_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		by_hand(zero_copy_against_the_page_cache),
		by_hand(what_the_page_cache_costs),
		by_hand(the_baseline_meets_the_page_cache_first),
		by_hand(it_may_cost_more),
		by_hand(no_difference),
		by_hand(too_few_rounds),
		by_hand(alone),
		by_hand(rounds_that_count),
		by_hand(expectations),
		by_hand(warns_of_nothing),
		by_hand(warns_of_short_runs),
		by_hand(warns_of_drift),
		by_hand(warns_of_outliers),
		by_hand(warns_of_depth),
		by_hand(warns_of_a_busy_host),
		by_hand(messages_once),
		by_hand(in_words),
		by_hand(in_json),
		by_hand(nothing_to_tell),
		over_a_file(rounds_in_turn),
		over_a_file(one_that_cannot),
		over_a_file(none_that_can),
		over_a_file(same_data),
		over_a_file(progress_of_the_whole),
		over_a_file(refusals),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
