/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one seam to the kernel. Every node is opened here, O_RDONLY and O_CLOEXEC. All functions
 * return -errno on failure, never the global.
 */
#ifndef SGS_SYS_KERNEL_H
#define SGS_SYS_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* O_RDONLY | O_CLOEXEC | extra_flags. A device node is opened with O_NONBLOCK by its caller's
 * choice: sg then fails at once while another holds it exclusively. */
int sgs_sys_open(const char *path, int extra_flags);

/* O_RDWR on an sg node, for its write/read interface, and for nothing else: see sg_async.c. */
int sgs_sys_open_sg_queue(const char *path);

/* poll(2) */
struct pollfd;
int sgs_sys_poll(struct pollfd *fds, unsigned n, int timeout_ms);

void sgs_sys_close(int fd);

/* ioctl(2); restarts nothing. Returns the ioctl's own value or -errno. Not SG_IO: sys/scsi.h.
 */
int sgs_sys_ioctl(int fd, unsigned long request, void *arg);

/* pread(2), one call. */
ssize_t sgs_sys_pread(int fd, void *buf, size_t len, uint64_t offset);

/* preadv2(2), one call; flags are RWF_*. */
struct iovec;
ssize_t sgs_sys_preadv(
	int fd, const struct iovec *parts, unsigned n, uint64_t offset, int flags);

/* Maps len bytes of fd from offset for reading, as one who will read them in order. */
int sgs_sys_map_stream(int fd, size_t len, uint64_t offset, void **addr);

/* Maps len bytes of fd for reading, MAP_SHARED. */
int sgs_sys_map(int fd, size_t len, void **addr);

/* Anonymous, zeroed, page-aligned memory, touched so that no fault falls into a timed span;
 * from a MiB on in huge pages, where the kernel gives them: a large direct transfer then has
 * few segments. sgs_sys_free() frees it. */
int sgs_sys_alloc(size_t len, void **addr);
void sgs_sys_free(void *addr, size_t len);

/* What was mapped. */
void sgs_sys_unmap(void *addr, size_t len);

/* st_size of an open regular file. */
int sgs_sys_file_size(int fd, uint64_t *bytes);

int sgs_sys_stat(const char *path, struct stat *st);

#endif
