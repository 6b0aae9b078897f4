/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sg-copy: SG_IO through the driver's own buffer, copied to the reader's.
 */
#include "engine/all.h"
#include "engine/sg.h"

static int sg_copy_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	const struct sgs_sg_way way = {
		.path = config->device->sg_path,
		.flags = 0,
		.reserve = true,
		.transfer = SGS_COPIED,
	};

	return sgs_sg_open(config, &way, lane, err);
}

const struct sgs_engine sgs_engine_sg_copy = {
	.name = "sg-copy",
	.summary = "SG_IO on the sg node, indirect: one copy",
	.node = SGS_NODE_SG,
	.max_slots = 1,
	.transfer = SGS_COPIED,
	.probe = sgs_sg_probe,
	.open = sg_copy_open,
	.submit = sgs_sg_submit,
	.close = sgs_sg_close,
};
