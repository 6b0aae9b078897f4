/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sgio: SG_IO on the block node. Linux 6.1 block/blk-map.c maps the reader's pages for DMA
 * unless the address or length misses the queue's alignment; the buffer here is whole pages,
 * which meets any. The node gives no info bits to check that by.
 */
#include "engine/all.h"
#include "engine/sg.h"

static int sgio_probe(const struct sgs_device *device, struct sgs_error *why)
{
	int status = sgs_scsi_probe(device, why);

	if (status || device->block_path[0])
		return status;
	return sgs_fail(why, SGS_FILE, "no_block_node",
		"%s has no block node (sd does not drive it); use -e sg-mmap or -e bsg",
		device->path);
}

static int sgio_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	const struct sgs_sg_way way = {
		.path = config->device->block_path,
		.transfer = SGS_DIRECT,
	};

	return sgs_sg_open(config, &way, lane, err);
}

const struct sgs_engine sgs_engine_sgio = {
	.name = "sgio",
	.summary = "SG_IO on the block node: no copy",
	.node = SGS_NODE_SG,
	.max_slots = 1,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = sgio_probe,
	.open = sgio_open,
	.submit = sgs_sg_submit,
	.close = sgs_sg_close,
};
