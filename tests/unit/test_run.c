/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole runs: over the null engine, over files, and over drives that exist in a table only. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <sgstream/job.h>

#include "engine/engine.h"
#include "run/digest.h"

#include "fake_sg.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define BS  (64 * KIB)
#define MS  1000000ULL

static struct sgs_job job;
static struct sgs_device devices[4];
static struct sgs_result result;

static void free_result(void)
{
	sgs_result_free(&result);
	memset(&result, 0, sizeof(result));
}

static int defaults(void **state)
{
	sgs_job_init(&job);
	memset(devices, 0, sizeof(devices));
	memset(&result, 0, sizeof(result));
	return fake_reset(state);
}

static int forget(void **state)
{
	free_result();
	return fake_reset(state);
}

static int run(size_t n)
{
	free_result();
	return sgs_run(&job, devices, n, NULL, &result);
}

static void run_well(size_t n)
{
	if (run(n))
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

static void assert_message(
	const char *code, enum sgs_level level, const char *device, const char *part)
{
	const struct sgs_message *m = find_message(code);

	if (!m)
		fail_msg("no message '%s'", code);
	assert_int_equal(m->level, level);
	assert_string_equal(m->device, device);
	if (!strstr(m->text, part))
		fail_msg("'%s' does not say '%s'", m->text, part);
}

static uint64_t sum(const uint64_t *values, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += values[i];
	return total;
}

/* What holds for the figures of any device and of the total, whatever happened. */
static void assert_consistent(const struct sgs_figures *f)
{
	assert_true(f->first_done_ns <= f->last_done_ns);
	assert_int_equal(f->elapsed_ns, f->last_done_ns);
	assert_int_equal(f->latency.count, f->commands);
	assert_int_equal(sum(f->latency.counts, f->latency.buckets), f->commands);
	assert_true(f->latency.min <= f->latency.p50);
	assert_true(f->latency.p50 <= f->latency.p99);
	assert_true(f->latency.p99 <= f->latency.max);
	assert_true(sum(f->transfer, SGS_TRANSFERS) <= f->commands);
	if (!f->bytes)
		return;
	assert_true(f->elapsed_ns > 0);
	assert_true(f->bytes_per_second > 0);
	assert_true(f->in_flight_max >= 1);
}

/* The total is all devices together. */
static void assert_adds_up(void)
{
	const struct sgs_run_result *r = &result.run;
	uint64_t bytes = 0, commands = 0, last = 0, failed = 0, retried = 0;

	for (size_t i = 0; i < r->n_devices; i++) {
		const struct sgs_figures *f = &r->devices[i].figures;

		assert_consistent(f);
		bytes += f->bytes;
		commands += f->commands;
		failed += f->errors.failed;
		retried += f->errors.retried;
		if (f->last_done_ns > last)
			last = f->last_done_ns;
	}
	assert_consistent(&r->total);
	assert_int_equal(r->total.bytes, bytes);
	assert_int_equal(r->total.commands, commands);
	assert_int_equal(r->total.errors.failed, failed);
	assert_int_equal(r->total.errors.retried, retried);
	assert_int_equal(r->total.last_done_ns, last);
}

/* ---- null engine ---- */

static void use_null(size_t n, uint32_t block_bytes, uint64_t blocks)
{
	job.engine = "null";
	for (size_t i = 0; i < n; i++) {
		snprintf(devices[i].path, sizeof(devices[i].path), "null%zu", i);
		devices[i].block_bytes = block_bytes;
		devices[i].blocks = blocks;
	}
}

/* 100,000 blocks of 512 bytes by 64 KiB: 781 transfers of 128 blocks and one of 32. */
static void exact_totals_with_any_number_of_readers(void **state)
{
	(void)state;

	use_null(1, 512, 100000);
	for (unsigned threads = 1; threads <= 8; threads++) {
		job.threads = threads;
		run_well(1);
		assert_adds_up();
		assert_int_equal(result.run.total.bytes, 51200000);
		assert_int_equal(result.run.total.commands, 782);
		assert_int_equal(result.run.threads, threads);
		assert_int_equal(result.run.devices[0].goal_bytes, 51200000);
		assert_in_range(result.run.total.in_flight_max, 1, threads);
		assert_true(result.run.started);
		assert_string_equal(sgs_result_status(&result), "ok");
		assert_int_equal(result.signal, 0);
	}
}

static void no_data_is_counted_as_no_transfer_and_no_digest(void **state)
{
	(void)state;

	use_null(1, 512, 100000);
	job.digest = true;
	run_well(1);
	assert_int_equal(sum(result.run.total.transfer, SGS_TRANSFERS), 0);
	assert_false(result.run.total.digest.valid);
	assert_int_equal(result.run.devices[0].probe_commands, 0);
}

static void devices_add_up_to_the_total(void **state)
{
	(void)state;

	use_null(3, 512, 100000);
	devices[1].blocks = 1;
	devices[2].block_bytes = 4096;
	devices[2].blocks = 1000001;
	job.threads = 2;
	run_well(3);
	assert_adds_up();
	assert_int_equal(result.run.devices[0].figures.bytes, 51200000);
	assert_int_equal(result.run.devices[1].figures.bytes, 512);
	assert_int_equal(result.run.devices[1].figures.commands, 1);
	assert_int_equal(result.run.devices[2].figures.bytes, 4096004096);
	assert_int_equal(result.run.devices[2].figures.commands, 62501);
}

static void count_and_size_and_loop_are_kept_to(void **state)
{
	static const struct {
		uint64_t count, size, bytes, commands;
		bool loop;
	} cases[] = {
		{ 10, 0, 655360, 10, false },
		{ 0, 1000 * 512, 512000, 8, false },
		{ 5, 1000 * 512, 327680, 5, false },
		/* 1000 blocks: 8 transfers, the last of 104 blocks. */
		{ 20, 0, 2512 * 512, 20, true },
		{ 0, 2500 * 512, 2500 * 512, 20, true },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		use_null(1, 512, 1000);
		job.threads = 3;
		job.loop = cases[i].loop;
		job.count = cases[i].count;
		job.size.value = cases[i].size;
		if (!job.loop)
			devices[0].blocks = 100000;
		run_well(1);
		assert_int_equal(result.run.total.bytes, cases[i].bytes);
		assert_int_equal(result.run.total.commands, cases[i].commands);
		assert_int_equal(result.run.devices[0].goal_bytes, cases[i].bytes);
	}
}

static void runtime_ends_an_endless_loop(void **state)
{
	(void)state;

	use_null(1, 512, 1000);
	job.threads = 2;
	job.loop = true;
	job.runtime_ns = 150 * MS;
	run_well(1);
	assert_adds_up();
	assert_in_range(result.run.total.elapsed_ns, 140 * MS, 5000 * MS);
	assert_true(result.run.devices[0].goal_bytes == UINT64_MAX);
	assert_null(find_message("short_run"));
}

static void a_runtime_that_is_not_needed_changes_nothing(void **state)
{
	(void)state;

	use_null(1, 512, 100000);
	job.runtime_ns = 60000 * MS;
	run_well(1);
	assert_int_equal(result.run.total.bytes, 51200000);
	assert_true(result.run.total.elapsed_ns < 30000 * MS);
}

static void more_readers_than_transfers(void **state)
{
	(void)state;

	use_null(1, 512, 200); /* two transfers */
	job.threads = 8;
	run_well(1);
	assert_adds_up();
	assert_int_equal(result.run.total.commands, 2);
	assert_in_range(result.run.total.in_flight_max, 1, 8);
}

static void a_short_run_is_marked_as_such(void **state)
{
	(void)state;

	use_null(1, 512, 1000);
	run_well(1);
	assert_message("short_run", SGS_WARNING, "", "too short");
}

static void no_device_and_bad_jobs_end_before_the_clock(void **state)
{
	(void)state;

	assert_int_equal(run(0), SGS_USAGE);
	assert_false(result.run.started);
	use_null(1, 512, 1000);
	job.loop = true;
	assert_int_equal(run(1), SGS_CONTRADICT);
	assert_false(result.run.started);
	assert_string_equal(sgs_result_status(&result), "error");
}

/* ---- intervals and progress ---- */

struct heard {
	unsigned times;
	uint64_t bytes, at_ns, goal;
	bool backwards;
};

static void listen(const struct sgs_progress *now, void *arg)
{
	struct heard *h = arg;

	h->backwards |= now->bytes < h->bytes || now->at_ns < h->at_ns;
	h->times++;
	h->bytes = now->bytes;
	h->at_ns = now->at_ns;
	h->goal = now->goal_bytes;
}

static void assert_intervals_add_up(void)
{
	const struct sgs_run_result *r = &result.run;
	uint64_t bytes = 0, commands = 0, at = 0;

	for (size_t i = 0; i < r->n_intervals; i++) {
		bytes += r->intervals[i].bytes;
		commands += r->intervals[i].commands;
		assert_int_equal(r->intervals[i].at_ns - r->intervals[i].span_ns, at);
		at = r->intervals[i].at_ns;
	}
	assert_int_equal(bytes, r->total.bytes);
	assert_int_equal(commands, r->total.commands);
}

static void intervals_add_up_to_the_total(void **state)
{
	struct heard heard = { 0 };
	const struct sgs_observer observer = { .progress = listen, .arg = &heard };
	(void)state;

	use_null(2, 512, 1000);
	job.threads = 2;
	job.loop = true;
	job.runtime_ns = 205 * MS;
	job.interval_ns = 20 * MS;
	assert_int_equal(sgs_run(&job, devices, 2, &observer, &result), 0);
	assert_intervals_add_up();
	assert_in_range(result.run.n_intervals, 2,
		result.run.intervals[result.run.n_intervals - 1].at_ns / job.interval_ns + 1);
	assert_in_range(heard.times, 1, result.run.n_intervals);
	assert_false(heard.backwards);
	assert_true(heard.bytes <= result.run.total.bytes);
	assert_int_equal(heard.goal, 0); /* no end in bytes */
}

static void a_run_shorter_than_an_interval_is_one(void **state)
{
	(void)state;

	use_null(1, 512, 1000);
	job.interval_ns = 60000 * MS;
	run_well(1);
	assert_int_equal(result.run.n_intervals, 1);
	assert_intervals_add_up();
}

static void without_intervals_none_are_kept(void **state)
{
	(void)state;

	use_null(1, 512, 1000);
	run_well(1);
	assert_int_equal(result.run.n_intervals, 0);
}

static void *poke_soon(void *arg)
{
	const struct timespec moment = { 0, 30 * MS };

	(void)arg;
	nanosleep(&moment, NULL);
	sgs_poke();
	return NULL;
}

static void a_poke_is_answered_with_one_progress(void **state)
{
	struct heard heard = { 0 };
	const struct sgs_observer observer = { .progress = listen, .arg = &heard };
	pthread_t poker;
	(void)state;

	use_null(1, 512, 1000);
	job.loop = true;
	job.runtime_ns = 200 * MS;
	assert_int_equal(pthread_create(&poker, NULL, poke_soon, NULL), 0);
	assert_int_equal(sgs_run(&job, devices, 1, &observer, &result), 0);
	pthread_join(poker, NULL);
	assert_int_equal(heard.times, 1);
	assert_int_equal(result.run.n_intervals, 0);
}

/* ---- files ---- */

static char path[64];

static uint8_t content(uint64_t offset)
{
	return (uint8_t)(offset * 31 ^ offset >> 7 ^ offset >> 15);
}

static void make_file(size_t bytes)
{
	const char *folder = getenv("TMPDIR");
	uint8_t *data = malloc(bytes);
	int fd;

	assert_non_null(data);
	for (size_t i = 0; i < bytes; i++)
		data[i] = content(i);
	snprintf(path, sizeof(path), "%.30s/sgs-run-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	fsync(fd);
	close(fd);
	free(data);
}

static void use_file(size_t index)
{
	struct sgs_error err;

	if (sgs_device_open(path, &devices[index], &err))
		fail_msg("%s", err.text);
}

enum { FILE_BYTES = 20 * BS + 8192 + 333 };

static int with_file(void **state)
{
	defaults(state);
	make_file(FILE_BYTES);
	use_file(0);
	return 0;
}

static int remove_file(void **state)
{
	unlink(path);
	return forget(state);
}

static void change_file(off_t at, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, len, at), len);
	fsync(fd);
	close(fd);
}

