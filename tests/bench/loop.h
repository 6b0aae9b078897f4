/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bare loop: what the system calls of a reader alone cost. No statistics, no clock within
 * it. A reader of the same kind can come close, never below.
 *
 *   mode     node   how
 *   mmap     sg     SG_IO, the reserve buffer mapped, dxferp NULL
 *   dio      sg     SG_IO, direct I/O flag; fails when the driver copied (allow_dio 0)
 *   copy     sg     SG_IO, indirect, with a reserve buffer that holds a whole command
 *   pread    block  pread through the page cache
 *   direct   block  pread, O_DIRECT
 */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

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

enum { LOOP_READ_10 = 0x28, LOOP_READ_CAPACITY_10 = 0x25, LOOP_TIMEOUT_MS = 60000 };

struct loop_mode;

struct loop {
	const struct loop_mode *mode;
	int fd;
	size_t bs;
	uint64_t units; /* in the range: blocks of an sg node, bytes of a block node */
	uint64_t next;	/* unit that the next command begins with; starts again at the end */
	uint32_t step;	/* units per command */
	void *buffer, *map;
	struct sg_io_hdr hdr;
	uint8_t cdb[10], sense[64];
};

struct loop_mode {
	const char *name;
	int open_flags;
	unsigned sg_flags;
	void (*prepare)(struct loop *l);
	void (*run)(struct loop *l, uint64_t count);
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

static inline void *loop_map(const struct loop *l, int prot, int flags, int fd)
{
	void *p = mmap(NULL, l->bs, prot, flags, fd, 0);

	bench_must(p != MAP_FAILED, "mmap");
	return p;
}

static inline void loop_get_buffer(struct loop *l)
{
	l->map = l->buffer = loop_map(
		l, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
}

static inline void loop_sg_prepare(struct loop *l)
{
	unsigned flags = l->mode->sg_flags;
	uint32_t block = loop_capacity(l);

	if (block == 0 || l->bs % block || l->bs / block > UINT16_MAX)
		bench_die(
			"size", "must be a multiple of the block length, at most 65535 blocks");
	l->step = (uint32_t)(l->bs / block);
	if (!(flags & SG_FLAG_DIRECT_IO))
		loop_reserve(l);
	if (flags & SG_FLAG_MMAP_IO)
		l->map = loop_map(l, PROT_READ, MAP_SHARED, l->fd);
	else
		loop_get_buffer(l);
	memset(l->cdb, 0, sizeof l->cdb);
	l->cdb[0] = LOOP_READ_10;
	l->cdb[7] = (uint8_t)(l->step >> 8);
	l->cdb[8] = (uint8_t)l->step;
	loop_fill(l, flags);
	l->hdr.dxferp = l->buffer;
	l->hdr.dxfer_len = (unsigned)l->bs;
}

static inline void loop_sg_failed(const struct sg_io_hdr *h)
{
	char what[80];

	snprintf(what, sizeof what, "status %02x host %02x driver %02x resid %d", h->status,
		h->host_status, h->driver_status, h->resid);
	bench_die("READ(10)", what);
}

static inline void loop_advance(struct loop *l)
{
	l->next += l->step;
	if (l->next + l->step > l->units)
		l->next = 0;
}

static inline void loop_sg_run(struct loop *l, uint64_t count)
{
	unsigned all = SG_INFO_DIRECT_IO;

	while (count--) {
		loop_put_be32(l->cdb + 2, (uint32_t)l->next);
		bench_must(ioctl(l->fd, SG_IO, &l->hdr) >= 0, "SG_IO");
		if (loop_went_wrong(&l->hdr))
			loop_sg_failed(&l->hdr);
		all &= l->hdr.info;
		loop_advance(l);
	}
	if (l->mode->sg_flags & SG_FLAG_DIRECT_IO && !all)
		bench_die("dio", "the driver copied; allow_dio must be 1");
}

static inline void loop_file_prepare(struct loop *l)
{
	off_t end = lseek(l->fd, 0, SEEK_END);

	bench_must(end > 0, "size of the device");
	l->units = (uint64_t)end;
	l->step = (uint32_t)l->bs;
	loop_get_buffer(l);
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

static const struct loop_mode loop_modes[] = {
	{ "mmap", O_NONBLOCK, SG_FLAG_MMAP_IO, loop_sg_prepare, loop_sg_run },
	{ "dio", O_NONBLOCK, SG_FLAG_DIRECT_IO, loop_sg_prepare, loop_sg_run },
	{ "copy", O_NONBLOCK, 0, loop_sg_prepare, loop_sg_run },
	{ "pread", 0, 0, loop_file_prepare, loop_file_run },
	{ "direct", O_DIRECT, 0, loop_file_prepare, loop_file_run },
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
	l->fd = open(path, O_RDONLY | O_CLOEXEC | l->mode->open_flags);
	bench_must(l->fd >= 0, path);
	l->mode->prepare(l);
	if (l->step > l->units)
		bench_die("size", "larger than the device");
	l->next = first * l->step;
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
	munmap(l->map, l->bs);
	close(l->fd);
}

#endif
