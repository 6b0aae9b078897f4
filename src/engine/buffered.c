/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffered: pread(2) through the page cache, as dd does. Every byte is copied once more, out of
 * the cache, and read-ahead decides what the drive sees.
 */
#include "engine/all.h"
#include "engine/block.h"

static int buffered_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	static const struct sgs_pread_way way = { .align = 1, .transfer = SGS_CACHED };
	struct sgs_lane_config quiet = *config;

	quiet.trial.blocks = 0; /* it would warm the cache, and no size is refused */
	return sgs_pread_open(&quiet, &way, lane, err);
}

const struct sgs_engine sgs_engine_buffered = {
	.name = "buffered",
	.summary = "pread through the page cache: one copy",
	.node = SGS_NODE_BLOCK,
	.vectored = true,
	.max_slots = 1,
	.transfer = SGS_CACHED,
	.probe = sgs_block_probe,
	.open = buffered_open,
	.submit = sgs_pread_submit,
	.close = sgs_pread_close,
};
