/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the engines share that pread a block node or a regular file.
 */
#ifndef SGS_ENGINE_BLOCK_H
#define SGS_ENGINE_BLOCK_H

#include "engine/engine.h"

/* Needs a block node or a file; says how to get one when there is none. */
int sgs_block_probe(const struct sgs_device *device, struct sgs_error *why);

/* One descriptor with open_flags, one page-aligned buffer. align: length and offset granularity
 * that the descriptor demands, 1 for none. */
int sgs_block_open(const struct sgs_lane_config *config, int open_flags, uint32_t align,
	enum sgs_transfer transfer, struct sgs_lane **lane, struct sgs_error *err);

enum sgs_submitted sgs_block_submit(struct sgs_lane *lane, struct sgs_slot *slot);
void sgs_block_close(struct sgs_lane *lane);

#endif
