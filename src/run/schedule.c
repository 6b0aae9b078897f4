/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/schedule.h"

#include <string.h>

/* Transfers that it takes to read total blocks, and the size of the last one. */
static uint64_t transfers_for(const struct sgs_schedule *s, uint64_t total, uint32_t *tail)
{
	uint64_t passes = total / s->range_blocks, rest = total % s->range_blocks;
	uint64_t n = passes * s->pass_transfers + (rest + s->blocks - 1) / s->blocks;

	*tail = !rest		   ? s->pass_tail
		: rest % s->blocks ? (uint32_t)(rest % s->blocks)
				   : s->blocks;
	return n;
}

void sgs_schedule_init(struct sgs_schedule *s, uint64_t first_lba, uint64_t range_blocks,
	uint32_t blocks, bool loop, uint64_t max_transfers, uint64_t max_blocks)
{
	memset(s, 0, sizeof *s);
	s->first_lba = first_lba;
	s->range_blocks = range_blocks;
	s->blocks = blocks;
	s->pass_transfers = (range_blocks - 1) / blocks + 1;
	s->pass_tail = (uint32_t)((range_blocks - 1) % blocks + 1);
	if (!loop && (!max_blocks || max_blocks > range_blocks))
		max_blocks = range_blocks;
	s->transfers = UINT64_MAX / 2;
	s->tail = blocks;
	if (max_blocks)
		s->transfers = transfers_for(s, max_blocks, &s->tail);
	if (max_transfers && max_transfers < s->transfers) {
		s->transfers = max_transfers;
		s->tail = max_transfers % s->pass_transfers ? blocks : s->pass_tail;
	}
}

void sgs_schedule_shuffle(struct sgs_schedule *s, uint64_t seed)
{
	bool short_tail = s->pass_tail != s->blocks;

	s->seed = seed;
	s->shuffle = sgs_shuffle_of(s->pass_transfers - short_tail);
}

uint64_t sgs_schedule_place(const struct sgs_schedule *s, uint64_t index, uint64_t in_pass)
{
	/* cppcheck-suppress zerodivcond ; a pass has at least one transfer */
	uint64_t pass = index / s->pass_transfers, state = s->seed;

	if (in_pass >= s->shuffle.n)
		return in_pass;
	state = sgs_random_next(&state) + pass; /* the next seed's first pass is another */
	return sgs_shuffle_at(&s->shuffle, sgs_random_next(&state), in_pass);
}

uint64_t sgs_schedule_covers(const struct sgs_schedule *s)
{
	return s->transfers < s->pass_transfers ? s->transfers : s->pass_transfers;
}

static bool is_endless(const struct sgs_schedule *s)
{
	return s->transfers >= UINT64_MAX / 2;
}

/* The first of the i-th of n equal shares; those before it have as many, or one less. */
static uint64_t share(uint64_t of, unsigned i, unsigned n)
{
	return of / n * i + of % n * i / n;
}

static void cut_one(
	struct sgs_schedule *whole, struct sgs_schedule *segment, unsigned i, unsigned n)
{
	uint64_t covers = sgs_schedule_covers(whole);
	uint64_t first = share(covers, i, n), after = share(covers, i + 1, n);
	bool once = covers == whole->transfers, last = i + 1 == n;

	*segment = (struct sgs_schedule){
		.first_lba = whole->first_lba + first * whole->blocks,
		.blocks = whole->blocks,
		.pass_transfers = after - first,
		.pass_tail = !last  ? whole->blocks
			     : once ? whole->tail
				    : whole->pass_tail,
		.transfers = whole->transfers,
		.whole = whole,
	};
	segment->range_blocks =
		(segment->pass_transfers - 1) * segment->blocks + segment->pass_tail;
	if (!is_endless(whole))
		segment->transfers =
			share(whole->transfers, i + 1, n) - share(whole->transfers, i, n);
	segment->tail = segment->transfers % segment->pass_transfers ? segment->blocks
								     : segment->pass_tail;
}

void sgs_schedule_cut(struct sgs_schedule *s, struct sgs_schedule *segments, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cut_one(s, &segments[i], i, n);
	s->segments = segments;
	s->n_segments = n;
}

static uint64_t own_blocks(const struct sgs_schedule *s)
{
	uint64_t before = s->transfers - 1, whole;

	if (is_endless(s) ||
		__builtin_mul_overflow(before / s->pass_transfers, s->range_blocks, &whole) ||
		__builtin_add_overflow(
			whole, before % s->pass_transfers * s->blocks + s->tail, &whole))
		return UINT64_MAX;
	return whole;
}

uint64_t sgs_schedule_blocks(const struct sgs_schedule *s)
{
	uint64_t sum = 0;

	if (!s->segments)
		return own_blocks(s);
	for (unsigned i = 0; i < s->n_segments; i++)
		if (__builtin_add_overflow(sum, own_blocks(&s->segments[i]), &sum))
			return UINT64_MAX;
	return sum;
}

uint64_t sgs_schedule_bytes(const struct sgs_schedule *s, uint32_t block_bytes)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(sgs_schedule_blocks(s), block_bytes, &bytes))
		return UINT64_MAX;
	return bytes;
}

static void close_one(struct sgs_schedule *s)
{
	__atomic_store_n(&s->cursor, UINT64_MAX / 2, __ATOMIC_RELAXED);
}

void sgs_schedule_close(struct sgs_schedule *s)
{
	if (s->whole)
		s = s->whole;
	close_one(s);
	for (unsigned i = 0; i < s->n_segments; i++)
		close_one(&s->segments[i]);
}
