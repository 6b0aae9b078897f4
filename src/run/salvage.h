/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Saving what can be read of a transfer that failed: a patch is one such transfer on its way to
 * be read in parts (run/split.h), a salvage what all readers of a device share of it. One patch
 * of a device is worked on at a time, since the block layer may merge the reads of two, and
 * then the good one of them fails with the other.
 *
 * Nothing here is touched while all goes well.
 */
#ifndef SGS_RUN_SALVAGE_H
#define SGS_RUN_SALVAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "run/bad.h"
#include "run/split.h"

struct sgs_reader;

struct sgs_salvage {
	pthread_mutex_t turn; /* held while a patch is worked on; covers all below */
	struct sgs_bad bad;
	uint64_t most; /* blocks that may be left out */
	bool over;     /* it were more, or memory is short: no patch begins any more */
	bool has_first;
	struct sgs_outcome first; /* of the first bad block */
	uint64_t first_lba;
	uint64_t next_lba; /* behind the last bad block found */
	uint32_t grain;	   /* see struct sgs_split */
	bool merges;	   /* the way to the device can make one read of two */
	bool reads_ahead;  /* and also of one and what nobody has asked for */
};

void sgs_salvage_init(struct sgs_salvage *s, const struct sgs_engine *engine,
	const struct sgs_device *device, unsigned depth, uint64_t most);
void sgs_salvage_destroy(struct sgs_salvage *s);

/* Makes slot, whose command failed, a patch; with the turn held. False when memory is short. */
bool sgs_patch_begin(struct sgs_reader *r, struct sgs_slot *slot);

/* Sets slot->extent to the next part. False when the transfer is settled. */
bool sgs_patch_next(struct sgs_reader *r, struct sgs_slot *slot);

/* The part was read, or failed for good; wait_ns: before it goes on. False when the device is
 * to be given up, since too many blocks are bad. */
bool sgs_patch_take(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *wait_ns);

/* Counts the patch, and gives slot its whole extent and an outcome of what was good in all. The
 * patch stays until sgs_patch_consume(). Ends with the turn held. */
void sgs_patch_end(struct sgs_reader *r, struct sgs_slot *slot);

/* What the job wants done with the good data of the patch that has ended; frees it. written:
 * all was read or is known to be bad, so that it may go to the output. */
void sgs_patch_consume(struct sgs_reader *r, struct sgs_slot *slot, bool written);

#endif
