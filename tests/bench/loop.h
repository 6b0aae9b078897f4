/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bare loop: what the system calls of a reader alone cost. No statistics, no clock within
 * it. A reader of the same kind can come close, never below.
 *
 *   mode     node   how
 *   mmap     sg     SG_IO, the reserve buffer mapped, dxferp NULL
 *   dio      sg     SG_IO, direct I/O flag; fails when the driver copied (allow_dio 0)
 *   copy     sg     SG_IO, indirect, with a reserve buffer that holds a whole command
 *   async16  sg     write, poll and read, direct I/O flag, 16 in flight (loop_queue.h)
 *   sgio     block  SG_IO
 *   bsg      bsg    SG_IO, the v4 header
 *   pread    block  pread through the page cache
 *   direct   block  pread, O_DIRECT
 *   touch    block  the page cache mapped in windows, a byte of each page
 *   uring16  block  io_uring, O_DIRECT, registered file and buffers, 16 in flight
 * (loop_queue.h)
 */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <linux/bsg.h>

#include "loop_core.h"
#include "loop_queue.h"

#define LOOP_WINDOW ((size_t)64 << 20)

static inline void loop_sg_prepare(struct loop *l)
{
	unsigned flags = l->mode->sg_flags;

	loop_set_step(l, loop_capacity(l));
	if (l->mode->node == LOOP_SG && !(flags & SG_FLAG_DIRECT_IO))
		loop_reserve(l);
	if (flags & SG_FLAG_MMAP_IO)
		loop_map(l, l->bs, PROT_READ, MAP_SHARED, l->fd, 0);
	else
		loop_get_buffer(l);
	loop_put_read(l, l->cdb);
	loop_fill(l, flags);
	l->hdr.dxferp = l->buffer;
	l->hdr.dxfer_len = (unsigned)l->bs;
}

static inline void loop_sg_run(struct loop *l, uint64_t count)
{
	unsigned all = SG_INFO_DIRECT_IO;

	while (count--) {
		loop_put_be32(l->cdb + 2, (uint32_t)l->next);
		bench_must(ioctl(l->fd, SG_IO, &l->hdr) >= 0, "SG_IO");
		if (loop_went_wrong(&l->hdr)) {
			if (l->hdr.status != LOOP_TASK_SET_FULL)
				loop_sg_failed(&l->hdr);
			count++;
			continue;
		}
		all &= l->hdr.info;
		loop_advance(l);
	}
	if (l->mode->sg_flags & SG_FLAG_DIRECT_IO && !all)
		bench_die("dio", "the driver copied; allow_dio must be 1");
}

static inline void loop_v4_fill(
	struct loop *l, struct sg_io_v4 *h, unsigned length, void *data, size_t bytes)
{
	*h = (struct sg_io_v4){
		.guard = 'Q',
		.protocol = BSG_PROTOCOL_SCSI,
		.subprotocol = BSG_SUB_PROTOCOL_SCSI_CMD,
		.request_len = length,
		.request = (uintptr_t)l->cdb,
		.max_response_len = sizeof l->sense,
		.response = (uintptr_t)l->sense,
		.din_xfer_len = (uint32_t)bytes,
		.din_xferp = (uintptr_t)data,
		.timeout = LOOP_TIMEOUT_MS,
		.flags = BSG_FLAG_Q_AT_TAIL,
	};
}

static inline bool loop_v4_went_wrong(const struct sg_io_v4 *h)
{
	return h->device_status | h->transport_status | h->driver_status |
	       (unsigned)h->din_resid;
}

static inline void loop_bsg_prepare(struct loop *l)
{
	uint8_t answer[8] = { 0 };
	struct sg_io_v4 h;

	memset(l->cdb, 0, sizeof l->cdb);
	l->cdb[0] = LOOP_READ_CAPACITY_10;
	for (int attempt = 0;; attempt++) {
		loop_v4_fill(l, &h, sizeof l->cdb, answer, sizeof answer);
		bench_must(ioctl(l->fd, SG_IO, &h) >= 0, "SG_IO");
		if (!loop_v4_went_wrong(&h))
			break;
		if (attempt == 2)
			bench_die("READ CAPACITY", "failed");
	}
	l->units = (uint64_t)loop_get_be32(answer) + 1;
	loop_set_step(l, loop_get_be32(answer + 4));
	loop_get_buffer(l);
	loop_put_read(l, l->cdb);
}

static inline void loop_bsg_run(struct loop *l, uint64_t count)
{
	struct sg_io_v4 h;

	loop_v4_fill(l, &h, sizeof l->cdb, l->buffer, l->bs);
	while (count--) {
		loop_put_be32(l->cdb + 2, (uint32_t)l->next);
		bench_must(ioctl(l->fd, SG_IO, &h) >= 0, "SG_IO");
		if (loop_v4_went_wrong(&h))
			bench_die("READ(10)", "failed on the bsg node");
		loop_advance(l);
	}
}

