/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/block.h"

#include <errno.h>
#include <string.h>

#include "engine/lane.h"
#include "util/units.h"

int sgs_block_probe(const struct sgs_device *device, struct sgs_error *why)
{
	if (device->block_path[0])
		return 0;
	return sgs_fail(why, SGS_FILE, "no_block_node",
		"%s has no block node (sd does not drive it), so only the SCSI engines reach "
		"it: use -e sg-mmap",
		device->path);
}

int sgs_block_open_node(
	const struct sgs_device *device, int flags, int *fd, struct sgs_error *err)
{
	const char *path = device->block_path;
	int status = sgs_lane_open_node(device, path, flags, fd, err);

	if (*fd != -EINVAL)
		return status;
	return sgs_fail(err, sgs_status_from_errno(EINVAL), "no_direct_io",
		"%s: its file system takes no direct I/O (O_DIRECT); use -e buffered", path);
}

uint32_t sgs_direct_align(const struct sgs_device *device)
{
	return device->limits.dio_block ? device->limits.dio_block : 512;
}

int sgs_direct_check(const struct sgs_lane_config *config, struct sgs_error *err)
{
	uint32_t align = sgs_direct_align(config->device);
	char size[32];

	if (config->trial.lba * config->device->block_bytes % align)
		return sgs_fail(err, SGS_USAGE, "not_aligned",
			"%s: direct I/O needs multiples of %u bytes, and --offset is none; "
			"round it, "
			"or use -e buffered",
			config->device->block_path, align);
	if (config->bs_bytes % align == 0)
		return 0;
	return sgs_fail(err, SGS_USAGE, "not_aligned",
		"%s: direct I/O needs multiples of %u bytes, and --bs is %s; round it up, or "
		"use -e buffered",
		config->device->block_path, align,
		sgs_format_size(size, sizeof size, config->bs_bytes));
}

int sgs_direct_explain(const struct sgs_lane_config *config, const struct sgs_outcome *outcome,
	struct sgs_error *err)
{
	char size[32];

	if (outcome->fault == SGS_FAULT_NONE ||
		(outcome->host_errno != EINVAL && outcome->host_errno != ENOMEM))
		return 0;
	return sgs_fail(err, sgs_status_from_errno(outcome->host_errno), "transfer_too_large",
		"%s: a direct read of %s is refused (%s): it needs multiples of %u bytes and "
		"memory to match; use another --bs",
		config->device->block_path,
		sgs_format_size(size, sizeof size, config->bs_bytes),
		strerrordesc_np(outcome->host_errno), sgs_direct_align(config->device));
}