/* The digest by hand: of each transfer of the file, at its place. */
static struct sgs_digest right_digest(size_t bytes, size_t bs)
{
	struct sgs_digest digest = { 0 };
	uint8_t *data = malloc(bs);

	assert_non_null(data);
	for (size_t at = 0; at < bytes; at += bs) {
		size_t n = bytes - at < bs ? bytes - at : bs;

		for (size_t i = 0; i < n; i++)
			data[i] = content(at + i);
		sgs_digest_add(&digest, data, n, at);
	}
	free(data);
	return digest;
}

static bool same(struct sgs_digest x, struct sgs_digest y)
{
	return x.valid && y.valid && x.high == y.high && x.low == y.low;
}

static struct sgs_digest digest_of_run(void)
{
	job.digest = true;
	run_well(1);
	assert_true(same(result.run.total.digest, result.run.devices[0].figures.digest));
	return result.run.total.digest;
}

/* Nothing is read in place of what the user asked for: it runs, or it cannot here. */
static bool runs_here(const char *name)
{
	struct sgs_error why = { 0 };
	const struct sgs_engine *engine = sgs_engine_find(name);

	job.engine = name;
	if (!engine || engine->probe(&devices[0], &why)) {
		print_message("%s cannot run here: %s\n", name, why.text);
		return false;
	}
	if (run(1) && (find_message("no_direct_io") || find_message("no_io_uring"))) {
		print_message("%s cannot run here\n", name);
		return false;
	}
	return true;
}

