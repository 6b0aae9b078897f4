/* SPDX-License-Identifier: BSD-2-Clause */
/* Shuffled orders, and segments: each block once, in an order that the seed alone decides. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/schedule.h"
#include "util/random.h"

enum { MOST = 5000 };

static unsigned times[MOST]; /* each block was read */

static void forget(void)
{
	memset(times, 0, sizeof(times));
}

static void mark(const struct sgs_extent *e, uint64_t first)
{
	for (uint32_t i = 0; i < e->blocks; i++)
		times[e->lba - first + i]++;
}

static void assert_each(uint64_t blocks, unsigned n)
{
	for (uint64_t i = 0; i < blocks; i++)
		if (times[i] != n)
			fail_msg("block %llu came %u times, not %u", (unsigned long long)i,
				times[i], n);
}

/* ---- shuffle ---- */

static void every_number_stands_at_one_place(void **state)
{
	bool seen[300];
	(void)state;

	for (uint64_t n = 1; n <= 300; n++) {
		struct sgs_shuffle s = sgs_shuffle_of(n);

		memset(seen, 0, sizeof(seen));
		for (uint64_t i = 0; i < n; i++) {
			uint64_t at = sgs_shuffle_at(&s, 7 * n, i);

			assert_true(at < n);
			assert_false(seen[at]);
			seen[at] = true;
		}
	}
}

/* The largest range of 64-bit addresses by one block stays inside, and two places differ. */
static void the_largest_orders(void **state)
{
	struct sgs_shuffle s = sgs_shuffle_of(UINT64_MAX - 5);
	(void)state;

	assert_true(sgs_shuffle_at(&s, 1, 0) < s.n);
	assert_true(sgs_shuffle_at(&s, 1, UINT64_MAX - 6) < s.n);
	assert_int_not_equal(sgs_shuffle_at(&s, 1, 0), sgs_shuffle_at(&s, 1, 1));
}

/* Of 64 keys and 16 places, each place should hold each sixteenth about as often: the sum of
 * squares of Pearson's test with 225 degrees of freedom is below 290 in 99.8 % of the cases,
 * and this one is always the same. */
static void no_place_has_a_favourite(void **state)
{
	struct sgs_shuffle s = sgs_shuffle_of(4096);
	unsigned counts[16][16] = { 0 };
	double sum = 0, each;
	(void)state;

	for (uint64_t key = 0; key < 64; key++)
		for (uint64_t i = 0; i < 4096; i++)
			counts[i / 256]
			      [sgs_shuffle_at(&s, key * 0x9e3779b97f4a7c15, i) / 256]++;
	each = 64.0 * 4096 / 256;
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++)
			sum += (counts[i][j] - each) * (counts[i][j] - each) / each;
	assert_true(sum < 290);
}

/* ---- random ---- */

static void each_pass_reads_each_block_once(void **state)
{
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	for (uint64_t range = 1; range <= 200; range += 7)
		for (uint32_t blocks = 1; blocks <= 13; blocks += 3) {
			sgs_schedule_init(&s, 9, range, blocks, true, 0, 3 * range);
			sgs_schedule_shuffle(&s, range);
			forget();
			while (sgs_schedule_next(&s, &e)) {
				assert_true(e.lba >= 9 && e.lba + e.blocks <= 9 + range);
				assert_int_equal((e.lba - 9) % blocks, 0);
				mark(&e, 9);
			}
			assert_each(range, 3);
			assert_int_equal(sgs_schedule_blocks(&s), 3 * range);
		}
}

static void collect(uint64_t seed, uint64_t lbas[2000])
{
	struct sgs_schedule s;
	struct sgs_extent e = { 0 };

	sgs_schedule_init(&s, 0, 1000, 1, true, 2000, 0);
	sgs_schedule_shuffle(&s, seed);
	for (unsigned i = 0; i < 2000; i++) {
		assert_true(sgs_schedule_next(&s, &e));
		lbas[i] = e.lba;
	}
}

static void the_seed_decides_and_passes_differ(void **state)
{
	static uint64_t first[2000], again[2000], other[2000];
	unsigned stays = 0;
	(void)state;

	collect(1, first);
	collect(1, again);
	collect(2, other);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
	assert_memory_not_equal(first, first + 1000, sizeof(first) / 2);
	/* The second pass under one seed is not the first under the next. */
	assert_memory_not_equal(other, first + 1000, sizeof(first) / 2);
	for (unsigned i = 1; i < 1000; i++)
		stays += first[i] == first[i - 1] + 1;
	assert_true(stays < 20); /* one in a thousand is expected */
}

static void a_limit_ends_a_shuffled_pass_to_the_block(void **state)
{
	struct sgs_schedule s;
	struct sgs_extent e;
	uint64_t sum = 0;
	(void)state;

	sgs_schedule_init(&s, 0, 1003, 10, false, 0, 333);
	sgs_schedule_shuffle(&s, 5);
	forget();
	while (sgs_schedule_next(&s, &e)) {
		sum += e.blocks;
		mark(&e, 0);
	}
	assert_int_equal(sum, 333);
	for (unsigned i = 0; i < 1003; i++)
		assert_true(times[i] <= 1);
}

