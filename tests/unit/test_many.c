/* SPDX-License-Identifier: BSD-2-Clause */
/* Many devices and readers in one run: up to 256 drives, several paths to one unit, the one
 * that lags behind, orders that readers share, and who writes where. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <sgstream/job.h>

#include "run/paths.h"
#include "run/reader.h"
#include "run/run.h"

enum { MOST = 256, FILE_BYTES = 1 << 20, BS = 16384 };

static char path[] = "/tmp/sgs-many-XXXXXX";
static struct sgs_job job;
static struct sgs_device *devices;
static struct sgs_result result;

static int make_file(void **state)
{
	int fd = mkstemp(path);
	uint32_t word = 1;
	(void)state;

	for (int i = 0; i < FILE_BYTES / 4; i++) {
		word = word * 1664525 + 1013904223;
		if (write(fd, &word, 4) != 4)
			return -1;
	}
	devices = calloc(MOST, sizeof(*devices));
	return close(fd) || !devices;
}

static int remove_file(void **state)
{
	(void)state;
	free(devices);
	return unlink(path);
}

/* Each is the file, and a unit of its own. */
static int defaults(void **state)
{
	struct sgs_error err;
	(void)state;

	sgs_job_init(&job);
	job.engine = "buffered";
	job.bs.value = BS;
	job.digest = true;
	if (sgs_device_open(path, &devices[0], &err))
		return -1;
	for (int i = 1; i < MOST; i++)
		devices[i] = devices[0];
	for (int i = 0; i < MOST; i++)
		snprintf(devices[i].path, sizeof(devices[i].path), "drive%d", i);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	sgs_result_free(&result);
	return 0;
}

static void run_well(size_t n)
{
	sgs_result_free(&result);
	if (sgs_run(&job, devices, n, NULL, &result))
		fail_msg("exit status %d: %s", result.exit_status,
			result.n_messages ? result.messages[0].text : "");
}

static const struct sgs_message *find_message(const char *code)
{
	for (size_t i = 0; i < result.n_messages; i++)
		if (!strcmp(result.messages[i].code, code))
			return &result.messages[i];
	return NULL;
}

static struct sgs_digest digest_of_one(void)
{
	struct sgs_job as_it_is = job;
	struct sgs_digest digest;

	job.pattern = SGS_SEQ;
	job.threads = 1;
	run_well(1);
	digest = result.run.total.digest;
	assert_true(digest.valid);
	job = as_it_is;
	return digest;
}

static bool same(const struct sgs_digest *a, const struct sgs_digest *b)
{
	return a->valid && b->valid && a->high == b->high && a->low == b->low;
}

/* ---- fan-out ---- */

static void one_to_256_devices_are_each_read_whole(void **state)
{
	struct sgs_digest whole = digest_of_one();
	(void)state;

	for (size_t n = 1; n <= MOST; n *= 4) {
		run_well(n);
		assert_int_equal(result.run.n_devices, n);
		assert_int_equal(result.run.total.bytes, n * FILE_BYTES);
		assert_true(result.run.total.start_spread_ns <= result.run.total.elapsed_ns);
		for (size_t i = 0; i < n; i++) {
			const struct sgs_device_result *d = &result.run.devices[i];

			assert_int_equal(d->status, 0);
			assert_int_equal(d->figures.bytes, FILE_BYTES);
			assert_true(same(&d->figures.digest, &whole));
		}
	}
}