static void a_file_is_read_once_to_its_last_byte(void **state)
{
	(void)state;

	for (unsigned threads = 1; threads <= 8; threads++) {
		job.threads = threads;
		run_well(1);
		assert_adds_up();
		assert_string_equal(result.run.engine, "buffered");
		assert_int_equal(result.run.total.bytes, FILE_BYTES);
		assert_int_equal(result.run.total.commands, 21);
		assert_int_equal(result.run.total.transfer[SGS_CACHED], 21);
	}
}

static const char *const file_engines[] = { "buffered", "direct", "mmap", "uncached",
	"io_uring" };

static void all_ways_and_numbers_of_readers_have_one_digest(void **state)
{
	const struct sgs_digest right = right_digest(FILE_BYTES, BS);
	static const unsigned threads[] = { 1, 2, 8 };
	(void)state;

	for (size_t e = 0; e < sizeof(file_engines) / sizeof(file_engines[0]); e++) {
		job.threads = 1;
		if (!runs_here(file_engines[e]))
			continue;
		for (int i = 0; i < 3; i++) {
			job.threads = threads[i];
			if (!same(digest_of_run(), right))
				fail_msg("%s with %u readers has another digest", job.engine,
					job.threads);
			assert_int_equal(result.run.total.bytes, FILE_BYTES);
			assert_string_equal(result.run.engine, file_engines[e]);
		}
	}
}

static void a_ring_at_depth_has_the_same_digest(void **state)
{
	const struct sgs_digest right = right_digest(FILE_BYTES, BS);
	static const struct {
		unsigned threads, depth;
	} cases[] = { { 1, 16 }, { 2, 8 }, { 4, 32 }, { 1, 2 } };
	(void)state;

	if (!runs_here("io_uring"))
		skip();
	for (int i = 0; i < 4; i++) {
		job.threads = cases[i].threads;
		job.queue_depth = cases[i].depth;
		assert_true(same(digest_of_run(), right));
		assert_adds_up();
		assert_int_equal(result.run.total.commands, 21);
		assert_in_range(result.run.total.in_flight_max, 1, cases[i].depth);
	}
}

/* 5 over 2 readers is 3 and 2, not twice 3. */
static void the_depth_asked_for_is_never_exceeded(void **state)
{
	(void)state;

	if (!runs_here("io_uring"))
		skip();
	job.threads = 2;
	job.queue_depth = 5;
	job.bs.value = 4096;
	job.loop = true;
	job.count = 5000;
	run_well(1);
	assert_in_range(result.run.total.in_flight_max, 1, 5);
}

static void one_changed_byte_changes_the_digest(void **state)
{
	struct sgs_digest before = digest_of_run();
	uint8_t byte = content(12345) ^ 1;
	(void)state;

	change_file(12345, &byte, 1);
	assert_false(same(digest_of_run(), before));
	byte ^= 1;
	change_file(12345, &byte, 1);
	assert_true(same(digest_of_run(), before));
}

static void two_swapped_blocks_change_the_digest(void **state)
{
	struct sgs_digest before = digest_of_run();
	static uint8_t first[BS], second[BS];
	(void)state;

	for (size_t i = 0; i < BS; i++) {
		first[i] = content(i);
		second[i] = content(7 * BS + i);
	}
	change_file(0, second, BS);
	change_file(7 * BS, first, BS);
	assert_false(same(digest_of_run(), before));
}

static void a_file_that_shrinks_is_no_success(void **state)
{
	(void)state;

	assert_int_equal(truncate(path, 5 * BS + 1000), 0);
	assert_int_not_equal(run(1), 0);
	assert_adds_up();
	assert_int_equal(result.exit_status, sgs_status_from_errno(ENODEV));
	assert_int_equal(result.run.total.bytes, 5 * BS + 1000);
	assert_int_equal(result.run.total.commands, 5);
	assert_int_equal(result.run.total.errors.failed, 1);
	assert_int_equal(result.run.total.errors.by_class[SGS_FAULT_GONE], 1);
	assert_string_equal(sgs_result_status(&result), "partial");
	assert_message("gone", SGS_ERROR, path, "became shorter while it was read");
}

static void data_from_the_page_cache_is_no_zero_copy(void **state)
{
	(void)state;

	job.require_zero_copy = true;
	assert_int_equal(run(1), SGS_EXPECTATION);
	assert_string_equal(sgs_result_status(&result), "ok");
	assert_message("not_zero_copy", SGS_ERROR, "", "21 of 21");
	job.require_zero_copy = false;
	if (!runs_here("direct"))
		skip();
	job.require_zero_copy = true;
	run_well(1);
	job.engine = "mmap"; /* nobody copies it out of the cache */
	run_well(1);
	assert_int_equal(result.run.total.transfer[SGS_CACHED], 21);
}

static void one_unit_named_twice_is_pointed_out(void **state)
{
	(void)state;

	use_file(1);
	run_well(2);
	assert_message("same_unit", SGS_WARNING, path, path);
	assert_int_equal(result.run.total.bytes, 2 * FILE_BYTES);
}

static void a_lane_that_does_not_open_stops_all_before_the_clock(void **state)
{
	(void)state;

	devices[1] = devices[0];
	strcpy(devices[1].path, "/nonexistent/drive");
	strcpy(devices[1].block_path, "/nonexistent/drive");
	job.threads = 3;
	assert_int_equal(run(2), SGS_FILE);
	assert_false(result.run.started);
	assert_string_equal(sgs_result_status(&result), "error");
	assert_int_equal(result.n_messages, 1); /* not one for each reader */
	assert_message("cannot_open", SGS_ERROR, "/nonexistent/drive",
		"/nonexistent/drive: cannot open: No such file");
	assert_int_equal(result.run.devices[0].status, 0);
	assert_int_equal(result.run.devices[1].status, SGS_FILE);
	assert_int_equal(result.run.total.bytes, 0);
	assert_int_equal(result.run.total.elapsed_ns, 0);
}

