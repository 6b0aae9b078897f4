/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page cache residency of real files, and the verdicts over made-up evidence. What needs a file
 * system that can drop pages is skipped where the temporary folder is in memory.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_sysfs.h"
#include "measure/cache.h"
#include "sys/residency.h"
#include "util/clock.h"

#define MIB	    1048576ULL
#define GIB	    (1024 * MIB)
#define TIB	    (1024 * GIB)
#define FILE_BYTES  (4 * MIB)
#define TMPFS_MAGIC 0x01021994

typedef int look(int fd, uint64_t offset, uint64_t len, uint64_t *bytes);

static char path[64];
static int fd = -1;

static void write_file(void)
{
	static char block[65536];

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 31);
	for (uint64_t n = 0; n < FILE_BYTES; n += sizeof(block))
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	assert_int_equal(fsync(fd), 0);
}

static int setup(void **state)
{
	(void)state;
	strcpy(path, "/var/tmp/sgs-cache-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	write_file();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(fd);
	unlink(path);
	return 0;
}

static void need_disk(void)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC)
		skip();
}

/* Pages on their way to the disk, or in a batch of another CPU, may need a second call. */
static void forget_all(void)
{
	const struct timespec pause = { 0, 10000000 };
	uint64_t left = 1;

	for (int i = 0; i < 200 && left; i++) {
		assert_int_equal(sgs_sys_forget(fd), 0);
		assert_int_equal(sgs_sys_resident_by_mincore(fd, 0, FILE_BYTES, &left), 0);
		if (left)
			nanosleep(&pause, NULL);
	}
	assert_int_equal(left, 0);
}

static void read_some(uint64_t offset, uint64_t len)
{
	char *buffer = malloc(len);

	assert_int_equal(pread(fd, buffer, len, (off_t)offset), len);
	free(buffer);
}

static void cold_and_warm(look *resident)
{
	uint64_t bytes = 7;

	need_disk();
	forget_all();
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* no read-ahead */
	assert_int_equal(resident(fd, 0, FILE_BYTES, &bytes), 0);
	assert_int_equal(bytes, 0);
	read_some(MIB, MIB);
	assert_int_equal(resident(fd, 0, FILE_BYTES, &bytes), 0);
	assert_int_equal(bytes, MIB);
	assert_int_equal(resident(fd, MIB, MIB, &bytes), 0);
	assert_int_equal(bytes, MIB);
	assert_int_equal(resident(fd, 2 * MIB, MIB, &bytes), 0);
	assert_int_equal(bytes, 0);
	read_some(0, FILE_BYTES);
	assert_int_equal(resident(fd, 0, FILE_BYTES, &bytes), 0);
	assert_int_equal(bytes, FILE_BYTES);
}

static void test_cold_and_warm(void **state)
{
	(void)state;
	cold_and_warm(sgs_sys_resident);
}

static void test_cold_and_warm_by_mincore(void **state)
{
	(void)state;
	cold_and_warm(sgs_sys_resident_by_mincore);
}

/* The last page of a file is not counted beyond its end. */
static void test_end_of_file(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	assert_int_equal(ftruncate(fd, 5000), 0);
	read_some(0, 5000);
	assert_int_equal(sgs_sys_resident(fd, 0, 5000, &bytes), 0);
	assert_int_equal(bytes, 5000);
	assert_int_equal(sgs_sys_resident_by_mincore(fd, 0, 5000, &bytes), 0);
	assert_int_equal(bytes, 5000);
}

/* mm/mincore.c says "all of it" to those that it does not tell. */
static void test_not_told(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(sgs_sys_resident_by_mincore(fd, 0, FILE_BYTES, &bytes), -EPERM);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(fchown(fd, 65534, 65534), 0);
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(sgs_sys_resident_by_mincore(fd, 0, FILE_BYTES, &bytes), 0);
	assert_int_equal(seteuid(0), 0);
}

static void test_dirty(void **state)
{
	uint64_t bytes = 0;
	int r = sgs_sys_dirty(fd, &bytes);

	(void)state;
	need_disk();
	if (r == -ENOSYS || r == -EPERM)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(bytes, 0); /* synced */
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	assert_int_equal(sgs_sys_dirty(fd, &bytes), 0);
	assert_true(bytes >= sgs_sys_page());
}

/* ---- samples ---- */