static void the_limit_of_descriptors_is_raised(void **state)
{
	struct rlimit limit, low;
	(void)state;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	run_well(MOST);
	assert_int_equal(result.run.total.bytes, (uint64_t)MOST * FILE_BYTES);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &low), 0);
	assert_true(low.rlim_cur >= MOST);
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The hard limit does not come back, so a child has it. */
static void a_hard_limit_is_named_before_the_clock(void **state)
{
	int status;
	pid_t pid;
	(void)state;

	pid = fork();
	if (pid == 0) {
		struct rlimit limit = { 100, 100 };
		const struct sgs_message *m;

		setrlimit(RLIMIT_NOFILE, &limit);
		sgs_run(&job, devices, MOST, NULL, &result);
		m = find_message("no_descriptors");
		_exit(!(m && strstr(m->text, "256 devices") && strstr(m->text, "100") &&
			!result.run.started));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- orders ---- */

static void every_order_reads_the_same(void **state)
{
	static const enum sgs_pattern patterns[] = { SGS_SEQ, SGS_SEGMENTS, SGS_RANDOM };
	struct sgs_digest whole = digest_of_one();
	(void)state;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		for (unsigned threads = 1; threads <= 7; threads += 3) {
			job.pattern = patterns[i];
			job.threads = threads;
			run_well(2);
			assert_string_equal(result.run.pattern, sgs_pattern_name(patterns[i]));
			assert_true(same(&result.run.devices[0].figures.digest, &whole));
			assert_true(same(&result.run.devices[1].figures.digest, &whole));
			assert_int_equal(result.run.devices[0].goal_bytes, FILE_BYTES);
		}
}

static void a_seed_is_kept_or_picked(void **state)
{
	uint64_t picked;
	(void)state;

	run_well(1);
	assert_int_equal(result.run.seed, 0);
	job.pattern = SGS_RANDOM;
	run_well(1);
	picked = result.run.seed;
	assert_int_not_equal(picked, 0);
	job.seed = 77;
	run_well(1);
	assert_int_equal(result.run.seed, 77);
}

static void more_segments_than_commands_are_refused(void **state)
{
	const struct sgs_message *m;
	(void)state;

	job.pattern = SGS_SEGMENTS;
	job.threads = 5;
	job.count = 4;
	assert_int_equal(sgs_plan(&job, devices, 1, &result), SGS_CONTRADICT);
	m = find_message("too_few_segments");
	assert_non_null(m);
	assert_non_null(strstr(m->text, "4 commands"));
}

/* ---- paths ---- */

static void name_units(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strcpy(devices[i].identity.lu_name, names[i]);
		if (names[i][0]) /* else they are one by being the same file */
			snprintf(devices[i].sg_path, sizeof(devices[i].sg_path), "sg%zu", i);
	}
}

static void paths_are_told_by_the_name_of_their_unit(void **state)
{
	static const char *const names[] = { "naa.5", "naa.6", "naa.5", "", "naa.6", "" };
	static const size_t units[] = { 0, 1, 0, 3, 1, 5 };
	(void)state;

	name_units(names, 6);
	for (size_t i = 0; i < 6; i++) {
		snprintf(devices[i].block_path, sizeof(devices[i].block_path), "sd%zu", i);
		devices[i].file_ino = 0; /* drives */
		assert_int_equal(sgs_unit_of(devices, i), units[i]);
	}
	devices[2].is_partition = true; /* its data is another's */
	assert_int_equal(sgs_unit_of(devices, 2), 2);
}

static void a_file_is_one_whatever_its_name(void **state)
{
	(void)state;

	for (size_t i = 0; i < 4; i++)
		snprintf(devices[i].block_path, sizeof(devices[i].block_path), "file%zu", i);
	devices[2].file_ino++;
	devices[3].file_dev++;
	assert_int_equal(sgs_unit_of(devices, 1), 0);
	assert_int_equal(sgs_unit_of(devices, 2), 2);
	assert_int_equal(sgs_unit_of(devices, 3), 3);
}

static void merged_paths_read_their_unit_once(void **state)
{
	struct sgs_digest whole = digest_of_one();
	uint64_t sum = 0;
	(void)state;

	job.paths = SGS_PATHS_MERGE;
	job.threads = 2;
	run_well(3);
	assert_null(find_message("same_unit"));
	assert_string_equal(result.run.paths, "merge");
	assert_int_equal(result.run.total.bytes, FILE_BYTES);
	assert_true(same(&result.run.total.digest, &whole));
	for (size_t i = 0; i < 3; i++) {
		const struct sgs_device_result *d = &result.run.devices[i];

		assert_ptr_equal(d->same_unit, i ? &result.run.devices[0] : NULL);
		assert_int_equal(d->goal_bytes, i ? 0 : FILE_BYTES);
		sum += d->figures.bytes;
	}
	assert_int_equal(sum, FILE_BYTES);
}

static void each_path_reads_its_unit_and_silence_warns(void **state)
{
	const struct sgs_message *m;
	(void)state;

	job.paths = SGS_PATHS_EACH;
	run_well(2);
	assert_int_equal(result.run.total.bytes, 2 * FILE_BYTES);
	assert_null(find_message("same_unit"));
	job.paths = SGS_PATHS_UNSAID;
	run_well(2);
	assert_int_equal(result.run.total.bytes, 2 * FILE_BYTES);
	m = find_message("same_unit");
	assert_non_null(m);
	assert_non_null(strstr(m->text, "drive0 and drive1"));
	assert_non_null(strstr(m->text, "--paths merge"));
}

static void paths_that_cannot_be_one_are_refused(void **state)
{
	(void)state;

	job.paths = SGS_PATHS_MERGE;
	job.pattern = SGS_SEGMENTS;
	assert_int_equal(sgs_plan(&job, devices, 2, &result), SGS_CONTRADICT);
	assert_non_null(find_message("merged_segments"));
	sgs_result_free(&result);
	job.pattern = SGS_SEQ;
	devices[1].blocks--;
	assert_int_equal(sgs_plan(&job, devices, 2, &result), SGS_MALFORMED);
	assert_non_null(find_message("merged_sizes"));
}

/* ---- the straggler ---- */

/* Devices that end with these rates, in MB/s; 0 failed. */
static void give_rates(const double *rates, size_t n)
{
	struct sgs_run_result *run = &result.run;

	sgs_result_free(&result);
	run->devices = calloc(n, sizeof(*run->devices));
	assert_non_null(run->devices);
	run->n_devices = n;
	run->queue_depth = 8;
	run->total.elapsed_ns = 1000000000;
	for (size_t i = 0; i < n; i++) {
		run->devices[i].device = devices[i];
		run->devices[i].figures.bytes = 1;
		run->devices[i].figures.bytes_per_second = rates[i] * 1e6;
		run->devices[i].status = rates[i] == 0;
	}
}

static void the_slowest_is_named_when_it_is_far_behind(void **state)
{
	static const struct {
		double rates[5];
		size_t n;
		int found; /* -1: none */
		double share;
	} cases[] = {
		{ { 200, 210, 25, 200 }, 4, 2, 0.125 },
		{ { 200, 210, 170, 200 }, 4, -1, 0 },
		{ { 50, 200 }, 2, 0, 0.25 },
		{ { 200 }, 1, -1, 0 },
		{ { 0, 200, 190 }, 3, -1, 0 },
		{ { 0, 200 }, 2, -1, 0 },
		{ { 100, 300, 100, 300, 290 }, 5, 0, 100 / 295.0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct sgs_straggler *s = &result.run.straggler;

		give_rates(cases[i].rates, cases[i].n);
		sgs_run_straggler(&result);
		assert_int_equal(s->found, cases[i].found >= 0);
		assert_int_equal(find_message("straggler") != NULL, s->found);
		if (!s->found)
			continue;
		assert_int_equal(s->device, cases[i].found);
		assert_float_equal(s->share, cases[i].share, 1e-9);
	}
}

static void its_queue_or_its_retries_are_the_reason(void **state)
{
	static const double rates[] = { 200, 25 };
	(void)state;

	devices[1].limits.queue_depth = 1;
	give_rates(rates, 2);
	sgs_run_straggler(&result);
	assert_non_null(strstr(find_message("straggler")->text, "drive1"));
	assert_non_null(strstr(find_message("straggler")->text, "1 commands at a time"));
	devices[1].limits.queue_depth = 64;
	give_rates(rates, 2);
	result.run.devices[1].figures.errors.retried = 3;
	sgs_run_straggler(&result);
	assert_non_null(strstr(find_message("straggler")->text, "3 of its commands"));
}

static void chance_ranks_no_short_or_interrupted_run(void **state)
{
	static const double rates[] = { 200, 25 };
	(void)state;

	give_rates(rates, 2);
	result.run.total.elapsed_ns = 50000000;
	sgs_run_straggler(&result);
	assert_false(result.run.straggler.found);
	give_rates(rates, 2);
	result.run.total.start_spread_ns = 200000000; /* one began later, that is all */
	sgs_run_straggler(&result);
	assert_false(result.run.straggler.found);
	give_rates(rates, 2);
	result.signal = 2;
	sgs_run_straggler(&result);
	assert_false(result.run.straggler.found);
}

/* ---- the depth that was reached ---- */

static void a_queue_that_takes_less_is_what_is_reached(void **state)
{
	const struct sgs_device_result *d = result.run.devices;
	(void)state;

	job.threads = 4;
	devices[0].limits.queue_depth = 1;
	devices[1].limits.queue_depth = 1000;
	strcpy(devices[0].block_path, path);
	run_well(2);
	d = result.run.devices;
	assert_true(d[0].figures.in_flight_reached <= 1);
	assert_true(d[0].figures.in_flight_reached <= d[0].figures.in_flight_mean);
	assert_float_equal(d[1].figures.in_flight_reached, d[1].figures.in_flight_mean, 1e-9);
	assert_true(
		result.run.total.in_flight_reached <= result.run.total.in_flight_mean + 1e-9);
}

/* ---- who writes where ---- */

/* What a reader writes with each command is on lines of its own: apart from what others write,
 * and from what everybody reads. */
static void readers_share_no_line_that_is_written(void **state)
{
	(void)state;

	assert_int_equal(_Alignof(struct sgs_reader) % 128, 0);
	assert_int_equal(sizeof(struct sgs_reader) % 128, 0);
	assert_int_equal(offsetof(struct sgs_reader, live) % 128, 0);
	assert_true(offsetof(struct sgs_reader, lane) < offsetof(struct sgs_reader, live));
	assert_true(offsetof(struct sgs_reader, latency) > offsetof(struct sgs_reader, live));
	assert_int_equal(sizeof(struct sgs_device_plan) % 128, 0);
}

/* Their threads are many, so their stacks are small. */
static void a_reader_is_cheap(void **state)
{
	(void)state;

	assert_true(sizeof(struct sgs_reader) < 64 << 10);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, defaults, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_to_256_devices_are_each_read_whole),
		TEST(the_limit_of_descriptors_is_raised),
		TEST(a_hard_limit_is_named_before_the_clock),
		TEST(every_order_reads_the_same),
		TEST(a_seed_is_kept_or_picked),
		TEST(more_segments_than_commands_are_refused),
		TEST(paths_are_told_by_the_name_of_their_unit),
		TEST(a_file_is_one_whatever_its_name),
		TEST(merged_paths_read_their_unit_once),
		TEST(each_path_reads_its_unit_and_silence_warns),
		TEST(paths_that_cannot_be_one_are_refused),
		TEST(the_slowest_is_named_when_it_is_far_behind),
		TEST(its_queue_or_its_retries_are_the_reason),
		TEST(chance_ranks_no_short_or_interrupted_run),
		TEST(a_queue_that_takes_less_is_what_is_reached),
		TEST(readers_share_no_line_that_is_written),
		TEST(a_reader_is_cheap),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