/* ---- output ---- */

static void assert_output(int fd, uint64_t bytes)
{
	uint8_t got[4096];
	uint64_t at = 0;
	ssize_t n;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	while ((n = read(fd, got, sizeof(got))) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			if (got[i] != content(at))
				fail_msg("byte %llu of the output is wrong",
					(unsigned long long)at);
	assert_int_equal(at, bytes);
}

static void output_is_in_device_order(void **state)
{
	static const struct {
		const char *engine;
		unsigned threads, depth;
	} cases[] = { { "buffered", 1, 1 }, { "buffered", 8, 8 }, { "io_uring", 1, 16 },
		{ "io_uring", 3, 12 } };
	(void)state;

	for (int i = 0; i < 4; i++) {
		job.threads = job.queue_depth = 0;
		job.output_fd = -1;
		if (!runs_here(cases[i].engine))
			continue;
		job.threads = cases[i].threads;
		job.queue_depth = cases[i].depth;
		job.bs.value = 4096;
		job.output_fd = memfd_create("output", MFD_CLOEXEC);
		assert_true(job.output_fd >= 0);
		run_well(1);
		assert_true(result.run.has_output);
		assert_int_equal(result.run.output_bytes, FILE_BYTES);
		assert_output(job.output_fd, FILE_BYTES);
		close(job.output_fd);
	}
}

static void an_output_that_is_full_is_an_error(void **state)
{
	(void)state;

	job.threads = 4;
	job.output_fd = open("/dev/full", O_WRONLY);
	if (job.output_fd < 0)
		skip();
	assert_int_equal(run(1), SGS_OS_BASE + ENOSPC);
	assert_message("output_failed", SGS_ERROR, "", "No space left");
	assert_int_equal(result.run.output_bytes, 0);
	close(job.output_fd);
}

static void an_output_that_is_closed_ends_the_run(void **state)
{
	int ends[2];
	(void)state;

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	job.output_fd = ends[1];
	run_well(1);
	assert_message("output_closed", SGS_WARNING, "", "closed");
	assert_true(result.run.total.bytes < FILE_BYTES);
	close(ends[1]);
}

/* ---- drives ---- */

/* What a drive answers to some of its reads, counted from 1; the first is the trial. */
struct fault {
	unsigned from, to;
	int error, status, host_status, driver_status;
	int resid; /* -1: 0 although there is no data */
	uint8_t key, asc, ascq;
};

struct drive {
	struct fake_node *node;
	struct fake_disk disk;
	struct fault faults[4];
	unsigned issued;	 /* READs */
	uint8_t ready_ascq;	 /* of TEST UNIT READY: 2/04/ascq, 0: it is ready */
	unsigned not_ready_asks; /* so often; then it is ready */
	uint64_t told_blocks;	 /* by READ CAPACITY */
	unsigned delay_ms;
};

static struct drive drives[3];

static const struct fault *fault_of(const struct drive *d)
{
	for (size_t i = 0; i < sizeof(d->faults) / sizeof(d->faults[0]); i++)
		if (d->issued >= d->faults[i].from && d->issued <= d->faults[i].to)
			return &d->faults[i];
	return NULL;
}

static int apply(const struct fault *f, struct fake_io *io)
{
	if (f->key)
		fake_set_sense(io, f->key, f->asc, f->ascq);
	if (f->status)
		io->status = f->status;
	io->host_status = f->host_status;
	if (f->driver_status)
		io->driver_status = f->driver_status;
	io->resid = f->resid;
	return f->error;
}

/* TEST UNIT READY, INQUIRY (nothing to say) and READ CAPACITY(10) */
static int answer_question(struct drive *d, struct fake_io *io)
{
	static uint8_t data[36];

	memset(data, 0, sizeof(data));
	io->data = data;
	switch (io->cdb[0]) {
	case 0x00:
		if (d->not_ready_asks && d->not_ready_asks--)
			fake_set_sense(io, 2, 4, d->ready_ascq);
		return 0;
	case 0x12:
		io->data_len = 36;
		return 0;
	case 0x25:
		io->data_len = 8;
		data[2] = (uint8_t)((d->told_blocks - 1) >> 8);
		data[3] = (uint8_t)(d->told_blocks - 1);
		data[6] = (uint8_t)(d->disk.block_bytes >> 8);
		return 0;
	default:
		fake_set_sense(io, 5, 0x20, 0);
		return 0;
	}
}

static bool is_read(const struct fake_io *io)
{
	return io->cdb[0] == 0x08 || io->cdb[0] == 0x28 || io->cdb[0] == 0x88;
}

static int answer(struct fake_io *io, void *arg)
{
	struct drive *d = drives;
	const struct fault *f;
	int error;

	(void)arg;
	while (d->node != io->node)
		d++;
	if (!is_read(io))
		return answer_question(d, io);
	d->issued++;
	f = fault_of(d);
	if (d->delay_ms)
		nanosleep(&(struct timespec){ 0, (long)(d->delay_ms * MS) }, NULL);
	if (f && f->key != 1 && !f->resid) /* bytes come with recovered errors and residuals */
		return apply(f, io);
	error = fake_disk_answer(io, &d->disk);
	return f && !error ? apply(f, io) : error;
}

static struct drive *use_drive(size_t index, uint32_t block_bytes, uint64_t blocks)
{
	struct drive *d = &drives[index];
	struct sgs_device *device = &devices[index];

	snprintf(device->path, sizeof(device->path), "/dev/sg%zu", index);
	snprintf(device->sg_path, sizeof(device->sg_path), "/dev/sg%zu", index);
	device->node = SGS_NODE_SG;
	device->is_scsi = true;
	device->block_bytes = block_bytes;
	device->blocks = blocks;
	memset(d, 0, sizeof(*d));
	d->node = fake_sg(device->path, (unsigned)index);
	d->disk = (struct fake_disk){ .block_bytes = block_bytes, .blocks = blocks };
	fake_set_answer(answer, NULL);
	return d;
}

#define TRANSFERS 32
#define DRIVE	  TRANSFERS * 128 /* blocks of 512 bytes: 2 MiB */

static struct sgs_digest right_drive_digest(uint64_t bytes, size_t bs)
{
	struct sgs_digest digest = { 0 };
	uint8_t *data = malloc(bs);

	assert_non_null(data);
	for (uint64_t at = 0; at < bytes; at += bs) {
		size_t n = bytes - at < bs ? (size_t)(bytes - at) : bs;

		for (size_t i = 0; i < n; i++)
			data[i] = fake_byte(at + i);
		sgs_digest_add(&digest, data, n, at);
	}
	free(data);
	return digest;
}

static void assert_whole(size_t index, uint64_t bytes)
{
	assert_int_equal(result.run.devices[index].figures.bytes, bytes);
	if (!same(result.run.devices[index].figures.digest, right_drive_digest(bytes, BS)))
		fail_msg("the data of device %zu is not its own", index);
}

static uint64_t errors_of(size_t index, enum sgs_fault_class fault)
{
	return result.run.devices[index].figures.errors.by_class[fault];
}

static void a_drive_is_read_whole_by_each_scsi_engine(void **state)
{
	static const char *const names[] = { "sg-mmap", "sg-dio", "sg-copy" };
	static const enum sgs_transfer transfer[] = { SGS_MAPPED, SGS_DIRECT, SGS_COPIED };
	(void)state;

	job.digest = true;
	for (int i = 0; i < 3; i++)
		for (unsigned threads = 1; threads <= 8; threads += 7) {
			struct drive *d;

			fake_reset(NULL);
			d = use_drive(0, 512, DRIVE);
			d->node->allow_dio = true;
			job.engine = names[i];
			job.threads = threads;
			run_well(1);
			assert_adds_up();
			assert_whole(0, 2 * MIB);
			assert_int_equal(result.run.total.transfer[transfer[i]], TRANSFERS);
			assert_int_equal(result.run.devices[0].probe_commands, 1);
			assert_int_equal(d->issued, TRANSFERS + 1);
			fake_check();
		}
}

static void a_drive_of_520_byte_blocks(void **state)
{
	(void)state;

	use_drive(0, 520, 1000);
	job.bs = (struct sgs_size){ .value = 126, .in_blocks = true };
	job.digest = true;
	job.threads = 4;
	run_well(1);
	assert_int_equal(result.run.total.bytes, 520000);
	assert_int_equal(result.run.total.commands, 8);
	assert_int_equal(result.run.devices[0].bs_bytes, 65520);
	assert_true(same(result.run.total.digest, right_drive_digest(520000, 65520)));
	fake_check();
}

/* What passes is asked again: everything is read, and the attempts are told. */
static void what_passes_is_retried_and_counted(void **state)
{
	static const struct {
		struct fault fault;
		enum sgs_fault_class class;
	} cases[] = {
		{ { 5, 5, .key = 6, .asc = 0x29 }, SGS_FAULT_UNIT_ATTENTION },
		{ { 5, 7, .key = 6, .asc = 0x2a, .ascq = 9 }, SGS_FAULT_UNIT_ATTENTION },
		{ { 5, 6, .key = 0xb, .asc = 0x4b, .ascq = 3 }, SGS_FAULT_ABORTED },
		{ { 5, 6, .status = 0x28, .host_status = 5 }, SGS_FAULT_TASK_SET_FULL },
		{ { 5, 6, .status = 0x08 }, SGS_FAULT_BUSY },
		{ { 5, 6, .host_status = 7 }, SGS_FAULT_TRANSPORT },
		{ { 33, 33, .key = 6, .asc = 0x29 }, SGS_FAULT_UNIT_ATTENTION }, /* the last */
	};
	(void)state;

	job.digest = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned threads = 1; threads <= 4; threads += 3) {
			unsigned attempts = cases[i].fault.to - cases[i].fault.from + 1;

			fake_reset(NULL);
			use_drive(0, 512, DRIVE)->faults[0] = cases[i].fault;
			job.threads = threads;
			run_well(1);
			assert_adds_up();
			assert_whole(0, 2 * MIB);
			assert_int_equal(result.run.total.commands, TRANSFERS);
			assert_int_equal(errors_of(0, cases[i].class), attempts);
			assert_int_equal(result.run.total.errors.retried, attempts);
			assert_int_equal(result.run.total.errors.failed, 0);
			assert_int_equal(drives[0].issued, TRANSFERS + 1 + attempts);
			fake_check();
		}
}

