/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/schedule.h"

#define READERS 8

struct work {
	uint64_t first, range;
	uint32_t blocks;
	bool loop;
	uint64_t count, size; /* limits, 0 none */
};

static void init(struct sgs_schedule *s, const struct work *w)
{
	sgs_schedule_init(s, w->first, w->range, w->blocks, w->loop, w->count, w->size);
}

static uint64_t smaller(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* What a plain reader does: goes on from where it is, never over the end of the range, until a
 * limit is met. */
struct plain_reader {
	const struct work *work;
	uint64_t at, transfers, blocks;
};

static bool plain_next(struct plain_reader *p, struct sgs_extent *out)
{
	const struct work *w = p->work;
	uint64_t n;

	if (w->count && p->transfers == w->count)
		return false;
	if (p->at == w->range) {
		if (!w->loop)
			return false;
		p->at = 0;
	}
	n = smaller(w->blocks, w->range - p->at);
	if (w->size)
		n = smaller(n, w->size - p->blocks);
	if (!n)
		return false;
	*out = (struct sgs_extent){
		.index = p->transfers, .lba = w->first + p->at, .blocks = (uint32_t)n
	};
	p->at += n;
	p->blocks += n;
	p->transfers++;
	return true;
}

static void assert_as_a_plain_reader(const struct work *w)
{
	struct plain_reader plain = { .work = w };
	struct sgs_schedule s;
	struct sgs_extent got, right;

	init(&s, w);
	while (plain_next(&plain, &right)) {
		if (!sgs_schedule_next(&s, &got) || got.lba != right.lba ||
			got.blocks != right.blocks || got.index != right.index)
			fail_msg("range %llu by %u, count %llu, size %llu, loop %d: transfer "
				 "%llu is %u blocks at %llu, not %u at %llu",
				(unsigned long long)w->range, w->blocks,
				(unsigned long long)w->count, (unsigned long long)w->size,
				w->loop, (unsigned long long)plain.transfers, got.blocks,
				(unsigned long long)got.lba, right.blocks,
				(unsigned long long)right.lba);
	}
	assert_false(sgs_schedule_next(&s, &got));
	assert_false(sgs_schedule_next(&s, &got));
	assert_int_equal(sgs_schedule_blocks(&s), plain.blocks);
}

static void each_block_once_with_a_short_tail(void **state)
{
	(void)state;

	for (uint64_t range = 1; range <= 70; range++)
		for (uint32_t blocks = 1; blocks <= 75; blocks++)
			assert_as_a_plain_reader(
				&(struct work){ 11, range, blocks, false, 0, 0 });
}

static void count_ends_it(void **state)
{
	(void)state;

	for (uint64_t range = 1; range <= 20; range++)
		for (uint32_t blocks = 1; blocks <= 21; blocks++)
			for (uint64_t count = 1; count <= 24; count++)
				assert_as_a_plain_reader(
					&(struct work){ 5, range, blocks, false, count, 0 });
}

static void size_ends_it_with_a_tail_of_its_own(void **state)
{
	(void)state;

	for (uint64_t range = 1; range <= 20; range++)
		for (uint32_t blocks = 1; blocks <= 21; blocks++)
			for (uint64_t size = 1; size <= range; size++)
				assert_as_a_plain_reader(
					&(struct work){ 5, range, blocks, false, 0, size });
}

static void a_loop_goes_round_until_count_or_size(void **state)
{
	(void)state;

	for (uint64_t range = 1; range <= 13; range++)
		for (uint32_t blocks = 1; blocks <= 14; blocks++)
			for (uint64_t limit = 1; limit <= 60; limit++) {
				assert_as_a_plain_reader(
					&(struct work){ 3, range, blocks, true, limit, 0 });
				assert_as_a_plain_reader(
					&(struct work){ 3, range, blocks, true, 0, limit });
			}
}

static void the_first_of_two_limits_ends_it(void **state)
{
	(void)state;

	for (int loop = 0; loop < 2; loop++)
		for (uint64_t range = 1; range <= 9; range++)
			for (uint32_t blocks = 1; blocks <= 10; blocks++)
				for (uint64_t count = 1; count <= 12; count++)
					for (uint64_t size = 1; size <= 25; size++)
						assert_as_a_plain_reader(&(struct work){ 0,
							range, blocks, loop, count,
							loop ? size : smaller(size, range) });
}

/* 18 MiB + 512 bytes of a 512-byte drive by 64 KiB: 288 whole transfers and one block. */
static void a_drive_by_hand(void **state)
{
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	sgs_schedule_init(&s, 0, 36865, 128, false, 0, 0);
	assert_int_equal(s.transfers, 289);
	assert_int_equal(sgs_schedule_blocks(&s), 36865);
	sgs_schedule_extent(&s, 287, &e);
	assert_int_equal(e.lba, 36736);
	assert_int_equal(e.blocks, 128);
	sgs_schedule_extent(&s, 288, &e);
	assert_int_equal(e.lba, 36864);
	assert_int_equal(e.blocks, 1);
}

/* The highest LBAs that READ(16) has: nothing may wrap. */
static void the_end_of_64_bit_addresses(void **state)
{
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	sgs_schedule_init(&s, UINT64_MAX - 1000, 1000, 300, false, 0, 0);
	assert_int_equal(s.transfers, 4);
	sgs_schedule_extent(&s, 3, &e);
	assert_true(e.lba == UINT64_MAX - 100);
	assert_int_equal(e.blocks, 100);

	sgs_schedule_init(&s, 0, 1ULL << 62, 128, false, 0, 0);
	assert_true(sgs_schedule_blocks(&s) == 1ULL << 62);
	sgs_schedule_extent(&s, s.transfers - 1, &e);
	assert_true(e.lba == (1ULL << 62) - 128);
	assert_int_equal(e.blocks, 128);
}

static void an_endless_loop_says_so_and_goes_on(void **state)
{
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	sgs_schedule_init(&s, 100, 10, 4, true, 0, 0);
	assert_true(sgs_schedule_blocks(&s) == UINT64_MAX);
	for (int i = 0; i < 3000; i++) {
		assert_true(sgs_schedule_next(&s, &e));
		assert_int_equal(e.lba, 100 + i % 3 * 4);
		assert_int_equal(e.blocks, i % 3 == 2 ? 2 : 4);
	}
}

/* 2^60 transfers of 128 blocks are 2^67 blocks: more than can be said, so not a small number.
 */
static void a_total_beyond_64_bits_does_not_wrap(void **state)
{
	struct sgs_schedule s;
	(void)state;

	sgs_schedule_init(&s, 0, 1024, 128, true, 1ULL << 60, 0);
	assert_true(sgs_schedule_blocks(&s) == UINT64_MAX);
}

static void nothing_is_given_out_after_close(void **state)
{
	struct sgs_schedule s;
	struct sgs_extent e;
	(void)state;

	for (int loop = 0; loop < 2; loop++) {
		sgs_schedule_init(&s, 0, 1000, 8, loop, 0, 0);
		assert_true(sgs_schedule_next(&s, &e));
		sgs_schedule_close(&s);
		for (int i = 0; i < 1000; i++)
			assert_false(sgs_schedule_next(&s, &e));
		sgs_schedule_close(&s);
		assert_false(sgs_schedule_next(&s, &e));
	}
}

/* ---- many readers ---- */

struct shared {
	struct sgs_schedule schedule;
	uint8_t *taken;	      /* per block */
	uint64_t close_after; /* transfers of one reader, 0 never */
	uint64_t wrong;	      /* atomic */
};

static void *take_all(void *arg)
{
	struct shared *shared = arg;
	struct sgs_extent e;
	uint64_t n = 0;

	while (sgs_schedule_next(&shared->schedule, &e)) {
		for (uint32_t i = 0; i < e.blocks; i++)
			if (__atomic_fetch_add(&shared->taken[e.lba + i], 1, __ATOMIC_RELAXED))
				__atomic_fetch_add(&shared->wrong, 1, __ATOMIC_RELAXED);
		if (++n == shared->close_after)
			sgs_schedule_close(&shared->schedule);
	}
	return NULL;
}

static void take_together(struct shared *shared)
{
	pthread_t readers[READERS];

	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, take_all, shared), 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
}

