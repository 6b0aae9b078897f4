/* SPDX-License-Identifier: BSD-2-Clause */
/* What every bare loop of loop.h stands on. */
#ifndef BENCH_LOOP_CORE_H
#define BENCH_LOOP_CORE_H

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef SG_FLAG_MMAP_IO /* glibc's sg.h has neither */
#define SG_FLAG_MMAP_IO 4
#endif
#ifndef SG_FLAG_Q_AT_TAIL
#define SG_FLAG_Q_AT_TAIL 0x10
#endif

enum {
	LOOP_READ_10 = 0x28,
	LOOP_READ_CAPACITY_10 = 0x25,
	LOOP_TASK_SET_FULL = 0x28, /* the loop's only answer is to ask again */
	LOOP_TIMEOUT_MS = 60000,
	LOOP_PAGE = 4096,
	LOOP_DEPTH = 16, /* of the modes that queue */
};

struct loop_mode;

struct loop {
	const struct loop_mode *mode;
	int fd;
	size_t bs;
	uint64_t units; /* in the range: blocks of an sg node, bytes of a block node */
	uint64_t next;	/* unit that the next command begins with; starts again at the end */
	uint32_t step;	/* units per command */
	void *buffer, *map;
	size_t map_bytes, stride; /* of map; from one buffer of a queue to the next */
	uint64_t map_start;	  /* first unit in a mapped window */
	void *queue;		  /* what a mode with a queue keeps */
	struct sg_io_hdr hdr;
	uint8_t cdb[10], sense[64];
};

enum loop_node { LOOP_SG, LOOP_BLOCK, LOOP_BSG };

struct loop_mode {
	const char *name;
	enum loop_node node;
	unsigned depth;
	int open_flags;
	unsigned sg_flags;
	void (*prepare)(struct loop *l);
	void (*run)(struct loop *l, uint64_t count);
	void (*finish)(struct loop *l); /* may be NULL */
};

/* A benchmark has no use for less than everything: it ends here. */
static inline void bench_die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
	exit(1);
}

static inline void bench_must(bool good, const char *what)
{
	if (!good)
		bench_die(what, strerror(errno));
}

static inline uint64_t bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t bench_number(const char *text)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || n == 0)
		bench_die(text, "not a number above 0");
	return n;
}

static inline void loop_put_be32(uint8_t *at, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(at, &v, sizeof v);
}

static inline uint32_t loop_get_be32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof v);
	return __builtin_bswap32(v);
}

static inline bool loop_went_wrong(const struct sg_io_hdr *h)
{
	return h->status | h->host_status | h->driver_status | h->resid;
}

static inline void loop_fill(struct loop *l, unsigned flags)
{
	l->hdr = (struct sg_io_hdr){
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof l->cdb,
		.cmdp = l->cdb,
		.mx_sb_len = sizeof l->sense,
		.sbp = l->sense,
		.timeout = LOOP_TIMEOUT_MS,
		.flags = flags | SG_FLAG_Q_AT_TAIL,
	};
}

/* Block length; sets units to the number of blocks that READ(10) reaches. */
static inline uint32_t loop_capacity(struct loop *l)
{
	uint8_t answer[8] = { 0 };

	memset(l->cdb, 0, sizeof l->cdb);
	l->cdb[0] = LOOP_READ_CAPACITY_10;
	loop_fill(l, 0);
	l->hdr.dxferp = answer;
	l->hdr.dxfer_len = sizeof answer;
	for (int attempt = 0;; attempt++) { /* the first may only be told of a reset */
		bench_must(ioctl(l->fd, SG_IO, &l->hdr) >= 0, "SG_IO");
		if (!loop_went_wrong(&l->hdr))
			break;
		if (attempt == 2)
			bench_die("READ CAPACITY", "failed");
	}
	l->units = (uint64_t)loop_get_be32(answer) + 1;
	return loop_get_be32(answer + 4);
}

static inline void loop_reserve(const struct loop *l)
{
	int size = (int)l->bs;

	bench_must(ioctl(l->fd, SG_SET_RESERVED_SIZE, &size) >= 0, "SG_SET_RESERVED_SIZE");
	bench_must(ioctl(l->fd, SG_GET_RESERVED_SIZE, &size) >= 0, "SG_GET_RESERVED_SIZE");
	if ((size_t)size < l->bs)
		bench_die("reserve buffer", "is smaller than a command; raise max_sectors_kb");
}

static inline void loop_map(struct loop *l, size_t bytes, int prot, int flags, int fd, off_t at)
{
	l->map = mmap(NULL, bytes, prot, flags, fd, at);
	bench_must(l->map != MAP_FAILED, "mmap");
	l->map_bytes = bytes;
}

/* One buffer, or as many as the mode has in flight, each of whole pages. */
static inline void loop_get_buffer(struct loop *l)
{
	l->stride = (l->bs + LOOP_PAGE - 1) / LOOP_PAGE * LOOP_PAGE;
	loop_map(l, l->stride * l->mode->depth, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	l->buffer = l->map;
}

static inline void loop_advance(struct loop *l)
{
	l->next += l->step;
	if (l->next + l->step > l->units)
		l->next = 0;
}

/* A READ(10) of one command; where it begins comes with each. */
static inline void loop_put_read(struct loop *l, uint8_t *cdb)
{
	memset(cdb, 0, sizeof l->cdb);
	cdb[0] = LOOP_READ_10;
	cdb[7] = (uint8_t)(l->step >> 8);
	cdb[8] = (uint8_t)l->step;
}

static inline void loop_set_step(struct loop *l, uint32_t block)
{
	if (block == 0 || l->bs % block || l->bs / block > UINT16_MAX)
		bench_die(
			"size", "must be a multiple of the block length, at most 65535 blocks");
	l->step = (uint32_t)(l->bs / block);
}

static inline void loop_sg_failed(const struct sg_io_hdr *h)
{
	char what[80];

	snprintf(what, sizeof what, "status %02x host %02x driver %02x resid %d", h->status,
		h->host_status, h->driver_status, h->resid);
	bench_die("READ(10)", what);
}

static inline void loop_file_prepare(struct loop *l)
{
	off_t end = lseek(l->fd, 0, SEEK_END);

	bench_must(end > 0, "size of the device");
	l->units = (uint64_t)end;
	l->step = (uint32_t)l->bs;
	loop_get_buffer(l);
}

#endif
