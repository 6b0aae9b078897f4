/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * direct: pread(2) with O_DIRECT. The kernel refuses what it cannot do by DMA, so a read that
 * succeeds on a block node was not copied.
 */
#include <fcntl.h>

#include "engine/all.h"
#include "engine/block.h"
#include "util/units.h"

static int direct_open(const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	const struct sgs_device *device = config->device;
	uint32_t align = device->limits.dio_block ? device->limits.dio_block : 512;
	char size[32];

	if (config->bs_bytes % align)
		return sgs_fail(err, SGS_USAGE, "not_aligned",
			"%s: direct I/O needs multiples of %u bytes, and --bs is %s; round it up, or use "
			"-e buffered",
			device->block_path, align, sgs_format_size(size, sizeof size, config->bs_bytes));
	return sgs_block_open(config, O_DIRECT, align, SGS_DIRECT, lane, err);
}

const struct sgs_engine sgs_engine_direct = {
	.name = "direct",
	.summary = "pread with O_DIRECT: no copy",
	.node = SGS_NODE_BLOCK,
	.max_slots = 1,
	.transfer = SGS_DIRECT,
	.probe = sgs_block_probe,
	.open = direct_open,
	.submit = sgs_block_submit,
	.close = sgs_block_close,
};
