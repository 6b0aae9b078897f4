/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uncached: preadv2(2) with RWF_DONTCACHE (Linux 6.14): through the page cache, one copy, and
 * the pages are dropped behind the reader. File systems and block devices take the flag or
 * refuse it.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "engine/all.h"
#include "engine/block.h"
#include "sys/kernel.h"

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80
#endif

/* A read at the end moves nothing, and still is refused where the flag is not known. */
static int uncached_probe(const struct sgs_device *device, struct sgs_error *why)
{
	char byte;
	const struct iovec part = { &byte, 1 };
	int status = sgs_block_probe(device, why), fd;
	ssize_t r;

	if (status || (status = sgs_block_open_node(device, 0, &fd, why)))
		return status;
	r = sgs_sys_preadv(fd, &part, 1, sgs_device_bytes(device), RWF_DONTCACHE);
	sgs_sys_close(fd);
	if (r >= 0)
		return 0;
	return sgs_fail(why, sgs_status_from_errno((int)-r), "no_dontcache",
		"%s cannot be read with RWF_DONTCACHE (%s): it needs Linux 6.14 and a file "
		"system or block layer that has it; use -e buffered --drop-caches",
		device->block_path, r == -EOPNOTSUPP ? "not supported" : "refused");
}

static int uncached_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	static const struct sgs_pread_way way = {
		.align = 1, .rwf = RWF_DONTCACHE, .transfer = SGS_CACHED
	};
	struct sgs_lane_config quiet = *config;

	quiet.trial.blocks = 0;
	return sgs_pread_open(&quiet, &way, lane, err);
}

const struct sgs_engine sgs_engine_uncached = {
	.name = "uncached",
	.summary = "preadv2 with RWF_DONTCACHE: page cache, dropped behind, one copy",
	.node = SGS_NODE_BLOCK,
	.vectored = true,
	.max_slots = 1,
	.transfer = SGS_CACHED,
	.probe = uncached_probe,
	.open = uncached_open,
	.submit = sgs_pread_submit,
	.close = sgs_pread_close,
};
