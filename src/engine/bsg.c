/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bsg: SG_IO with the v4 header on /dev/bsg/H:C:T:L, for hosts without the sg driver. No
 * reserve buffer, no mapping, no limit of 16; pages are mapped for DMA as on the block node.
 */
#include <linux/bsg.h>
#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/all.h"
#include "engine/lane.h"
#include "engine/sg.h"
#include "scsi/cdb.h"
#include "sys/kernel.h"
#include "sys/scsi.h"

struct bsg_lane {
	struct sgs_lane lane;
	struct sgs_slot slot;
	struct sgs_slot *slots[1];
	struct sg_io_v4 hdr;
	struct sgs_read_cdb read;
	int fd;
	uint32_t block_bytes;
	void *memory;
	size_t memory_bytes;
};

static int bsg_probe(const struct sgs_device *device, struct sgs_error *why)
{
	int status = sgs_scsi_probe(device, why);

	if (status || device->bsg_path[0])
		return status;
	return sgs_fail(why, SGS_FILE, "no_bsg_node",
		"%s has no bsg node: this kernel has no CONFIG_BLK_DEV_BSG; use -e sg-mmap or "
		"-e sgio",
		device->path);
}

static void prepare_header(struct bsg_lane *l, const struct sgs_lane_config *config)
{
	struct sg_io_v4 *h = &l->hdr;

	h->guard = 'Q';
	h->protocol = BSG_PROTOCOL_SCSI;
	h->subprotocol = BSG_SUB_PROTOCOL_SCSI_CMD;
	h->request = (uintptr_t)l->read.bytes;
	h->response = (uintptr_t)l->slot.outcome.sense;
	h->max_response_len = SGS_SENSE_BYTES;
	h->din_xferp = (uintptr_t)l->memory;
	h->timeout = config->timeout_ms;
	h->flags = BSG_FLAG_Q_AT_TAIL;
}

static enum sgs_submitted bsg_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct bsg_lane *l = (struct bsg_lane *)lane;
	struct sg_io_v4 *h = &l->hdr;
	int r;

	if (sgs_read_cdb_next(&l->read, slot->extent.lba, slot->extent.blocks)) {
		h->request_len = l->read.length;
		h->din_xfer_len = slot->extent.blocks * l->block_bytes;
	}
	r = sgs_sys_scsi_v4(l->fd, h);
	if (r < 0) {
		sgs_outcome_from_errno(&slot->outcome, r);
	} else if (h->device_status | h->transport_status | h->driver_status |
		   (unsigned)h->din_resid) {
		sgs_outcome_from_v4(&slot->outcome, h, h->din_xfer_len);
	} else {
		slot->outcome.bytes = h->din_xfer_len;
		slot->outcome.fault = SGS_FAULT_NONE;
	}
	slot->outcome.transfer = SGS_DIRECT;
	return SGS_DONE;
}

static void bsg_close(struct sgs_lane *lane)
{
	struct bsg_lane *l = (struct bsg_lane *)lane;

	if (!l)
		return;
	sgs_sys_free(l->memory, l->memory_bytes);
	sgs_sys_close(l->fd);
	free(l);
}

static int try_limits(
	struct bsg_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	if (!config->trial.blocks)
		return 0;
	l->slot.extent = config->trial;
	l->lane.trials++;
	bsg_submit(&l->lane, &l->slot);
	l->lane.trial_fault = l->slot.outcome.fault;
	return sgs_sg_explain(config, config->device->bsg_path, &l->slot.outcome, err);
}

static int open_lane(
	struct bsg_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	const char *path = config->device->bsg_path;
	int status = sgs_lane_open_node(config->device, path, 0, &l->fd, err);

	if (status)
		return status;
	status = sgs_sg_buffer(config->bs_bytes, 1, &l->memory, &l->memory_bytes, err);
	if (status)
		return status;
	prepare_header(l, config);
	return try_limits(l, config, err);
}

static int bsg_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	struct bsg_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	l->block_bytes = config->device->block_bytes;
	l->read.kind = config->cdb;
	l->fd = -1;
	status = open_lane(l, config, err);
	if (status) {
		bsg_close(&l->lane);
		return status;
	}
	l->slot.data = l->memory;
	*lane = &l->lane;
	return 0;
}

const struct sgs_engine sgs_engine_bsg = {
	.name = "bsg",
	.summary = "SG_IO with the v4 header on the bsg node: no copy",
	.node = SGS_NODE_SG,
	.max_slots = 1,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = bsg_probe,
	.open = bsg_open,
	.submit = bsg_submit,
	.close = bsg_close,
};
