/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sg-dio: SG_IO with the direct I/O flag. With allow_dio 0 the driver copies without a word, so
 * each command's info bits are what counts, and probe says beforehand what they will be.
 */
#include <scsi/sg.h>

#include "engine/all.h"
#include "engine/sg.h"
#include "sys/sysfs.h"

static int sg_dio_probe(const struct sgs_device *device, struct sgs_error *why)
{
	int status = sgs_sg_probe(device, why);
	int64_t allow = 1;

	if (status || sgs_sysfs_number(&allow, "module/sg/parameters/allow_dio") < 0 || allow)
		return status;
	sgs_fail(why, SGS_OK, "would_be_copied",
		"allow_dio is 0, so the sg driver copies instead of direct I/O; "
		"echo 1 > /sys/module/sg/parameters/allow_dio, or use -e sg-mmap");
	return 0;
}

static int sg_dio_open(const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	return sgs_sg_open(config, SG_FLAG_DIRECT_IO, lane, err);
}

const struct sgs_engine sgs_engine_sg_dio = {
	.name = "sg-dio",
	.summary = "SG_IO on the sg node, direct I/O: no copy when allow_dio is 1",
	.node = SGS_NODE_SG,
	.max_slots = 1,
	.transfer = SGS_DIRECT,
	.probe = sg_dio_probe,
	.open = sg_dio_open,
	.submit = sgs_sg_submit,
	.close = sgs_sg_close,
};