/* 1, 2, 4 ... 32, 50 ms of waiting are the drive's answer to others, not this command's
 * latency. */
static void the_latency_of_a_retried_command_is_that_of_its_good_attempt(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 5, 11, .status = 0x08 };
	run_well(1);
	assert_int_equal(result.run.total.errors.retried, 7);
	assert_true(result.run.total.elapsed_ns > 112 * MS);
	assert_true(result.run.total.latency.max < 100 * MS);
}

/* The run that comes right after a reset: the trial meets the attention, and it is still told.
 */
static void a_unit_attention_met_by_the_trial_is_counted(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 1, 1, .key = 6, .asc = 0x29 };
	job.digest = true;
	run_well(1);
	assert_whole(0, 2 * MIB);
	assert_int_equal(errors_of(0, SGS_FAULT_UNIT_ATTENTION), 1);
	assert_int_equal(result.run.total.errors.failed, 0);
	fake_check();
}

static void attentions_while_the_device_was_looked_at_are_counted(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE);
	devices[0].unit_attentions = 2;
	run_well(1);
	assert_int_equal(errors_of(0, SGS_FAULT_UNIT_ATTENTION), 2);
	assert_int_equal(result.run.total.errors.by_class[SGS_FAULT_UNIT_ATTENTION], 2);
}

static void retries_are_bounded(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 5, 1000, .key = 6, .asc = 0x29 };
	job.retries = 3;
	assert_int_equal(run(1), SGS_UNIT_ATTENTION);
	assert_adds_up();
	assert_int_equal(errors_of(0, SGS_FAULT_UNIT_ATTENTION), 4);
	assert_int_equal(result.run.total.errors.retried, 3);
	assert_int_equal(result.run.total.errors.failed, 1);
	assert_int_equal(result.run.total.bytes, 3 * BS);
	assert_int_equal(drives[0].issued, 1 + 3 + 4);
	fake_check();
}

static void a_busy_drive_is_asked_until_the_timeout(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 5, 1000000, .status = 0x28 };
	job.timeout_ns = 200 * MS;
	assert_int_equal(run(1), SGS_TASK_SET_FULL);
	assert_adds_up();
	assert_true(result.run.total.errors.retried > 5);
	assert_true(result.run.total.elapsed_ns > 190 * MS);
	assert_int_equal(result.run.total.bytes, 3 * BS);
	job.retries = 0;
	fake_reset(NULL);
	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 5, 5, .status = 0x28 };
	assert_int_equal(run(1), SGS_TASK_SET_FULL);
	assert_int_equal(result.run.total.errors.retried, 0);
}