static void check_plan(uint64_t first, uint64_t range)
{
	struct sgs_cache_sample sample;
	uint64_t page = sgs_sys_page(), total = 0, next = first / page * page, covered = 0;

	assert_int_equal(sgs_cache_sample_plan(&sample, first, range), 0);
	assert_true(sample.n >= 1 && sample.n <= 1024);
	for (size_t i = 0; i < sample.n; i++) {
		const struct sgs_cache_window *w = &sample.windows[i];

		assert_int_equal(w->start % page, 0);
		assert_int_equal(w->start, next);
		assert_true(w->len <= w->stands_for && w->len <= MIB);
		next = w->start + w->stands_for;
		total += w->len;
		covered += w->stands_for;
	}
	assert_int_equal(next, first + range);
	assert_int_equal(covered, range + first % page);
	assert_true(total <= GIB);
	if (range + first % page <= GIB)
		assert_int_equal(total, covered);
	sgs_cache_sample_free(&sample);
}

static void test_plans(void **state)
{
	static const uint64_t ranges[] = { 1, 512, 4096, MIB - 1, MIB, MIB + 1, GIB - 1, GIB,
		GIB + 1, GIB + MIB, 2 * GIB, 10 * GIB, 5 * TIB, 1ULL << 60 };
	static const uint64_t firsts[] = { 0, 512, 4096, 5000, MIB, 3 * TIB + 512 };

	(void)state;
	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		for (size_t f = 0; f < sizeof(firsts) / sizeof(firsts[0]); f++)
			check_plan(firsts[f], ranges[r]);
}

/* A run that reads only the first 8 of 5000 GiB is judged by more than a window or two. */
static void test_dense_at_the_beginning(void **state)
{
	struct sgs_cache_sample sample;
	struct sgs_cache_shares shares;

	(void)state;
	assert_int_equal(sgs_cache_sample_plan(&sample, 0, 5000 * GIB), 0);
	sgs_cache_sample_shares(&sample, 8 * GIB, &shares);
	assert_true(shares.sampled >= 32 * MIB);
	sgs_cache_sample_free(&sample);
}

static void test_shares_weigh_the_windows(void **state)
{
	struct sgs_cache_sample sample;
	struct sgs_cache_shares shares;

	(void)state;
	assert_int_equal(sgs_cache_sample_plan(&sample, 0, 100 * GIB), 0);
	for (size_t i = 0; i < sample.n; i++) {
		struct sgs_cache_window *w = &sample.windows[i];

		w->before = w->start < 50 * GIB ? w->len : 0;
		w->after = w->len;
	}
	sgs_cache_sample_shares(&sample, UINT64_MAX, &shares);
	assert_true(shares.before > 0.49 && shares.before < 0.51);
	assert_true(shares.after > 0.999);
	assert_int_equal(shares.after_bytes, shares.sampled);
	sgs_cache_sample_shares(&sample, 25 * GIB, &shares);
	assert_true(shares.before > 0.999);
	assert_int_equal(shares.before_bytes, shares.sampled);
	sgs_cache_sample_shares(&sample, 0, &shares);
	assert_int_equal(shares.sampled, 0);
	sgs_cache_sample_free(&sample);
}

static void test_sample_of_a_file(void **state)
{
	struct sgs_cache_sample sample;
	struct sgs_cache_shares shares;

	(void)state;
	need_disk();
	forget_all();
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	read_some(0, MIB);
	assert_int_equal(sgs_cache_sample_plan(&sample, 0, FILE_BYTES), 0);
	assert_true(sgs_cache_sample_before(&sample, fd));
	read_some(0, 3 * MIB);
	assert_true(sgs_cache_sample_after(&sample, fd));
	sgs_cache_sample_shares(&sample, FILE_BYTES, &shares);
	assert_int_equal(shares.before_bytes, MIB);
	assert_int_equal(shares.after_bytes, 3 * MIB);
	assert_true(shares.before == 0.25 && shares.after == 0.75);
	sgs_cache_sample_free(&sample);
	assert_int_equal(sgs_cache_sample_plan(&sample, 0, FILE_BYTES), 0);
	assert_false(sgs_cache_sample_before(&sample, -1));
	assert_false(sgs_cache_sample_after(&sample, fd));
	sgs_cache_sample_free(&sample);
}

