/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sg-mmap: the driver's reserve buffer is mapped, and the adapter's DMA goes straight there.
 * The driver refuses what it cannot map (ENOMEM, EBUSY), so a command that succeeds was not
 * copied.
 */
#include <scsi/sg.h>

#include "engine/all.h"
#include "engine/sg.h"

static int sg_mmap_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	const struct sgs_sg_way way = {
		.path = config->device->sg_path,
		.flags = SG_FLAG_MMAP_IO,
		.reserve = true,
		.transfer = SGS_MAPPED,
	};

	return sgs_sg_open(config, &way, lane, err);
}

const struct sgs_engine sgs_engine_sg_mmap = {
	.name = "sg-mmap",
	.summary = "SG_IO on the sg node, mapped reserve buffer: no copy",
	.node = SGS_NODE_SG,
	.max_slots = 1,
	.transfer = SGS_MAPPED,
	.zero_copy = true,
	.probe = sgs_sg_probe,
	.open = sg_mmap_open,
	.submit = sgs_sg_submit,
	.close = sgs_sg_close,
};
