/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * null: every command completes at once and moves nothing. What a run over it reaches is the
 * ceiling of the harness itself.
 */
#include <stdlib.h>

#include "engine/all.h"
#include "engine/lane.h"

struct null_lane {
	struct sgs_lane lane;
	struct sgs_slot slot;
	struct sgs_slot *slots[1];
	uint32_t block_bytes;
};

static int null_probe(const struct sgs_device *device, struct sgs_error *why)
{
	(void)device;
	(void)why;
	return 0;
}

static int null_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	struct null_lane *l = sgs_lane_alloc(sizeof *l, err);

	if (!l)
		return err->status;
	l->block_bytes = config->device->block_bytes;
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	*lane = &l->lane;
	return 0;
}

static enum sgs_submitted null_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	const struct null_lane *l = (const struct null_lane *)lane;

	slot->outcome.bytes = slot->extent.blocks * l->block_bytes;
	slot->outcome.fault = SGS_FAULT_NONE;
	slot->outcome.transfer = SGS_NO_TRANSFER;
	return SGS_DONE;
}

static void null_close(struct sgs_lane *lane)
{
	free(lane);
}

const struct sgs_engine sgs_engine_null = {
	.name = "null",
	.summary = "completes at once, moves no data: the harness's own ceiling",
	.node = SGS_NODE_NONE,
	.max_slots = 1,
	.transfer = SGS_NO_TRANSFER,
	.probe = null_probe,
	.open = null_open,
	.submit = null_submit,
	.close = null_close,
};