static void another_capacity_is_told(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] =
		(struct fault){ 5, 5, .key = 6, .asc = 0x2a, .ascq = 9 };
	drives[0].told_blocks = DRIVE / 2;
	job.digest = true;
	run_well(1);
	assert_whole(0, 2 * MIB);
	assert_message("capacity_changed", SGS_WARNING, "/dev/sg0",
		"4096 blocks (2 MiB) and is 2048 blocks (1 MiB)");
	fake_check();
}

/* The trial finds it not ready, and TEST UNIT READY says that it is coming. */
static void a_drive_that_is_becoming_ready_is_waited_for(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] =
		(struct fault){ 1, 1, .key = 2, .asc = 4, .ascq = 2 };
	drives[0].ready_ascq = 1;
	drives[0].not_ready_asks = 3;
	job.digest = true;
	run_well(1);
	assert_whole(0, 2 * MIB);
	assert_int_equal(errors_of(0, SGS_FAULT_NOT_READY), 3);
	assert_message("became_ready", SGS_INFO, "/dev/sg0", "300 ms");
	fake_check();
}

static void a_drive_that_becomes_not_ready_midway_is_waited_for(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] =
		(struct fault){ 5, 7, .key = 2, .asc = 4, .ascq = 2 };
	drives[0].ready_ascq = 1;
	drives[0].not_ready_asks = 3;
	job.digest = true;
	run_well(1);
	assert_whole(0, 2 * MIB);
	assert_int_equal(errors_of(0, SGS_FAULT_NOT_READY), 3);
	assert_int_equal(result.run.total.errors.retried, 3);
	fake_check();
}

static void a_drive_that_stays_not_ready_ends_when_its_time_is_over(void **state)
{
	static const struct {
		uint8_t ascq;
		const char *part;
	} cases[] = { { 1, "--ready-timeout" }, { 2, "sg_start --start" }, { 0xb, "standby" } };
	(void)state;

	job.ready_timeout_ns = 200 * MS;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_reset(NULL);
		use_drive(0, 512, DRIVE)->faults[0] =
			(struct fault){ 1, 1000, .key = 2, .asc = 4, .ascq = cases[i].ascq };
		drives[0].ready_ascq = cases[i].ascq;
		drives[0].not_ready_asks = 1000000;
		assert_int_equal(run(1), SGS_NOT_READY);
		assert_message("not_ready", SGS_ERROR, "/dev/sg0", cases[i].part);
		assert_int_equal(result.run.total.bytes, 0);
		fake_check();
	}
}

static void recovered_errors_are_good_data_and_counted(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] =
		(struct fault){ 5, 9, .key = 1, .asc = 0x5d, .resid = -1 };
	job.digest = true;
	run_well(1);
	assert_adds_up();
	assert_whole(0, 2 * MIB);
	assert_int_equal(result.run.total.commands, TRANSFERS);
	assert_int_equal(errors_of(0, SGS_FAULT_RECOVERED), 5);
	assert_int_equal(result.run.total.errors.retried, 0);
	assert_int_equal(result.run.total.errors.failed, 0);
}

/* Command 5 of the run is of LBA 512; with the trial it is read number 6. */
static const struct fault fatal[] = {
	{ 6, 6, .key = 3, .asc = 0x11 },
	{ 6, 6, .key = 4, .asc = 0x44 },
	{ 6, 6, .host_status = 3 }, /* and resid 0 */
	{ 6, 6, .key = 2, .asc = 0x04, .ascq = 2 },
	{ 6, 6, .key = 5, .asc = 0x21 },
	{ 6, 6, .key = 7, .asc = 0x27, .ascq = 2 },
	{ 6, 6, .status = 0x18 },
	{ 6, 6, .error = ENODEV },
	{ 6, 6, .host_status = 1 },
};

static void what_does_not_pass_ends_the_device_with_its_data_kept(void **state)
{
	static const struct {
		enum sgs_fault_class class;
		int status;
	} right[] = {
		{ SGS_FAULT_MEDIUM, 3 },
		{ SGS_FAULT_HARDWARE, 3 },
		{ SGS_FAULT_TIMEOUT, 33 },
		{ SGS_FAULT_NOT_READY, 2 },
		{ SGS_FAULT_ILLEGAL_REQUEST, 5 },
		{ SGS_FAULT_DATA_PROTECT, 7 },
		{ SGS_FAULT_RESERVATION, 24 },
		{ SGS_FAULT_GONE, 50 + ENODEV },
		{ SGS_FAULT_GONE, 35 },
	};
	(void)state;

	job.digest = true;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		fake_reset(NULL);
		use_drive(0, 512, DRIVE)->faults[0] = fatal[i];
		assert_int_equal(run(1), right[i].status);
		assert_adds_up();
		assert_whole(0, 4 * BS);
		assert_int_equal(result.run.total.commands, 4);
		assert_int_equal(errors_of(0, right[i].class), 1);
		assert_int_equal(result.run.total.errors.failed, 1);
		assert_int_equal(result.run.total.errors.retried, 0);
		assert_int_equal(result.run.devices[0].status, right[i].status);
		assert_string_equal(sgs_result_status(&result), "partial");
		assert_int_equal(drives[0].issued, 6);
		assert_message(sgs_fault_name(right[i].class), SGS_ERROR, "/dev/sg0",
			"128 blocks at LBA 512 failed");
		fake_check();
	}
}

static void the_first_command_of_all_may_fail(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 1, 99, .key = 3, .asc = 0x11 };
	job.threads = 2;
	assert_int_equal(run(1), SGS_MEDIUM_HARD);
	assert_adds_up();
	assert_int_equal(result.run.total.bytes, 0);
	assert_string_equal(sgs_result_status(&result), "error");
	assert_true(result.run.started);
	assert_true(result.run.cpu.seconds_per_gib == -1); /* no bytes to divide by */
	fake_check();
}

static void other_devices_go_on(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = fatal[0];
	use_drive(1, 512, 3 * DRIVE);
	use_drive(2, 512, DRIVE)->faults[0] = fatal[2];
	job.digest = true;
	assert_int_equal(run(3), SGS_MEDIUM_HARD); /* the first failure */
	assert_adds_up();
	assert_whole(0, 4 * BS);
	assert_whole(1, 6 * MIB);
	assert_whole(2, 4 * BS);
	assert_int_equal(result.run.devices[0].status, SGS_MEDIUM_HARD);
	assert_int_equal(result.run.devices[1].status, 0);
	assert_int_equal(result.run.devices[2].status, SGS_TIMEOUT);
	assert_int_equal(result.run.total.errors.failed, 2);
	assert_string_equal(sgs_result_status(&result), "partial");
	fake_check();
}

