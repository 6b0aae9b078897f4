/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20) /* of x86-64, and of arm64 with pages of 4 KiB */

int sgs_sys_open(const char *path, int extra_flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | extra_flags);

	return fd < 0 ? -errno : fd;
}

int sgs_sys_open_sg_queue(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int sgs_sys_poll(struct pollfd *fds, unsigned n, int timeout_ms)
{
	int r = poll(fds, n, timeout_ms);

	return r < 0 ? -errno : r;
}

void sgs_sys_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int sgs_sys_ioctl(int fd, unsigned long request, void *arg)
{
	int r;

	if (request == SG_IO)
		return -EPERM;
	r = ioctl(fd, request, arg);
	return r < 0 ? -errno : r;
}

ssize_t sgs_sys_pread(int fd, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(fd, buf, len, (off_t)offset);

	return n < 0 ? -errno : n;
}

ssize_t sgs_sys_preadv(
	int fd, const struct iovec *parts, unsigned n, uint64_t offset, int flags)
{
	ssize_t got = preadv2(fd, parts, (int)n, (off_t)offset, flags);

	return got < 0 ? -errno : got;
}

static int map(size_t len, int flags, int prot, int fd, uint64_t offset, void **addr)
{
	void *p = mmap(NULL, len, prot, flags, fd, (off_t)offset);

	if (p == MAP_FAILED)
		return -errno;
	*addr = p;
	return 0;
}

int sgs_sys_map(int fd, size_t len, void **addr)
{
	return map(len, MAP_SHARED, PROT_READ, fd, 0, addr);
}

int sgs_sys_map_stream(int fd, size_t len, uint64_t offset, void **addr)
{
	int r = map(len, MAP_SHARED, PROT_READ, fd, offset, addr);

	if (!r)
		madvise(*addr, len, MADV_SEQUENTIAL);
	return r;
}

static int map_memory(size_t len, void **addr)
{
	return map(len, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE, -1, 0, addr);
}

/* What an allocation takes: from half a huge page on, whole ones. */
static size_t room_for(size_t len)
{
	return len < HUGE_PAGE / 2 ? len : (len + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* len is of whole huge pages: maps one more, and gives back what lies outside of the first that
 * is aligned. */
static int map_huge(size_t len, void **addr)
{
	int r = map_memory(len + HUGE_PAGE, addr);
	size_t before;

	if (r)
		return r;
	before = -(uintptr_t)*addr % HUGE_PAGE;
	if (before)
		munmap(*addr, before);
	*addr = (char *)*addr + before;
	munmap((char *)*addr + len, HUGE_PAGE - before);
	madvise(*addr, len, MADV_HUGEPAGE); /* a kernel without them has small ones */
	return 0;
}

int sgs_sys_alloc(size_t len, void **addr)
{
	size_t room = room_for(len);
	/* MAP_POPULATE alone would hide a lack of memory: it never fails. */
	int r = room % HUGE_PAGE ? map_memory(room, addr) : map_huge(room, addr);

	if (r == 0 && madvise(*addr, len, MADV_POPULATE_WRITE) < 0) {
		if (errno != EINVAL) { /* EINVAL: before Linux 5.14 */
			r = -errno;
			sgs_sys_free(*addr, len);
			*addr = NULL;
			return r;
		}
		memset(*addr, 0, len);
	}
	return r;
}

void sgs_sys_free(void *addr, size_t len)
{
	sgs_sys_unmap(addr, room_for(len));
}

void sgs_sys_unmap(void *addr, size_t len)
{
	if (addr)
		munmap(addr, len);
}

int sgs_sys_stat(const char *path, struct stat *st)
{
	return stat(path, st) < 0 ? -errno : 0;
}

int sgs_sys_file_size(int fd, uint64_t *bytes)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*bytes = (uint64_t)st.st_size;
	return 0;
}
