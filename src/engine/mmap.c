/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mmap: the page cache mapped, every page touched, nothing copied. Each reader maps a window
 * that moves on with it. What read(2) says with EIO comes as SIGBUS here.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/all.h"
#include "engine/block.h"
#include "engine/lane.h"
#include "sys/kernel.h"

enum { PAGE = 4096 };
#define WINDOW_BYTES (64u << 20)

struct mmap_lane {
	struct sgs_lane lane;
	struct sgs_slot slot;
	struct sgs_slot *slots[1];
	int fd;
	uint32_t block_bytes;
	uint64_t device_bytes;
	bool is_file; /* its end can move */
	uint8_t *window;
	uint64_t window_start, window_bytes;
	size_t window_least;
};

/* Where a SIGBUS of this reader goes; volatile, since the compiler sees nobody read it. */
static _Thread_local sigjmp_buf *volatile landing;
static struct sigaction before;

static void on_sigbus(int signum)
{
	if (landing)
		siglongjmp(*landing, 1);
	sigaction(signum, &before, NULL); /* not ours: happens again, as it would have */
}

static void catch_sigbus(void)
{
	struct sigaction action = { .sa_handler = on_sigbus, .sa_flags = SA_NODEFER };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &before);
}

static int move_window(struct mmap_lane *l, uint64_t offset)
{
	uint64_t start = offset / PAGE * PAGE;
	uint64_t left = l->device_bytes - start;
	size_t bytes = left < l->window_least ? (size_t)left : l->window_least;
	void *at = NULL;
	int r;

	sgs_sys_unmap(l->window, l->window_bytes);
	l->window = NULL;
	l->window_bytes = 0;
	r = sgs_sys_map_stream(l->fd, bytes, start, &at);
	if (r < 0)
		return r;
	l->window = at;
	l->window_start = start;
	l->window_bytes = bytes;
	return 0;
}

/* Reads one byte of each page. 0, or -EIO when the device did not give it. */
static int touch(const volatile uint8_t *data, uint32_t len)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		landing = NULL;
		return -EIO;
	}
	landing = &here;
	for (uint32_t at = 0; at < len; at += PAGE)
		(void)data[at];
	(void)data[len - 1];
	landing = NULL;
	return 0;
}

/* What lies behind the end of a file in its last page reads as zeros, without a SIGBUS. */
static void check_end(
	const struct mmap_lane *l, struct sgs_slot *slot, uint64_t offset, uint32_t wanted)
{
	uint64_t size = 0;
	int r = sgs_sys_file_size(l->fd, &size);

	if (r < 0)
		sgs_outcome_from_errno(&slot->outcome, r);
	else if (size < offset + wanted)
		sgs_outcome_from_read(
			&slot->outcome, size > offset ? (ssize_t)(size - offset) : 0, wanted);
}

static enum sgs_submitted mmap_submit(struct sgs_lane *lane, struct sgs_slot *slot)
{
	struct mmap_lane *l = (struct mmap_lane *)lane;
	uint32_t wanted = slot->extent.blocks * l->block_bytes;
	uint64_t offset = slot->extent.lba * l->block_bytes;
	int r = 0;

	slot->outcome.transfer = SGS_CACHED;
	if (offset < l->window_start || offset + wanted > l->window_start + l->window_bytes)
		r = move_window(l, offset);
	if (!r)
		r = touch(l->window + (offset - l->window_start), wanted);
	if (r) {
		sgs_outcome_from_errno(&slot->outcome, r);
		return SGS_DONE;
	}
	slot->data = l->window + (offset - l->window_start);
	slot->outcome.bytes = wanted;
	slot->outcome.fault = SGS_FAULT_NONE;
	if (l->is_file)
		check_end(l, slot, offset, wanted);
	return SGS_DONE;
}

static void mmap_close(struct sgs_lane *lane)
{
	struct mmap_lane *l = (struct mmap_lane *)lane;

	if (!l)
		return;
	sgs_sys_unmap(l->window, l->window_bytes);
	sgs_sys_close(l->fd);
	free(l);
}

static int mmap_open(
	const struct sgs_lane_config *config, struct sgs_lane **lane, struct sgs_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct mmap_lane *l = sgs_lane_alloc(sizeof *l, err);
	int status;

	if (!l)
		return err->status;
	pthread_once(&once, catch_sigbus);
	l->slots[0] = &l->slot;
	l->lane.slots = l->slots;
	l->block_bytes = config->device->block_bytes;
	l->device_bytes = sgs_device_bytes(config->device);
	l->is_file = config->device->node == SGS_NODE_FILE;
	l->window_least =
		config->bs_bytes + PAGE > WINDOW_BYTES ? config->bs_bytes + PAGE : WINDOW_BYTES;
	status = sgs_block_open_node(config->device, 0, &l->fd, err);
	if (status) {
		mmap_close(&l->lane);
		return status;
	}
	*lane = &l->lane;
	return 0;
}

const struct sgs_engine sgs_engine_mmap = {
	.name = "mmap",
	.summary = "page cache mapped, every page touched: no copy",
	.node = SGS_NODE_BLOCK,
	.max_slots = 1,
	.transfer = SGS_CACHED,
	.zero_copy = true,
	.probe = sgs_block_probe,
	.open = mmap_open,
	.submit = mmap_submit,
	.close = mmap_close,
};