static void all_readers_of_a_failed_device_stop(void **state)
{
	(void)state;

	use_drive(0, 512, 100 * DRIVE)->faults[0] = fatal[0];
	job.threads = 8;
	assert_int_equal(run(1), SGS_MEDIUM_HARD);
	assert_adds_up();
	assert_int_equal(result.run.total.errors.failed, 1);
	/* One more each may have been under way. */
	assert_in_range(drives[0].issued, 6, 6 + 2 * 8);
	assert_int_equal(result.run.total.bytes, result.run.total.commands * BS);
	assert_int_equal(result.run.total.commands, drives[0].issued - 2);
	fake_check();
}

/* Half of a transfer is data, and an error. */
static void a_short_transfer_counts_what_came(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 6, 6, .resid = 32768 };
	assert_int_equal(run(1), SGS_MEDIUM_HARD);
	assert_adds_up();
	assert_int_equal(result.run.total.bytes, 4 * BS + 32768);
	assert_int_equal(result.run.total.commands, 4);
	assert_int_equal(errors_of(0, SGS_FAULT_SHORT), 1);
	assert_message("short", SGS_ERROR, "/dev/sg0", "only 32768 bytes");
}

static void intervals_count_what_came_of_a_short_transfer(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = (struct fault){ 2, 2, .resid = 32768 };
	job.interval_ns = 60000 * MS;
	assert_int_equal(run(1), SGS_MEDIUM_HARD);
	assert_int_equal(result.run.total.bytes, 32768);
	assert_intervals_add_up();
}

/* ---- copies ---- */

static void copied_commands_fail_a_run_that_must_not_copy(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE);
	job.engine = "sg-dio";
	job.require_zero_copy = true;
	assert_int_equal(run(1), SGS_EXPECTATION);
	assert_int_equal(result.run.total.bytes, 2 * MIB);
	assert_int_equal(result.run.total.transfer[SGS_COPIED], TRANSFERS);
	assert_int_equal(result.run.total.transfer[SGS_DIRECT], 0);
	assert_string_equal(sgs_result_status(&result), "ok");
	assert_message("not_zero_copy", SGS_ERROR, "", "32 of 32");
	assert_message("copied", SGS_WARNING, "/dev/sg0", "32 of 32");
}

static void direct_and_mapped_commands_pass_it(void **state)
{
	static const char *const names[] = { "sg-mmap", "sg-dio" };
	(void)state;

	use_drive(0, 512, DRIVE)->node->allow_dio = true;
	job.require_zero_copy = true;
	for (int i = 0; i < 2; i++) {
		job.engine = names[i];
		run_well(1);
		assert_null(find_message("copied"));
	}
}

static void a_failed_device_outranks_a_missed_expectation(void **state)
{
	(void)state;

	use_drive(0, 512, DRIVE)->faults[0] = fatal[0];
	job.engine = "sg-copy";
	job.require_zero_copy = true;
	assert_int_equal(run(1), SGS_MEDIUM_HARD);
	assert_non_null(find_message("not_zero_copy"));
}

static void output_ends_before_the_transfer_that_failed(void **state)
{
	uint8_t *got;
	(void)state;

	for (unsigned threads = 1; threads <= 4; threads += 3) {
		fake_reset(NULL);
		use_drive(0, 512, DRIVE)->faults[0] = fatal[0];
		job.threads = threads;
		job.output_fd = memfd_create("output", MFD_CLOEXEC);
		assert_int_equal(run(1), SGS_MEDIUM_HARD);
		assert_true(result.run.output_bytes <= result.run.total.bytes);
		assert_int_equal(result.run.output_bytes % BS, 0);
		if (threads == 1)
			assert_int_equal(result.run.output_bytes, 4 * BS);
		got = malloc(result.run.output_bytes + 1);
		assert_int_equal(pread(job.output_fd, got, result.run.output_bytes + 1, 0),
			result.run.output_bytes);
		for (uint64_t i = 0; i < result.run.output_bytes; i++)
			assert_int_equal(got[i], fake_byte(i));
		free(got);
		close(job.output_fd);
	}
}

/* ---- stopping ---- */

/* sgs_stop() is for good, so each of these runs in a child of its own. */
static struct view {
	int exit_status, signal, failed;
	char status[16];
	bool started, not_drained, short_run;
	uint64_t bytes, commands, elapsed_ns, took_ns;
	double bytes_per_second;
} * seen;