/* ---- segments ---- */

static uint64_t read_segment(struct sgs_schedule *s, uint64_t *first, uint64_t *last)
{
	struct sgs_extent e;
	uint64_t sum = 0, expected = UINT64_MAX;

	*first = UINT64_MAX;
	while (sgs_schedule_next(s, &e)) {
		if (e.lba < *first)
			*first = e.lba;
		if (expected != UINT64_MAX && e.lba != *first)
			assert_int_equal(e.lba, expected); /* or it has begun again */
		expected = e.lba + e.blocks;
		*last = expected - 1;
		sum += e.blocks;
		mark(&e, 100);
	}
	return sum;
}

static void segments_are_contiguous_and_cover_the_range(void **state)
{
	static struct sgs_schedule parts[8];
	struct sgs_schedule s;
	(void)state;

	for (uint64_t range = 64; range <= 300; range++)
		for (unsigned n = 1; n <= 8; n++) {
			uint64_t sum = 0, before = 99;

			sgs_schedule_init(&s, 100, range, 7, false, 0, 0);
			sgs_schedule_cut(&s, parts, n);
			assert_int_equal(sgs_schedule_blocks(&s), range);
			forget();
			for (unsigned i = 0; i < n; i++) {
				uint64_t first, last = 0;

				sum += read_segment(&parts[i], &first, &last);
				assert_int_equal(first, before + 1);
				before = last;
			}
			assert_int_equal(sum, range);
			assert_each(range, 1);
		}
}

static void count_and_size_are_shared_out(void **state)
{
	static const struct {
		uint64_t count, size;
		bool loop;
		unsigned most; /* times that a block is read */
	} cases[] = { { 20, 0, false, 1 }, { 0, 137, false, 1 }, { 95, 0, true, 5 },
		{ 30, 200, false, 1 } };
	static struct sgs_schedule parts[4];
	(void)state;

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct sgs_schedule s;
		uint64_t sum = 0, transfers = 0;

		sgs_schedule_init(
			&s, 100, 203, 5, cases[c].loop, cases[c].count, cases[c].size);
		sgs_schedule_cut(&s, parts, 4);
		forget();
		for (unsigned i = 0; i < 4; i++) {
			struct sgs_extent e;

			for (; sgs_schedule_next(&parts[i], &e); transfers++) {
				mark(&e, 100);
				sum += e.blocks;
			}
		}
		assert_int_equal(sum, sgs_schedule_blocks(&s));
		assert_int_equal(transfers, s.transfers);
		if (!cases[c].loop && cases[c].size)
			assert_int_equal(sum, cases[c].count ? 150 : 137);
		for (unsigned i = 0; i < 203; i++)
			assert_true(times[i] <= cases[c].most);
	}
}

static void segments_of_an_endless_loop_go_round_their_own(void **state)
{
	static struct sgs_schedule parts[3];
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	sgs_schedule_init(&s, 0, 30, 1, true, 0, 0);
	sgs_schedule_cut(&s, parts, 3);
	assert_true(sgs_schedule_blocks(&s) == UINT64_MAX);
	for (unsigned i = 0; i < 100; i++) {
		assert_true(sgs_schedule_next(&parts[1], &e));
		assert_int_equal(e.lba, 10 + i % 10);
	}
}

/* Whichever of them is closed. */
static void a_close_reaches_all_segments(void **state)
{
	static struct sgs_schedule parts[3];
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	for (int i = -1; i < 3; i++) {
		sgs_schedule_init(&s, 0, 30, 1, true, 0, 0);
		sgs_schedule_cut(&s, parts, 3);
		assert_true(sgs_schedule_next(&parts[2], &e));
		sgs_schedule_close(i < 0 ? &s : &parts[i]);
		for (unsigned j = 0; j < 3; j++)
			assert_false(sgs_schedule_next(&parts[j], &e));
	}
}

/* ---- who writes where ---- */

/* A cursor is alone on its pair of lines, also beside those of other devices and segments. */
static void no_two_cursors_share_a_line(void **state)
{
	(void)state;

	assert_int_equal(offsetof(struct sgs_schedule, cursor) % 128, 0);
	assert_true(offsetof(struct sgs_schedule, cursor) >= 128);
	assert_int_equal(sizeof(struct sgs_schedule) % 128, 0);
	assert_int_equal(
		sizeof(struct sgs_schedule) - offsetof(struct sgs_schedule, cursor), 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_stands_at_one_place),
		cmocka_unit_test(the_largest_orders),
		cmocka_unit_test(no_place_has_a_favourite),
		cmocka_unit_test(each_pass_reads_each_block_once),
		cmocka_unit_test(the_seed_decides_and_passes_differ),
		cmocka_unit_test(a_limit_ends_a_shuffled_pass_to_the_block),
		cmocka_unit_test(segments_are_contiguous_and_cover_the_range),
		cmocka_unit_test(count_and_size_are_shared_out),
		cmocka_unit_test(segments_of_an_endless_loop_go_round_their_own),
		cmocka_unit_test(a_close_reaches_all_segments),
		cmocka_unit_test(no_two_cursors_share_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
