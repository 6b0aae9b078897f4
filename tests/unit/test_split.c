/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for bad blocks, over drives that are a set of these; and the list they end in. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/bad.h"
#include "run/split.h"

enum { BLOCKS = 4096 };

enum info { INFO_NONE, INFO_RIGHT, INFO_FIRST_OF_COMMAND, INFO_LAST_OF_COMMAND, INFO_OUTSIDE };

static bool bad[BLOCKS], found[BLOCKS], read_well[BLOCKS];
static unsigned reads;
static enum info info;

static int forget(void **state)
{
	(void)state;
	memset(bad, 0, sizeof bad);
	memset(found, 0, sizeof found);
	memset(read_well, 0, sizeof read_well);
	reads = 0;
	info = INFO_NONE;
	return 0;
}

static uint64_t first_bad(uint64_t lba, uint32_t blocks)
{
	for (uint64_t at = lba; at < lba + blocks; at++)
		if (bad[at])
			return at;
	return SGS_NO_HINT;
}

static uint64_t told(uint64_t lba, uint32_t blocks)
{
	switch (info) {
	case INFO_RIGHT:
		return first_bad(lba, blocks);
	case INFO_FIRST_OF_COMMAND:
		return lba;
	case INFO_LAST_OF_COMMAND:
		return lba + blocks - 1;
	case INFO_OUTSIDE:
		return lba + 5000;
	default:
		return SGS_NO_HINT;
	}
}

/* Settles one extent; every READ that this takes is counted. */
static void settle(uint64_t lba, uint32_t blocks, uint32_t grain, bool certain, uint64_t hint)
{
	struct sgs_split s;
	uint32_t n;

	sgs_split_begin(&s, lba, blocks, grain, certain, hint);
	while ((n = sgs_split_next(&s))) {
		uint64_t at = s.at;

		assert_true(at >= lba && at + n <= lba + blocks);
		assert_true(++reads < 100000);
		if (first_bad(at, n) == SGS_NO_HINT) {
			memset(read_well + at, true, n);
			sgs_split_good(&s, n);
		} else if (sgs_split_failed(&s, 0, n, told(at, n))) {
			assert_true(n <= grain);
			memset(found + at, true, n);
		}
	}
	assert_int_equal(s.at, lba + blocks);
}

static void assert_exact(uint64_t lba, uint32_t blocks)
{
	for (uint64_t at = lba; at < lba + blocks; at++) {
		assert_int_equal(found[at], bad[at]);
		assert_int_equal(read_well[at], !bad[at]);
	}
}

static void every_pattern_of_a_small_extent_is_found_exactly(void **state)
{
	for (info = INFO_NONE; info <= INFO_OUTSIDE; info++)
		for (unsigned pattern = 0; pattern < 1u << 10; pattern++) {
			enum info kept = info;

			forget(state);
			info = kept;
			for (unsigned i = 0; i < 10; i++)
				bad[100 + i] = pattern >> i & 1;
			settle(100, 10, 1, pattern != 0 && pattern & 1, told(100, 10));
			assert_exact(100, 10);
		}
}

static void random_patterns_of_large_extents_are_found_exactly(void **state)
{
	srandom(1);
	for (unsigned round = 0; round < 300; round++) {
		uint32_t blocks = 1 + (uint32_t)random() % 2048;

		forget(state);
		info = (enum info)(random() % 5);
		for (unsigned i = (unsigned)random() % 40; i; i--)
			bad[1000 + random() % blocks] = true;
		settle(1000, blocks, 1, first_bad(1000, blocks) != SGS_NO_HINT,
			told(1000, blocks));
		assert_exact(1000, blocks);
	}
}

static unsigned reads_for_one(unsigned at, enum info kind)
{
	forget(NULL);
	info = kind;
	bad[at] = true;
	settle(0, 128, 1, true, told(0, 128));
	assert_exact(0, 128);
	return reads;
}

/* Up to the bad block, the block, and what is behind it in parts that grow. */
static void one_bad_block_takes_few_reads(void **state)
{
	(void)state;
	for (unsigned at = 0; at < 128; at++) {
		assert_true(reads_for_one(at, INFO_RIGHT) <= 7);
		assert_true(reads_for_one(at, INFO_NONE) <= 14);
		assert_true(reads_for_one(at, INFO_FIRST_OF_COMMAND) <= 15);
		assert_true(reads_for_one(at, INFO_OUTSIDE) <= 14);
	}
}

