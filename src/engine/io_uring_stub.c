/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for io_uring.c where liburing is missing at build time.
 */
#include "engine/all.h"

static int stub_probe(const struct sgs_device *device, struct sgs_error *why)
{
	(void)device;
	return sgs_fail(why, SGS_FILE, "not_built",
		"this sgstream was built without liburing; install liburing-dev and build "
		"again, or use -e direct");
}

static int stub_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	(void)lane;
	return stub_probe(config->device, err);
}

static void stub_close(struct sgs_lane *lane)
{
	(void)lane;
}

const struct sgs_engine sgs_engine_io_uring = {
	.name = "io_uring",
	.summary = "O_DIRECT through a ring, registered buffers and file: no copy",
	.node = SGS_NODE_BLOCK,
	.max_slots = SGS_MAX_SLOTS,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = stub_probe,
	.open = stub_open,
	.close = stub_close,
};