static void readers_never_share_or_miss_an_extent(void **state)
{
	const uint64_t range = 500003;
	struct shared shared = { .taken = calloc(range, 1) };
	(void)state;

	assert_non_null(shared.taken);
	sgs_schedule_init(&shared.schedule, 0, range, 3, false, 0, 0);
	take_together(&shared);
	assert_int_equal(shared.wrong, 0);
	for (uint64_t i = 0; i < range; i++)
		assert_int_equal(shared.taken[i], 1);
	free(shared.taken);
}

static void a_close_stops_all_readers(void **state)
{
	const uint64_t range = 1 << 20;
	struct shared shared = { .taken = calloc(range, 1), .close_after = 100 };
	(void)state;

	assert_non_null(shared.taken);
	sgs_schedule_init(&shared.schedule, 0, range, 1, false, 0, 0);
	take_together(&shared);
	assert_int_equal(shared.wrong, 0);
	assert_int_equal(shared.taken[range - 1], 0);
	assert_int_equal(shared.taken[0], 1);
	free(shared.taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_once_with_a_short_tail),
		cmocka_unit_test(count_ends_it),
		cmocka_unit_test(size_ends_it_with_a_tail_of_its_own),
		cmocka_unit_test(a_loop_goes_round_until_count_or_size),
		cmocka_unit_test(the_first_of_two_limits_ends_it),
		cmocka_unit_test(a_drive_by_hand),
		cmocka_unit_test(the_end_of_64_bit_addresses),
		cmocka_unit_test(an_endless_loop_says_so_and_goes_on),
		cmocka_unit_test(a_total_beyond_64_bits_does_not_wrap),
		cmocka_unit_test(nothing_is_given_out_after_close),
		cmocka_unit_test(readers_never_share_or_miss_an_extent),
		cmocka_unit_test(a_close_stops_all_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
