/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare loops with many commands in flight: on the sg node, and through io_uring. */
#ifndef BENCH_LOOP_QUEUE_H
#define BENCH_LOOP_QUEUE_H

#include <liburing.h>
#include <poll.h>

#include "loop_core.h"

struct loop_command {
	struct sg_io_hdr hdr;
	uint8_t cdb[10], sense[64];
};

static inline void loop_async_prepare(struct loop *l)
{
	struct loop_command *c = calloc(LOOP_DEPTH, sizeof *c);

	bench_must(c, "memory");
	loop_set_step(l, loop_capacity(l));
	loop_get_buffer(l);
	for (int i = 0; i < LOOP_DEPTH; i++) {
		loop_put_read(l, c[i].cdb);
		loop_fill(l, l->mode->sg_flags);
		c[i].hdr = l->hdr;
		c[i].hdr.cmdp = c[i].cdb;
		c[i].hdr.sbp = c[i].sense;
		c[i].hdr.usr_ptr = &c[i];
		c[i].hdr.pack_id = i;
		c[i].hdr.dxferp = (uint8_t *)l->buffer + (size_t)i * l->stride;
		c[i].hdr.dxfer_len = (unsigned)l->bs;
	}
	l->queue = c;
}

static inline void loop_async_write(struct loop *l, struct loop_command *c)
{
	loop_put_be32(c->cdb + 2, (uint32_t)l->next);
	bench_must(write(l->fd, &c->hdr, sizeof c->hdr) >= 0, "write");
	loop_advance(l);
}

/* A command that has ended, or NULL. */
static inline struct loop_command *loop_async_read(struct loop *l)
{
	struct sg_io_hdr h = { .interface_id = 'S', .pack_id = -1 };

	if (read(l->fd, &h, sizeof h) < 0) {
		bench_must(errno == EAGAIN, "read");
		return NULL;
	}
	if (loop_went_wrong(&h))
		loop_sg_failed(&h);
	if (!(h.info & SG_INFO_DIRECT_IO))
		bench_die("async", "the driver copied; allow_dio must be 1");
	return h.usr_ptr;
}

/* Writes all that are idle, waits, reads all that have ended. */
static inline void loop_async_run(struct loop *l, uint64_t count)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	struct loop_command *c = l->queue, *idle[LOOP_DEPTH];
	unsigned n_idle = LOOP_DEPTH;

	for (unsigned i = 0; i < LOOP_DEPTH; i++)
		idle[i] = &c[LOOP_DEPTH - 1 - i];
	while (count || n_idle < LOOP_DEPTH) {
		for (; count && n_idle; count--)
			loop_async_write(l, idle[--n_idle]);
		bench_must(poll(&p, 1, -1) >= 0, "poll");
		while (n_idle < LOOP_DEPTH && (c = loop_async_read(l)))
			idle[n_idle++] = c;
	}
}

static inline void loop_async_finish(struct loop *l)
{
	free(l->queue);
}

static inline void loop_uring_must(int r, const char *what)
{
	errno = -r;
	bench_must(r >= 0, what);
}

static inline void loop_uring_prepare(struct loop *l)
{
	struct io_uring *ring = calloc(1, sizeof *ring);
	struct iovec parts[LOOP_DEPTH];

	bench_must(ring, "memory");
	loop_file_prepare(l);
	for (size_t i = 0; i < LOOP_DEPTH; i++)
		parts[i] = (struct iovec){ (uint8_t *)l->buffer + i * l->stride, l->stride };
	loop_uring_must(io_uring_queue_init(LOOP_DEPTH, ring,
				IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN),
		"io_uring");
	loop_uring_must(io_uring_register_files(ring, &l->fd, 1), "register the file");
	loop_uring_must(io_uring_register_buffers(ring, parts, LOOP_DEPTH), "register buffers");
	l->queue = ring;
}

static inline void loop_uring_read(struct loop *l, uint64_t slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(l->queue);

	io_uring_prep_read_fixed(sqe, 0, (uint8_t *)l->buffer + slot * l->stride,
		(unsigned)l->bs, l->next, (int)slot);
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, slot);
	loop_advance(l);
}

/* Takes what has ended off the ring; the slots go to idle. */
static inline unsigned loop_uring_collect(struct loop *l, uint64_t *idle)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe((struct io_uring *)l->queue, head, cqe)
	{
		if (cqe->res < 0 || (size_t)cqe->res != l->bs)
			bench_die(
				"io_uring", cqe->res < 0 ? strerror(-cqe->res) : "came short");
		idle[n++] = cqe->user_data;
	}
	io_uring_cq_advance(l->queue, n);
	return n;
}

static inline void loop_uring_run(struct loop *l, uint64_t count)
{
	uint64_t idle[LOOP_DEPTH];
	unsigned n_idle = LOOP_DEPTH;

	for (unsigned i = 0; i < LOOP_DEPTH; i++)
		idle[i] = LOOP_DEPTH - 1 - i;
	while (count || n_idle < LOOP_DEPTH) {
		for (; count && n_idle; count--)
			loop_uring_read(l, idle[--n_idle]);
		loop_uring_must(io_uring_submit_and_wait(l->queue, 1), "io_uring");
		n_idle += loop_uring_collect(l, idle + n_idle);
	}
}

static inline void loop_uring_finish(struct loop *l)
{
	io_uring_queue_exit(l->queue);
	free(l->queue);
}

#endif