static int share(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	seen = mmap(
		NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return seen == MAP_FAILED;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static void *stop_soon(void *arg)
{
	const struct timespec moment = { 0, 60 * MS };

	nanosleep(&moment, NULL);
	sgs_stop(*(int *)arg);
	return NULL;
}

static void look(void)
{
	const struct sgs_figures *f = &result.run.total;

	seen->exit_status = result.exit_status;
	seen->signal = result.signal;
	seen->failed = (int)f->errors.failed;
	strcpy(seen->status, sgs_result_status(&result));
	seen->started = result.run.started;
	seen->not_drained = find_message("not_drained") != NULL;
	seen->short_run = find_message("short_run") != NULL;
	seen->bytes = f->bytes;
	seen->commands = f->commands;
	seen->elapsed_ns = f->elapsed_ns;
	seen->bytes_per_second = f->bytes_per_second;
}

static void run_in_child(int signum, bool before)
{
	pthread_t stopper;
	uint64_t start;
	int status;
	pid_t child;

	memset(seen, 0, sizeof(*seen));
	child = fork();
	if (child == 0) {
		alarm(60);
		if (before)
			sgs_stop(signum);
		else
			pthread_create(&stopper, NULL, stop_soon, &signum);
		start = now_ns();
		run(1);
		seen->took_ns = now_ns() - start;
		look();
		if (!before)
			pthread_join(stopper, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void assert_interrupted(int signum)
{
	assert_int_equal(seen->exit_status, 128 + signum);
	assert_int_equal(seen->signal, signum);
	assert_string_equal(seen->status, "interrupted");
}

static void a_stop_interrupts_and_keeps_the_data(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM };
	(void)state;

	use_null(1, 512, 1000);
	job.threads = 2;
	job.loop = true;
	job.runtime_ns = 50000 * MS;
	for (int i = 0; i < 2; i++) {
		run_in_child(signals[i], false);
		assert_interrupted(signals[i]);
		assert_true(seen->started);
		assert_true(seen->commands > 0);
		assert_true(seen->bytes > 0);
		assert_in_range(seen->took_ns, 50 * MS, 20000 * MS);
		assert_true(seen->bytes_per_second > 0);
	}
}

/* 1000 transfers of 5 ms each: about a dozen are read. */
static void a_stop_lets_commands_in_flight_end(void **state)
{
	(void)state;

	use_drive(0, 512, 1000 * 128)->delay_ms = 5;
	job.threads = 2;
	run_in_child(SIGINT, false);
	assert_interrupted(SIGINT);
	assert_int_equal(seen->bytes, seen->commands * BS);
	assert_in_range(seen->commands, 1, 200);
	assert_int_equal(seen->failed, 0);
	assert_false(seen->not_drained);
}

static void a_stop_before_the_run_starts_no_clock(void **state)
{
	(void)state;

	use_null(1, 512, 1000);
	run_in_child(SIGTERM, true);
	assert_interrupted(SIGTERM);
	assert_false(seen->started);
	assert_int_equal(seen->bytes, 0);
}

static void a_drive_that_fails_and_a_stop_is_interrupted(void **state)
{
	struct drive *d = use_drive(0, 512, 1000 * 128);
	(void)state;

	d->delay_ms = 10;
	d->faults[0] = (struct fault){ 3, 1000, .status = 0x08 };
	job.retries = 1000;
	run_in_child(SIGINT, false);
	assert_int_equal(seen->exit_status, 130);
	assert_true(seen->took_ns < 8000 * MS); /* it does not go on with its retries */
}

/* ---- a device that hangs ---- */

static off_t hang_at = -1;

ssize_t pread64(int fd, void *buf, size_t len, off_t offset)
{
	while (hang_at >= 0 && offset >= hang_at)
		pause();
	return syscall(SYS_pread64, fd, buf, len, offset);
}

/* A command that never comes back is left to the kernel after ten seconds, and what was read
 * before is reported with a rate. */
static void a_hanging_device_does_not_hang_the_run(void **state)
{
	(void)state;

	hang_at = 4 * BS;
	run_in_child(SIGINT, false);
	hang_at = -1;
	assert_interrupted(SIGINT);
	assert_in_range(seen->took_ns, 9000 * MS, 30000 * MS);
	assert_true(seen->not_drained);
	assert_int_equal(seen->bytes, 4 * BS);
	assert_int_equal(seen->commands, 4);
	assert_true(seen->elapsed_ns > 0);
	assert_true(seen->bytes_per_second > 0);
	assert_false(seen->short_run);
}

#define WITHOUT_FILE(test) cmocka_unit_test_setup_teardown(test, defaults, forget)
#define WITH_FILE(test)	   cmocka_unit_test_setup_teardown(test, with_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITHOUT_FILE(exact_totals_with_any_number_of_readers),
		WITHOUT_FILE(no_data_is_counted_as_no_transfer_and_no_digest),
		WITHOUT_FILE(devices_add_up_to_the_total),
		WITHOUT_FILE(count_and_size_and_loop_are_kept_to),
		WITHOUT_FILE(runtime_ends_an_endless_loop),
		WITHOUT_FILE(a_runtime_that_is_not_needed_changes_nothing),
		WITHOUT_FILE(more_readers_than_transfers),
		WITHOUT_FILE(a_short_run_is_marked_as_such),
		WITHOUT_FILE(no_device_and_bad_jobs_end_before_the_clock),
		WITHOUT_FILE(intervals_add_up_to_the_total),
		WITHOUT_FILE(a_run_shorter_than_an_interval_is_one),
		WITHOUT_FILE(without_intervals_none_are_kept),
		WITHOUT_FILE(a_poke_is_answered_with_one_progress),
		WITH_FILE(a_file_is_read_once_to_its_last_byte),
		WITH_FILE(all_ways_and_numbers_of_readers_have_one_digest),
		WITH_FILE(a_ring_at_depth_has_the_same_digest),
		WITH_FILE(the_depth_asked_for_is_never_exceeded),
		WITH_FILE(one_changed_byte_changes_the_digest),
		WITH_FILE(two_swapped_blocks_change_the_digest),
		WITH_FILE(a_file_that_shrinks_is_no_success),
		WITH_FILE(data_from_the_page_cache_is_no_zero_copy),
		WITH_FILE(one_unit_named_twice_is_pointed_out),
		WITH_FILE(a_lane_that_does_not_open_stops_all_before_the_clock),
		WITH_FILE(output_is_in_device_order),
		WITH_FILE(an_output_that_is_full_is_an_error),
		WITH_FILE(an_output_that_is_closed_ends_the_run),
		WITHOUT_FILE(a_drive_is_read_whole_by_each_scsi_engine),
		WITHOUT_FILE(a_drive_of_520_byte_blocks),
		WITHOUT_FILE(what_passes_is_retried_and_counted),
		WITHOUT_FILE(the_latency_of_a_retried_command_is_that_of_its_good_attempt),
		WITHOUT_FILE(a_unit_attention_met_by_the_trial_is_counted),
		WITHOUT_FILE(attentions_while_the_device_was_looked_at_are_counted),
		WITHOUT_FILE(retries_are_bounded),
		WITHOUT_FILE(a_busy_drive_is_asked_until_the_timeout),
		WITHOUT_FILE(another_capacity_is_told),
		WITHOUT_FILE(a_drive_that_is_becoming_ready_is_waited_for),
		WITHOUT_FILE(a_drive_that_becomes_not_ready_midway_is_waited_for),
		WITHOUT_FILE(a_drive_that_stays_not_ready_ends_when_its_time_is_over),
		WITHOUT_FILE(recovered_errors_are_good_data_and_counted),
		WITHOUT_FILE(what_does_not_pass_ends_the_device_with_its_data_kept),
		WITHOUT_FILE(the_first_command_of_all_may_fail),
		WITHOUT_FILE(other_devices_go_on),
		WITHOUT_FILE(all_readers_of_a_failed_device_stop),
		WITHOUT_FILE(a_short_transfer_counts_what_came),
		WITHOUT_FILE(intervals_count_what_came_of_a_short_transfer),
		WITHOUT_FILE(copied_commands_fail_a_run_that_must_not_copy),
		WITHOUT_FILE(direct_and_mapped_commands_pass_it),
		WITHOUT_FILE(a_failed_device_outranks_a_missed_expectation),
		WITHOUT_FILE(output_ends_before_the_transfer_that_failed),
		WITHOUT_FILE(a_stop_interrupts_and_keeps_the_data),
		WITHOUT_FILE(a_stop_lets_commands_in_flight_end),
		WITHOUT_FILE(a_stop_before_the_run_starts_no_clock),
		WITHOUT_FILE(a_drive_that_fails_and_a_stop_is_interrupted),
		WITH_FILE(a_hanging_device_does_not_hang_the_run),
	};

	return cmocka_run_group_tests(tests, share, NULL);
}