/* A thousand bad blocks need a thousand reads that fail; a fifth more is allowed. */
static void a_patch_takes_little_more_than_a_read_each(void **state)
{
	for (enum info kind = INFO_NONE; kind <= INFO_OUTSIDE; kind++)
		for (unsigned start = 1024; start < 1152; start += 13) {
			forget(state);
			info = kind;
			memset(bad + start, true, 1000);
			for (unsigned lba = 1024; lba < start + 1000; lba += 128)
				settle(lba, 128, 1, true, kind ? told(lba, 128) : SGS_NO_HINT);
			assert_exact(1024, 1024);
			assert_true(reads <= 1200);
		}
}

static void what_failed_with_a_neighbour_is_read_once_more(void **state)
{
	(void)state;
	settle(0, 128, 1, false, SGS_NO_HINT);
	assert_exact(0, 128);
	assert_int_equal(reads, 1);
}

/* Through the page cache a block fails with its page. */
static void blocks_that_cannot_be_read_apart_are_bad_together(void **state)
{
	(void)state;
	bad[12] = bad[100] = true;
	settle(4, 122, 8, true, SGS_NO_HINT);
	for (unsigned at = 4; at < 126; at++) {
		bool with_bad = at / 8 == 12 / 8 || at / 8 == 100 / 8;

		assert_int_equal(found[at], with_bad);
		assert_int_equal(read_well[at], !with_bad);
	}
}

/* A read that gave some blocks and then failed was not of the next one alone. */
static void a_part_that_came_is_not_read_again(void **state)
{
	struct sgs_split s;
	(void)state;

	sgs_split_begin(&s, 0, 8, 1, true, SGS_NO_HINT);
	assert_int_equal(sgs_split_next(&s), 4);
	sgs_split_good(&s, 3);
	assert_false(sgs_split_failed(&s, 3, 1, SGS_NO_HINT));
	assert_int_equal(s.at, 3);
	assert_int_equal(sgs_split_next(&s), 1);
	assert_true(sgs_split_failed(&s, 0, 1, SGS_NO_HINT));
	assert_int_equal(s.at, 4);
}

static void the_last_blocks_of_all(void **state)
{
	struct sgs_split s;
	uint64_t lba = UINT64_MAX - 20;
	unsigned condemned = 0;
	uint32_t n;
	(void)state;

	sgs_split_begin(&s, lba, 8, 1, true, lba);
	while ((n = sgs_split_next(&s)))
		condemned += sgs_split_failed(&s, 0, n, SGS_NO_HINT);
	assert_int_equal(condemned, 8);
}

/* ---- the list ---- */

static void assert_list(const struct sgs_bad *list)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < list->n; i++) {
		blocks += list->ranges[i].count;
		assert_true(list->ranges[i].count > 0);
		if (i)
			assert_true(list->ranges[i - 1].first + list->ranges[i - 1].count <
				    list->ranges[i].first);
	}
	assert_int_equal(blocks, list->blocks);
}

static void ranges_are_in_order_and_apart(void **state)
{
	struct sgs_bad list = { 0 };
	bool in[BLOCKS] = { false };
	(void)state;

	srandom(2);
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t first = (uint64_t)random() % (BLOCKS - 8),
			 count = 1 + (uint64_t)random() % 4;

		assert_true(sgs_bad_add(&list, first, count));
		memset(in + first, true, count);
		if (round % 100 == 0)
			assert_list(&list);
	}
	assert_list(&list);
	for (size_t i = 0; i < list.n; i++)
		for (uint64_t at = 0; at < list.ranges[i].count; at++) {
			assert_true(in[list.ranges[i].first + at]);
			in[list.ranges[i].first + at] = false;
		}
	for (unsigned at = 0; at < BLOCKS; at++)
		assert_false(in[at]);
	sgs_bad_free(&list);
}

static void neighbours_become_one_range(void **state)
{
	struct sgs_bad list = { 0 };
	(void)state;

	sgs_bad_add(&list, 12, 1);
	sgs_bad_add(&list, 10, 1);
	assert_int_equal(list.n, 2);
	sgs_bad_add(&list, 11, 1);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.ranges[0].first, 10);
	assert_int_equal(list.ranges[0].count, 3);
	sgs_bad_add(&list, 5, 100);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.blocks, 100);
	sgs_bad_free(&list);
	assert_null(list.ranges);
}

#define TEST(name) cmocka_unit_test_setup(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_pattern_of_a_small_extent_is_found_exactly),
		TEST(random_patterns_of_large_extents_are_found_exactly),
		TEST(one_bad_block_takes_few_reads),
		TEST(a_patch_takes_little_more_than_a_read_each),
		TEST(what_failed_with_a_neighbour_is_read_once_more),
		TEST(blocks_that_cannot_be_read_apart_are_bad_together),
		TEST(a_part_that_came_is_not_read_again),
		TEST(the_last_blocks_of_all),
		TEST(ranges_are_in_order_and_apart),
		TEST(neighbours_become_one_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
