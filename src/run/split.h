/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for the bad blocks of an extent whose READ failed, as a series of smaller READs,
 * in order. A block is bad only when it was read alone and failed; what a drive says about
 * where (INFO) starts the search and proves nothing. Where nothing is known the extent is
 * halved; behind a bad block the next one is tried alone, for bad blocks come in patches, and
 * each good read makes the next one four times as long.
 *
 * Nothing is read here: a caller asks for the next part, reads it, and says what came of it.
 */
#ifndef SGS_RUN_SPLIT_H
#define SGS_RUN_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#define SGS_NO_HINT UINT64_MAX

struct sgs_split {
	uint64_t at, end;     /* what is not settled */
	uint64_t suspect_end; /* above at: a read of all up to there failed */
	uint64_t hint;	      /* the block that the drive named */
	uint64_t step;	      /* blocks to try where nothing is suspect */
	uint32_t grain;	      /* blocks that cannot be read apart, from a multiple of it on */
	bool distrust;	      /* it has named a good one, or not the first bad one */
};

/* blocks at lba failed as a whole when certain, else may have because of a neighbour. */
void sgs_split_begin(struct sgs_split *s, uint64_t lba, uint32_t blocks, uint32_t grain,
	bool certain, uint64_t hint);

/* How many blocks to read at s->at; 0: all is settled. */
uint32_t sgs_split_next(const struct sgs_split *s);

/* The first blocks of the part were read. */
void sgs_split_good(struct sgs_split *s, uint32_t blocks);

/* The part of so many blocks failed behind the good ones. True: it was one that cannot be read
 * in smaller parts, and is bad. */
bool sgs_split_failed(struct sgs_split *s, uint32_t good, uint32_t blocks, uint64_t hint);

#endif