/* A drive of 5 TB must cost little. */
static void test_a_large_one_is_quick(void **state)
{
	struct sgs_cache_sample sample;
	uint64_t start;

	(void)state;
	if (ftruncate(fd, (off_t)(5 * TIB)) < 0)
		skip();
	assert_int_equal(sgs_cache_sample_plan(&sample, 0, 5 * TIB), 0);
	start = sgs_now_ns();
	assert_true(sgs_cache_sample_before(&sample, fd));
	assert_true(sgs_now_ns() - start < 2000000000u);
	sgs_cache_sample_free(&sample);
}

/* ---- counters ---- */

static void entry(const char *root, const char *text)
{
	char line[256];

	snprintf(line, sizeof(line), "%s", text);
	fake_sysfs_entry(root, line);
}

static void test_what_a_device_counts(void **state)
{
	struct fake_sysfs tree = { "/tmp/sgs-stat-XXXXXX" };
	uint64_t bytes = 0;

	(void)state;
	assert_non_null(mkdtemp(tree.root));
	sgs_sysfs_set_root(tree.root);
	entry(tree.root, "devices/sda/stat:        6        0    10776        8        0  0 0");
	entry(tree.root, "devices/sda/queue/iostats: 1");
	entry(tree.root, "devices/sda/sda1/stat: 1 0 8 8 0 0 0");
	entry(tree.root, "devices/sdb/stat: 6 0 10776 8");
	entry(tree.root, "devices/sdb/queue/iostats: 0");
	entry(tree.root, "devices/sdc/stat: nothing");
	entry(tree.root, "dev/block/8:0 -> devices/sda");
	entry(tree.root, "dev/block/8:1 -> devices/sda/sda1");
	entry(tree.root, "dev/block/8:16 -> devices/sdb");
	entry(tree.root, "dev/block/8:32 -> devices/sdc");
	assert_true(sgs_cache_device_read(makedev(8, 0), &bytes));
	assert_int_equal(bytes, 10776 * 512);
	assert_true(sgs_cache_device_read(makedev(8, 1), &bytes));
	assert_int_equal(bytes, 8 * 512);
	assert_false(sgs_cache_device_read(makedev(8, 16), &bytes)); /* told not to count */
	assert_false(sgs_cache_device_read(makedev(8, 32), &bytes));
	assert_false(sgs_cache_device_read(makedev(8, 48), &bytes));
	fake_sysfs_remove(&tree);
}

/* ---- verdicts ---- */

static double share(const struct sgs_cache_evidence e)
{
	return sgs_cache_drive_share(&e);
}

static enum sgs_cache_verdict verdict(const struct sgs_cache_evidence e)
{
	return sgs_cache_judge(&e);
}

#define ONCE	       .bytes = 64 * MIB, .range = 64 * MIB
#define TEN_TIMES      .bytes = 640 * MIB, .range = 64 * MIB
#define RESIDENT(b, a) .resident_known = true, .before = (b), .after = (a)
#define DRIVE(n)       .drive_known = true, .drive_read = (n), .slack = 2 * MIB

static void test_by_residency_alone(void **state)
{
	(void)state;
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0, 1) }), SGS_CACHE_COLD);
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(1, 1) }), SGS_CACHE_WARM);
	assert_int_equal(verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0.5, 1) }),
		SGS_CACHE_MIXED);
	assert_int_equal(verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0.04, 1) }),
		SGS_CACHE_COLD);
	assert_int_equal(verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0.97, 1) }),
		SGS_CACHE_WARM);
}

static void test_nothing_known(void **state)
{
	(void)state;
	assert_int_equal(verdict((struct sgs_cache_evidence){ ONCE }), SGS_CACHE_UNKNOWN);
	assert_int_equal(verdict((struct sgs_cache_evidence){ .bytes = 0, RESIDENT(0, 0) }),
		SGS_CACHE_UNKNOWN);
}

/* What came into memory the first time is read from there the second. */
static void test_many_passes(void **state)
{
	(void)state;
	assert_true(share((struct sgs_cache_evidence){ TEN_TIMES, RESIDENT(0, 1) }) == 0.1);
	assert_true(share((struct sgs_cache_evidence){ TEN_TIMES, RESIDENT(0, 0) }) == 1);
	assert_int_equal(verdict((struct sgs_cache_evidence){
				 TEN_TIMES, RESIDENT(0, 1), DRIVE(64 * MIB) }),
		SGS_CACHE_MIXED);
}

