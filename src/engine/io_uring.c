/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_uring: O_DIRECT reads with registered file and buffers, one ring per reader. Commands are
 * handed over and collected in batches: one system call per turn of the ring, not per command.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include "engine/all.h"
#include "engine/block.h"
#include "engine/lane.h"
#include "sys/kernel.h"
#include "util/units.h"

struct uring_lane {
	struct sgs_lane lane;
	struct io_uring ring;
	bool ring_open;
	int fd;
	unsigned n;
	uint32_t block_bytes, align;
	size_t slot_bytes; /* of memory, whole pages */
	uint8_t *memory;
	struct sgs_slot *slots;
	struct sgs_slot **pointers;
};

static struct uring_lane *of(struct sgs_lane *lane)
{
	return (struct uring_lane *)lane;
}

static int uring_probe(const struct sgs_device *device, struct sgs_error *why)
{
	struct io_uring ring;
	int status = sgs_block_probe(device, why), r;

	if (status)
		return status;
	r = io_uring_queue_init(2, &ring, 0);
	if (r == 0) {
		io_uring_queue_exit(&ring);
		return 0;
	}
	return sgs_fail(why, sgs_status_from_errno(-r), "no_io_uring",
		"io_uring is not available here: %s%s; use -e direct", strerrordesc_np(-r),
		r == -EPERM    ? " (sysctl kernel.io_uring_disabled, or a seccomp filter)"
		: r == -ENOSYS ? " (needs Linux 5.1 with CONFIG_IO_URING)"
			       : "");
}

/* The cheaper ways to complete came with 6.1; an older kernel says EINVAL. */
static int open_ring(struct uring_lane *l, struct sgs_error *err)
{
	unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	int r = io_uring_queue_init(l->n, &l->ring, flags);

	if (r == -EINVAL)
		r = io_uring_queue_init(l->n, &l->ring, 0);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "no_io_uring",
			"no ring for %u commands: %s; use a smaller --qd or -e direct", l->n,
			strerrordesc_np(-r));
	l->ring_open = true;
	return 0;
}

static int get_memory(struct uring_lane *l, struct sgs_error *err)
{
	char size[32];
	void *memory = NULL;
	int r = sgs_sys_alloc(l->slot_bytes * l->n, &memory);

	l->memory = memory;
	l->slots = sgs_lane_alloc(l->n * sizeof *l->slots, err);
	l->pointers = sgs_lane_alloc(l->n * sizeof *l->pointers, err);
	if (r < 0)
		return sgs_fail(err, sgs_status_from_errno(-r), "no_memory",
			"no memory for %u buffers of %s: %s; use a smaller --bs or --qd", l->n,
			sgs_format_size(size, sizeof size, l->slot_bytes), strerrordesc_np(-r));
	if (!l->slots || !l->pointers)
		return err->status;
	for (unsigned i = 0; i < l->n; i++) {
		l->pointers[i] = &l->slots[i];
		l->slots[i].data = l->memory + i * l->slot_bytes;
	}
	l->lane.slots = l->pointers;
	return 0;
}

/* One entry per slot, so that a read names its buffer by the slot's index. */
static int register_all(struct uring_lane *l, struct sgs_error *err)
{
	struct iovec *parts = calloc(l->n, sizeof *parts);
	int r = parts ? io_uring_register_files(&l->ring, &l->fd, 1) : -ENOMEM;

	for (unsigned i = 0; parts && i < l->n; i++)
		parts[i] = (struct iovec){ l->memory + i * l->slot_bytes, l->slot_bytes };
	if (!r)
		r = io_uring_register_buffers(&l->ring, parts, l->n);
	free(parts);
	if (!r)
		return 0;
	return sgs_fail(err, sgs_status_from_errno(-r), "cannot_register",
		"the kernel does not lock %u buffers for io_uring: %s; raise ulimit -l, or use "
		"a smaller --qd or --bs",
		l->n, strerrordesc_np(-r));
}

static int try_limits(
	struct uring_lane *l, const struct sgs_lane_config *config, struct sgs_error *err);

static int open_lane(
	struct uring_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	int status = sgs_direct_check(config, err);

	if (status)
		return status;
	status = sgs_block_open_node(config->device, O_DIRECT, &l->fd, err);
	if (!status)
		status = open_ring(l, err);
	if (!status)
		status = get_memory(l, err);
	if (!status)
		status = register_all(l, err);
	return status ? status : try_limits(l, config, err);
}

static void uring_close(struct sgs_lane *lane)
{
	struct uring_lane *l = of(lane);

	if (!l)
		return;
	if (l->ring_open)
		io_uring_queue_exit(&l->ring);
	sgs_sys_free(l->memory, l->slot_bytes * l->n);
	sgs_sys_close(l->fd);
	free(l->slots);
	free(l->pointers);
	free(l);
}

static int uring_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	struct uring_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	l->fd = -1;
	l->n = config->slots;
	l->block_bytes = config->device->block_bytes;
	l->align = sgs_direct_align(config->device);
	l->slot_bytes = ((size_t)config->bs_bytes + 4095) / 4096 * 4096;
	status = open_lane(l, config, err);
	if (status) {
		uring_close(&l->lane);
		return status;
	}
	*lane = &l->lane;
	return 0;
}

static uint32_t wanted(const struct uring_lane *l, const struct sgs_slot *slot)
{
	return slot->extent.blocks * l->block_bytes;
}

/* The ring has an entry for each slot, so there always is a free one. */
static enum sgs_submitted uring_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct uring_lane *l = of(lane);
	struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);
	unsigned index = (unsigned)(slot - l->slots);

	io_uring_prep_read_fixed(sqe, 0, l->memory + index * l->slot_bytes,
		sgs_round_up(wanted(l, slot), l->align), slot->extent.lba * l->block_bytes,
		(int)index);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, slot);
	return SGS_QUEUED;
}

static struct io_uring_cqe *next_completion(struct uring_lane *l, bool wait)
{
	struct io_uring_cqe *cqe = NULL;

	if (wait && io_uring_sq_ready(&l->ring))
		io_uring_submit_and_wait(&l->ring, io_uring_cq_ready(&l->ring) ? 0 : 1);
	while (io_uring_peek_cqe(&l->ring, &cqe) && wait)
		io_uring_submit_and_wait(&l->ring, 1);
	return cqe;
}

static struct sgs_slot *uring_reap(struct sgs_lane *lane, bool wait)
{
	struct uring_lane *l = of(lane);
	struct io_uring_cqe *cqe = next_completion(l, wait);
	struct sgs_slot *slot;

	if (!cqe)
		return NULL;
	slot = io_uring_cqe_get_data(cqe);
	sgs_outcome_from_read(&slot->outcome, cqe->res, wanted(l, slot));
	slot->outcome.transfer = SGS_DIRECT;
	io_uring_cqe_seen(&l->ring, cqe);
	return slot;
}

static int try_limits(
	struct uring_lane *l, const struct sgs_lane_config *config, struct sgs_error *err)
{
	struct sgs_slot *slot = l->pointers[0];

	if (!config->trial.blocks)
		return 0;
	slot->extent = config->trial;
	l->lane.trials++;
	uring_submit(&l->lane, slot);
	uring_reap(&l->lane, true);
	return sgs_direct_explain(config, &slot->outcome, err);
}

const struct sgs_engine sgs_engine_io_uring = {
	.name = "io_uring",
	.summary = "O_DIRECT through a ring, registered buffers and file: no copy",
	.node = SGS_NODE_BLOCK,
	.max_slots = SGS_MAX_SLOTS,
	.transfer = SGS_DIRECT,
	.zero_copy = true,
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
