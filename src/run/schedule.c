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

uint64_t sgs_schedule_blocks(const struct sgs_schedule *s)
{
	uint64_t before = s->transfers - 1, whole;

	if (s->transfers >= UINT64_MAX / 2 ||
		__builtin_mul_overflow(before / s->pass_transfers, s->range_blocks, &whole) ||
		__builtin_add_overflow(
			whole, before % s->pass_transfers * s->blocks + s->tail, &whole))
		return UINT64_MAX;
	return whole;
}

uint64_t sgs_schedule_bytes(const struct sgs_schedule *s, uint32_t block_bytes)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(sgs_schedule_blocks(s), block_bytes, &bytes))
		return UINT64_MAX;
	return bytes;
}

void sgs_schedule_close(struct sgs_schedule *s)
{
	__atomic_store_n(&s->cursor, UINT64_MAX / 2, __ATOMIC_RELAXED);
}