static void test_what_the_drive_gave_comes_first(void **state)
{
	(void)state;
	/* Dropped from memory between the look and the run, or filled in between */
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0.5, 1), DRIVE(64 * MIB) }),
		SGS_CACHE_COLD);
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0, 1), DRIVE(30 * MIB) }),
		SGS_CACHE_MIXED);
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, DRIVE(0) }), SGS_CACHE_WARM);
	/* More than was asked for: read-ahead, or others */
	assert_true(share((struct sgs_cache_evidence){ ONCE, DRIVE(100 * MIB) }) == 1);
}

/* Read-ahead of what lies behind a range in memory, and drivers that do not count */
static void test_counts_that_say_nothing(void **state)
{
	(void)state;
	assert_int_equal(verdict((struct sgs_cache_evidence){
				 .bytes = MIB, .range = MIB, RESIDENT(1, 1), DRIVE(MIB) }),
		SGS_CACHE_WARM);
	assert_int_equal(verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0, 1), DRIVE(0) }),
		SGS_CACHE_COLD);
}

/* All was in memory before: dropped in the middle, or read by others with O_DIRECT meanwhile */
static void test_never_cold_when_all_was_in_memory(void **state)
{
	(void)state;
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(1, 1), DRIVE(64 * MIB) }),
		SGS_CACHE_MIXED);
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0.97, 1), DRIVE(2 * GIB) }),
		SGS_CACHE_MIXED);
	assert_int_equal(verdict((struct sgs_cache_evidence){ TEN_TIMES, RESIDENT(1, 0) }),
		SGS_CACHE_MIXED);
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ TEN_TIMES, RESIDENT(1, 1), DRIVE(0) }),
		SGS_CACHE_WARM);
}

/* More than the run read, and not all of it for the run */
static void test_what_others_read(void **state)
{
	(void)state;
	assert_int_equal(verdict((struct sgs_cache_evidence){
				 ONCE, RESIDENT(0, 1), DRIVE(100 * MIB), .of_others = true }),
		SGS_CACHE_UNKNOWN);
	assert_int_equal(verdict((struct sgs_cache_evidence){
				 ONCE, DRIVE(100 * MIB), .of_others = true }),
		SGS_CACHE_UNKNOWN);
	assert_int_equal(verdict((struct sgs_cache_evidence){
				 ONCE, RESIDENT(0, 1), DRIVE(65 * MIB), .of_others = true }),
		SGS_CACHE_COLD);
	assert_int_equal(
		verdict((struct sgs_cache_evidence){ ONCE, RESIDENT(0, 1), DRIVE(100 * MIB) }),
		SGS_CACHE_COLD);
}

static void test_of_all_devices(void **state)
{
	(void)state;
	assert_int_equal(sgs_cache_sum_up(SGS_CACHE_UNJUDGED, SGS_CACHE_COLD), SGS_CACHE_COLD);
	assert_int_equal(sgs_cache_sum_up(SGS_CACHE_WARM, SGS_CACHE_UNJUDGED), SGS_CACHE_WARM);
	assert_int_equal(sgs_cache_sum_up(SGS_CACHE_COLD, SGS_CACHE_COLD), SGS_CACHE_COLD);
	assert_int_equal(sgs_cache_sum_up(SGS_CACHE_COLD, SGS_CACHE_WARM), SGS_CACHE_MIXED);
	assert_int_equal(
		sgs_cache_sum_up(SGS_CACHE_UNKNOWN, SGS_CACHE_WARM), SGS_CACHE_UNKNOWN);
	assert_null(sgs_cache_verdict_name(SGS_CACHE_UNJUDGED));
	assert_string_equal(sgs_cache_verdict_name(SGS_CACHE_MIXED), "mixed");
}

#define WITH_FILE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FILE(test_cold_and_warm),
		WITH_FILE(test_cold_and_warm_by_mincore),
		WITH_FILE(test_end_of_file),
		WITH_FILE(test_not_told),
		WITH_FILE(test_dirty),
		WITH_FILE(test_sample_of_a_file),
		WITH_FILE(test_a_large_one_is_quick),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_dense_at_the_beginning),
		cmocka_unit_test(test_shares_weigh_the_windows),
		cmocka_unit_test(test_what_a_device_counts),
		cmocka_unit_test(test_by_residency_alone),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_many_passes),
		cmocka_unit_test(test_what_the_drive_gave_comes_first),
		cmocka_unit_test(test_counts_that_say_nothing),
		cmocka_unit_test(test_never_cold_when_all_was_in_memory),
		cmocka_unit_test(test_what_others_read),
		cmocka_unit_test(test_of_all_devices),
	};

	return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
