/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sg-dio: SG_IO with the direct I/O flag. With allow_dio 0 the driver copies without a word, so
 * each command's info bits are what counts, and probe says beforehand what they will be.
 */
#include <scsi/sg.h>

#include "engine/all.h"
#include "engine/sg.h"

static int sg_dio_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	const struct sgs_sg_way way = {
		.path = config->device->sg_path,
		.flags = SG_FLAG_DIRECT_IO,
		.reserve = false,
		.transfer = SGS_DIRECT,
	};

	return sgs_sg_open(config, &way, lane, err);
}

const struct sgs_engine sgs_engine_sg_dio = {
	.name = "sg-dio",
	.summary = "SG_IO on the sg node, direct I/O: no copy when allow_dio is 1",
	.node = SGS_NODE_SG,
	.max_slots = 1,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = sgs_sg_direct_probe,
	.open = sg_dio_open,
	.submit = sgs_sg_submit,
	.close = sgs_sg_close,
};
