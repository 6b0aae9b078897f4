/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the engines share that read a block node or a regular file.
 */
#ifndef SGS_ENGINE_BLOCK_H
#define SGS_ENGINE_BLOCK_H

#include "engine/engine.h"

/* Needs a block node or a file; says how to get one when there is none. */
int sgs_block_probe(const struct sgs_device *device, struct sgs_error *why);

/* Opens the block node O_RDONLY with flags into *fd. */
int sgs_block_open_node(
	const struct sgs_device *device, int flags, int *fd, struct sgs_error *err);

/* n rounded up to a multiple of align, which need be no power of two. */
static inline uint32_t sgs_round_up(uint32_t n, uint32_t align)
{
	return align > 1 ? (n + align - 1) / align * align : n;
}

/* Length and offset granularity of O_DIRECT. */
uint32_t sgs_direct_align(const struct sgs_device *device);

/* Whether bs_bytes suits O_DIRECT. */
int sgs_direct_check(const struct sgs_lane_config *config, struct sgs_error *err);

/* 0 unless the outcome of a trial says that the size is refused. */
int sgs_direct_explain(const struct sgs_lane_config *config, const struct sgs_outcome *outcome,
	struct sgs_error *err);

/* One way of reading with pread(2) or preadv2(2). */
struct sgs_pread_way {
	int open_flags;
	uint32_t align; /* granularity that the descriptor demands, 1 for none */
	int rwf;	/* RWF_* flags */
	enum sgs_transfer transfer;
};

/* A lane of one descriptor and one page-aligned buffer, read whole or in config->iovecs parts.
 */
int sgs_pread_open(const struct sgs_lane_config *config, const struct sgs_pread_way *way,
	struct sgs_lane **lane, struct sgs_error *err);
enum sgs_submitted sgs_pread_submit(struct sgs_lane *lane, struct sgs_slot *slot);
void sgs_pread_close(struct sgs_lane *lane);

#endif
