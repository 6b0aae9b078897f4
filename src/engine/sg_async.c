/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sg-async: commands are written to the sg node and collected by poll and read, so that one
 * reader has many in flight. The driver takes 16 per descriptor; more descriptors take the
 * rest. What is written is a header that asks for a READ; the driver wants O_RDWR for that, and
 * this is the only engine that opens a node so. Data comes as with sg-dio: direct when
 * allow_dio is 1, and each command's info bits say.
 */
#include <errno.h>
#include <poll.h>
#include <scsi/sg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/all.h"
#include "engine/lane.h"
#include "engine/sg.h"
#include "scsi/cdb.h"
#include "sys/kernel.h"
#include "sys/scsi.h"

enum {
	PER_FD = 16, /* SG_MAX_QUEUE of sg.h */
	POLL_MS = 1000,
};

struct async_slot {
	struct sgs_slot slot; /* first, so that it is the same address */
	struct sg_io_hdr hdr;
	struct sgs_read_cdb read;
	bool queued;
};

struct async_lane {
	struct sgs_lane lane;
	struct sgs_slot **pointers;
	struct async_slot *slots;
	struct pollfd *fds;
	unsigned n, n_fds, n_open;
	unsigned next_fd; /* where to look first */
	uint32_t block_bytes;
	void *memory;
	size_t memory_bytes;
};

static enum sgs_submitted async_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct async_lane *l = (struct async_lane *)lane;
	struct async_slot *s = (struct async_slot *)slot;
	int r;

	if (sgs_read_cdb_next(&s->read, slot->extent.lba, slot->extent.blocks)) {
		s->hdr.cmd_len = s->read.length;
		s->hdr.dxfer_len = slot->extent.blocks * l->block_bytes;
	}
	r = sgs_sys_sg_write(l->fds[(unsigned)(s - l->slots) / PER_FD].fd, &s->hdr);
	if (r < 0) {
		sgs_outcome_from_errno(&slot->outcome, r);
		return SGS_DONE;
	}
	s->queued = true;
	return SGS_QUEUED;
}

/* The driver fills h and gives the slot back as usr_ptr. */
static struct sgs_slot *collect(int fd)
{
	struct sg_io_hdr h = { .interface_id = 'S', .pack_id = -1 };
	struct async_slot *s;

	if (sgs_sys_sg_read(fd, &h) < 0)
		return NULL;
	s = h.usr_ptr;
	s->queued = false;
	sgs_outcome_from_sg(&s->slot.outcome, &h, h.dxfer_len);
	s->slot.outcome.transfer = (h.info & SG_INFO_DIRECT_IO_MASK) == SG_INFO_DIRECT_IO
					   ? SGS_DIRECT
					   : SGS_COPIED;
	return &s->slot;
}

static struct sgs_slot *collect_any(struct async_lane *l)
{
	for (unsigned i = 0; i < l->n_fds; i++) {
		struct sgs_slot *slot = collect(l->fds[l->next_fd].fd);

		if (slot)
			return slot;
		l->next_fd = (l->next_fd + 1) % l->n_fds;
	}
	return NULL;
}

/* The device has left and the driver gives nothing back any more. */
static struct sgs_slot *lose_one(struct async_lane *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		if (!l->slots[i].queued)
			continue;
		l->slots[i].queued = false;
		sgs_outcome_from_errno(&l->slots[i].slot.outcome, -ENODEV);
		return &l->slots[i].slot;
	}
	return NULL;
}

static bool hung_up(const struct async_lane *l)
{
	for (unsigned i = 0; i < l->n_fds; i++)
		if (l->fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			return true;
	return false;
}

static struct sgs_slot *async_reap(struct sgs_lane *lane, bool wait)
{
	struct async_lane *l = (struct async_lane *)lane;
	struct sgs_slot *slot = wait ? NULL : collect_any(l);

	while (!slot && wait) {
		sgs_sys_poll(l->fds, l->n_fds, POLL_MS);
		slot = collect_any(l);
		if (!slot && hung_up(l))
			slot = lose_one(l);
	}
	return slot;
}

static void async_close(struct sgs_lane *lane)
{
	struct async_lane *l = (struct async_lane *)lane;

	if (!l)
		return;
	for (unsigned i = 0; i < l->n_open; i++)
		sgs_sys_close(l->fds[i].fd);
	sgs_sys_free(l->memory, l->memory_bytes);
	free(l->fds);
	free(l->slots);
	free(l->pointers);
	free(l);
}

static int open_nodes(struct async_lane *l, const char *path, struct sgs_error *err)
{
	for (; l->n_open < l->n_fds; l->n_open++) {
		int fd = sgs_sys_open_sg_queue(path);

		if (fd < 0)
			return sgs_fail(err, SGS_FILE, "cannot_open",
				"%s: cannot open for reading and writing, which this way of "
				"queueing needs: %s; use -e sg-mmap, which only reads",
				path, strerrordesc_np(-fd));
		l->fds[l->n_open] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	return 0;
}

static void prepare_slot(struct async_lane *l, unsigned i, const struct sgs_lane_config *config)
{
	struct async_slot *s = &l->slots[i];

	l->pointers[i] = &s->slot;
	s->read.kind = config->cdb;
	s->hdr = (struct sg_io_hdr){
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmdp = s->read.bytes,
		.sbp = s->slot.outcome.sense,
		.mx_sb_len = SGS_SENSE_BYTES,
		.timeout = config->timeout_ms,
		.flags = SG_FLAG_DIRECT_IO | SG_FLAG_Q_AT_TAIL,
		.pack_id = (int)i,
		.usr_ptr = s,
		.dxferp = (uint8_t *)l->memory + l->memory_bytes / l->n * i,
	};
	s->slot.data = s->hdr.dxferp;
}

static int open_lane(
	struct async_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	int status = open_nodes(l, config->device->sg_path, err);

	if (!status)
		status = sgs_sg_buffer(
			config->bs_bytes, l->n, &l->memory, &l->memory_bytes, err);
	if (status)
		return status;
	for (unsigned i = 0; i < l->n; i++)
		prepare_slot(l, i, config);
	l->lane.slots = l->pointers;
	if (!config->trial.blocks)
		return 0;
	l->pointers[0]->extent = config->trial;
	l->lane.trials++;
	if (async_submit(&l->lane, l->pointers[0]) == SGS_QUEUED)
		async_reap(&l->lane, true);
	l->lane.trial_fault = l->pointers[0]->outcome.fault;
	return sgs_sg_explain(config, config->device->sg_path, &l->pointers[0]->outcome, err);
}

static int async_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	struct async_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->n = config->slots;
	l->n_fds = (l->n + PER_FD - 1) / PER_FD;
	l->block_bytes = config->device->block_bytes;
	l->slots = sgs_lane_alloc(l->n * sizeof *l->slots, err);
	l->pointers = sgs_lane_alloc(l->n * sizeof *l->pointers, err);
	l->fds = sgs_lane_alloc(l->n_fds * sizeof *l->fds, err);
	status = l->slots && l->pointers && l->fds ? open_lane(l, config, err) : err->status;
	if (status) {
		async_close(&l->lane);
		return status;
	}
	*lane = &l->lane;
	return 0;
}

const struct sgs_engine sgs_engine_sg_async = {
	.name = "sg-async",
	.summary =
		"write, poll and read on the sg node, opened O_RDWR: as sg-dio, many in flight",
	.node = SGS_NODE_SG,
	.max_slots = SGS_MAX_SLOTS,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = sgs_sg_direct_probe,
	.open = async_open,
	.submit = async_submit,
	.reap = async_reap,
	.close = async_close,
};
