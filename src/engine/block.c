/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lane.h"
#include "sys/kernel.h"
#include "util/units.h"

struct block_lane {
	struct sgs_lane lane;
	struct sgs_slot slot;
	struct sgs_slot *slots[1];
	int fd;
	uint32_t block_bytes;
	uint32_t align;
	enum sgs_transfer transfer;
	void *buffer;
	size_t buffer_bytes;
};

int sgs_block_probe(const struct sgs_device *device, struct sgs_error *why)
{
	if (device->block_path[0])
		return 0;
	return sgs_fail(why, SGS_FILE, "no_block_node",
		"%s has no block node (sd does not drive it), so only the SCSI engines reach it: "
		"use -e sg-mmap",
		device->path);
}

static uint32_t round_up(uint32_t n, uint32_t align)
{
	return align > 1 ? (n + align - 1) / align * align : n;
}

static int open_node(struct block_lane *l, const char *path, int flags, struct sgs_error *err)
{
	l->fd = sgs_sys_open(path, flags);
	if (l->fd >= 0)
		return 0;
	if (l->fd == -EINVAL)
		return sgs_fail(err, sgs_status_from_errno(EINVAL), "no_direct_io",
			"%s: its file system takes no direct I/O (O_DIRECT); use -e buffered", path);
	return sgs_fail(err, SGS_FILE, "cannot_open", "%s: cannot open: %s", path,
		strerrordesc_np(-l->fd));
}

static int get_buffer(struct block_lane *l, uint32_t bs_bytes, struct sgs_error *err)
{
	char size[32];
	int r;

	l->buffer_bytes = round_up(bs_bytes, 4096);
	r = sgs_sys_alloc(l->buffer_bytes, &l->buffer);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "no_memory",
			"no memory for a buffer of %s: %s; use a smaller --bs or fewer --qd",
			sgs_format_size(size, sizeof size, bs_bytes), strerrordesc_np(-r));
	return 0;
}

static int try_limits(struct block_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	char size[32];

	if (!config->trial.blocks)
		return 0;
	l->slot.extent = config->trial;
	l->lane.trials++;
	sgs_block_submit(&l->lane, &l->slot);
	if (l->slot.outcome.host_errno != EINVAL && l->slot.outcome.host_errno != ENOMEM)
		return 0;
	return sgs_fail(err, sgs_status_from_errno(l->slot.outcome.host_errno), "transfer_too_large",
		"%s: a direct read of %s is refused (%s): it needs multiples of %u bytes and memory to "
		"match; use another --bs",
		config->device->block_path, sgs_format_size(size, sizeof size, config->bs_bytes),
		strerrordesc_np(l->slot.outcome.host_errno), l->align);
}

int sgs_block_open(const struct sgs_lane_config *config, int open_flags, uint32_t align,
	enum sgs_transfer transfer, struct sgs_lane **lane, struct sgs_error *err)
{
	struct block_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	l->block_bytes = config->device->block_bytes;
	l->align = align;
	l->transfer = transfer;
	l->fd = -1;
	status = open_node(l, config->device->block_path, open_flags, err);
	if (!status)
		status = get_buffer(l, config->bs_bytes, err);
	if (!status)
		status = try_limits(l, config, err);
	if (status) {
		sgs_block_close(&l->lane);
		return status;
	}
	l->slot.data = l->buffer;
	*lane = &l->lane;
	return 0;
}

enum sgs_submitted sgs_block_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct block_lane *l = (struct block_lane *)lane;
	uint32_t wanted = slot->extent.blocks * l->block_bytes;
	ssize_t n = sgs_sys_pread(l->fd, l->buffer, round_up(wanted, l->align),
		slot->extent.lba * l->block_bytes);

	slot->outcome.transfer = l->transfer;
	if (n >= (ssize_t)wanted) { /* more only where the end of a file was rounded up */
		slot->outcome.bytes = wanted;
		slot->outcome.fault = SGS_FAULT_NONE;
	} else
		sgs_outcome_from_read(&slot->outcome, n, wanted);
	return SGS_DONE;
}

void sgs_block_close(struct sgs_lane *lane)
{
	struct block_lane *l = (struct block_lane *)lane;

	if (!l)
		return;
	sgs_sys_unmap(l->buffer, l->buffer_bytes);
	sgs_sys_close(l->fd);
	free(l);
}
