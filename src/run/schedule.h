/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who reads what: one cursor per device that all its readers share, moved by one atomic add; or
 * one per reader, when each has its own segment.
 */
#ifndef SGS_RUN_SCHEDULE_H
#define SGS_RUN_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "util/random.h"

struct sgs_schedule {
	/* Read-only while readers run. */
	uint64_t first_lba; /* of the range */
	uint64_t range_blocks;
	uint32_t blocks;	 /* per transfer */
	uint64_t pass_transfers; /* transfers that cover the range once */
	uint32_t pass_tail;	 /* blocks of the last of them */
	uint64_t transfers;	 /* in all, over as many passes as it takes */
	uint32_t tail;		 /* blocks of the very last one */
	uint64_t seed;		 /* of the order, when shuffle.n is not 0 */
	struct sgs_shuffle shuffle;
	struct sgs_schedule *segments; /* of a whole that is read in segments */
	unsigned n_segments;
	struct sgs_schedule *whole; /* of a segment */
	_Alignas(128) uint64_t cursor;
};

/* range_blocks and blocks at least 1. max_transfers and max_blocks end the work early, 0 for no
 * limit; without loop the range's end does too. With loop and neither limit it never ends. */
void sgs_schedule_init(struct sgs_schedule *s, uint64_t first_lba, uint64_t range_blocks,
	uint32_t blocks, bool loop, uint64_t max_transfers, uint64_t max_blocks);

/* The transfers of a pass come in an order that seed picks, another one in each pass; one that
 * is shorter than the rest, at the end of the range, stays the last. */
void sgs_schedule_shuffle(struct sgs_schedule *s, uint64_t seed);

/* The fewest transfers that a pass needs to be cut into n segments is n. Fills segments, an
 * array of n that lives as long as s: each an equal share, in whole transfers, of what s covers
 * and of what it reads. */
void sgs_schedule_cut(struct sgs_schedule *s, struct sgs_schedule *segments, unsigned n);

/* Transfers that s covers, once each. */
uint64_t sgs_schedule_covers(const struct sgs_schedule *s);

/* Blocks that the whole schedule will read; UINT64_MAX when it never ends, or
 * not in sight. */
uint64_t sgs_schedule_blocks(const struct sgs_schedule *s);

/* The same in bytes. */
uint64_t sgs_schedule_bytes(const struct sgs_schedule *s, uint32_t block_bytes);

/* Where the index-th transfer, that of a shuffled schedule, stands in its pass. */
uint64_t sgs_schedule_place(const struct sgs_schedule *s, uint64_t index, uint64_t in_pass);

/* The index-th transfer. */
static inline void sgs_schedule_extent(
	const struct sgs_schedule *s, uint64_t index, struct sgs_extent *out)
{
	/* cppcheck-suppress zerodivcond ; a pass has at least one transfer */
	uint64_t in_pass = index < s->pass_transfers ? index : index % s->pass_transfers;

	if (s->shuffle.n)
		in_pass = sgs_schedule_place(s, index, in_pass);
	out->index = index;
	out->lba = s->first_lba + in_pass * s->blocks;
	out->blocks = in_pass + 1 == s->pass_transfers ? s->pass_tail : s->blocks;
	if (index + 1 == s->transfers)
		out->blocks = s->tail;
}

/* Takes the next transfer; false when all are taken. */
static inline bool sgs_schedule_next(struct sgs_schedule *s, struct sgs_extent *out)
{
	uint64_t index = __atomic_fetch_add(&s->cursor, 1, __ATOMIC_RELAXED);

	if (index >= s->transfers)
		return false;
	sgs_schedule_extent(s, index, out);
	return true;
}

/* Nothing more is given out, by none of the segments either: how a run is stopped. Safe from
 * any thread. */
void sgs_schedule_close(struct sgs_schedule *s);

#endif
