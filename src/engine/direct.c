/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * direct: pread(2) with O_DIRECT. The kernel refuses what it cannot do by DMA, so a read that
 * succeeds on a block node was not copied.
 */
#include <fcntl.h>

#include "engine/all.h"
#include "engine/block.h"

static int direct_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	const struct sgs_pread_way way = {
		.open_flags = O_DIRECT,
		.align = sgs_direct_align(config->device),
		.transfer = SGS_DIRECT,
	};
	int status = sgs_direct_check(config, err);

	return status ? status : sgs_pread_open(config, &way, lane, err);
}

const struct sgs_engine sgs_engine_direct = {
	.name = "direct",
	.summary = "pread with O_DIRECT: no copy",
	.node = SGS_NODE_BLOCK,
	.vectored = true,
	.max_slots = 1,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = sgs_block_probe,
	.open = direct_open,
	.submit = sgs_pread_submit,
	.close = sgs_pread_close,
};