static inline void loop_file_run(struct loop *l, uint64_t count)
{
	while (count--) {
		ssize_t n = pread(l->fd, l->buffer, l->bs, (off_t)l->next);

		bench_must(n >= 0, "pread");
		if ((size_t)n != l->bs)
			bench_die("pread", "came short");
		loop_advance(l);
	}
}

/* The window begins with the first command that misses it, none is mapped yet. */
static inline void loop_touch_prepare(struct loop *l)
{
	off_t end = lseek(l->fd, 0, SEEK_END);

	bench_must(end > 0, "size of the device");
	l->units = (uint64_t)end;
	l->step = (uint32_t)l->bs;
}

static inline void loop_move_window(struct loop *l)
{
	uint64_t start = l->next / LOOP_PAGE * LOOP_PAGE, left = l->units - start;

	if (l->map)
		munmap(l->map, l->map_bytes);
	loop_map(l, left < LOOP_WINDOW ? (size_t)left : LOOP_WINDOW, PROT_READ, MAP_SHARED,
		l->fd, (off_t)start);
	madvise(l->map, l->map_bytes, MADV_SEQUENTIAL);
	l->map_start = start;
}

static inline void loop_touch_run(struct loop *l, uint64_t count)
{
	while (count--) {
		const volatile uint8_t *data;

		if (l->next < l->map_start || l->next + l->bs > l->map_start + l->map_bytes)
			loop_move_window(l);
		data = (uint8_t *)l->map + (l->next - l->map_start);
		for (size_t at = 0; at < l->bs; at += LOOP_PAGE)
			(void)data[at];
		(void)data[l->bs - 1];
		loop_advance(l);
	}
}

static const struct loop_mode loop_modes[] = {
	{ "mmap", LOOP_SG, 1, O_NONBLOCK, SG_FLAG_MMAP_IO, loop_sg_prepare, loop_sg_run, NULL },
	{ "dio", LOOP_SG, 1, O_NONBLOCK, SG_FLAG_DIRECT_IO, loop_sg_prepare, loop_sg_run,
		NULL },
	{ "copy", LOOP_SG, 1, O_NONBLOCK, 0, loop_sg_prepare, loop_sg_run, NULL },
	{ "async16", LOOP_SG, LOOP_DEPTH, O_RDWR | O_NONBLOCK, SG_FLAG_DIRECT_IO,
		loop_async_prepare, loop_async_run, loop_async_finish },
	{ "sgio", LOOP_BLOCK, 1, O_NONBLOCK, 0, loop_sg_prepare, loop_sg_run, NULL },
	{ "bsg", LOOP_BSG, 1, 0, 0, loop_bsg_prepare, loop_bsg_run, NULL },
	{ "pread", LOOP_BLOCK, 1, 0, 0, loop_file_prepare, loop_file_run, NULL },
	{ "direct", LOOP_BLOCK, 1, O_DIRECT, 0, loop_file_prepare, loop_file_run, NULL },
	{ "touch", LOOP_BLOCK, 1, 0, 0, loop_touch_prepare, loop_touch_run, NULL },
	{ "uring16", LOOP_BLOCK, LOOP_DEPTH, O_DIRECT, 0, loop_uring_prepare, loop_uring_run,
		loop_uring_finish },
};

static inline const struct loop_mode *loop_find(const char *name)
{
	for (size_t i = 0; i < sizeof loop_modes / sizeof *loop_modes; i++)
		if (!strcmp(loop_modes[i].name, name))
			return &loop_modes[i];
	return NULL;
}

/* Opens the device for commands from the first-th of the range on. Reads that one once, as
 * sgstream does to try its limits, so that what the loop touches has been touched. */
static inline void loop_open(
	struct loop *l, const char *mode, const char *path, size_t bs, uint64_t first)
{
	*l = (struct loop){ .mode = loop_find(mode), .bs = bs };
	if (!l->mode)
		bench_die(mode, "no such mode");
	if (bs >= 256u << 20)
		bench_die("size", "too large");
	l->fd = open(path, O_CLOEXEC | l->mode->open_flags);
	bench_must(l->fd >= 0, path);
	l->mode->prepare(l);
	if (l->step > l->units)
		bench_die("size", "larger than the device");
	l->next = first * l->step;
	if (l->mode->run == loop_touch_run) /* what it has touched it would not read again */
		return;
	l->mode->run(l, 1);
	l->next = first * l->step;
}

/* Reads count times; ns that took. */
static inline uint64_t loop_time(struct loop *l, uint64_t count)
{
	uint64_t begin = bench_now_ns();

	l->mode->run(l, count);
	return bench_now_ns() - begin;
}

static inline void loop_close(struct loop *l)
{
	if (l->mode->finish)
		l->mode->finish(l);
	if (l->map)
		munmap(l->map, l->map_bytes);
	close(l->fd);
}

#endif
