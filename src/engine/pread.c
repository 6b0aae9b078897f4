/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/block.h"
#include "engine/lane.h"
#include "sys/kernel.h"
#include "util/units.h"

struct pread_lane {
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

static int get_buffer(struct pread_lane *l, uint32_t bs_bytes, struct sgs_error *err)
{
	char size[32];
	int r;

	l->buffer_bytes = sgs_round_up(bs_bytes, 4096);
	r = sgs_sys_alloc(l->buffer_bytes, &l->buffer);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "no_memory",
			"no memory for a buffer of %s: %s; use a smaller --bs or fewer --qd",
			sgs_format_size(size, sizeof size, bs_bytes), strerrordesc_np(-r));
	l->slot.data = l->buffer;
	return 0;
}

static int try_limits(struct pread_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	if (!config->trial.blocks)
		return 0;
	l->slot.extent = config->trial;
	l->lane.trials++;
	sgs_pread_submit(&l->lane, &l->slot);
	return sgs_direct_explain(config, &l->slot.outcome, err);
}

int sgs_pread_open(const struct sgs_lane_config *config, int open_flags, uint32_t align,
	enum sgs_transfer transfer, struct sgs_lane **lane, struct sgs_error *err)
{
	struct pread_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	l->block_bytes = config->device->block_bytes;
	l->align = align;
	l->transfer = transfer;
	status = sgs_block_open_node(config->device->block_path, open_flags, &l->fd, err);
	if (!status)
		status = get_buffer(l, config->bs_bytes, err);
	if (!status)
		status = try_limits(l, config, err);
	if (status) {
		sgs_pread_close(&l->lane);
		return status;
	}
	*lane = &l->lane;
	return 0;
}

enum sgs_submitted sgs_pread_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct pread_lane *l = (struct pread_lane *)lane;
	uint32_t wanted = slot->extent.blocks * l->block_bytes;
	ssize_t n = sgs_sys_pread(l->fd, l->buffer, sgs_round_up(wanted, l->align),
		slot->extent.lba * l->block_bytes);

	slot->outcome.transfer = l->transfer;
	if (n >= (ssize_t)wanted) { /* more only where the end of a file was rounded up */
		slot->outcome.bytes = wanted;
		slot->outcome.fault = SGS_FAULT_NONE;
	} else
		sgs_outcome_from_read(&slot->outcome, n, wanted);
	return SGS_DONE;
}

void sgs_pread_close(struct sgs_lane *lane)
{
	struct pread_lane *l = (struct pread_lane *)lane;

	if (!l)
		return;
	sgs_sys_unmap(l->buffer, l->buffer_bytes);
	sgs_sys_close(l->fd);
	free(l);
}
