/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of a file or block device is in the page cache, without reading any of it.
 */
#ifndef SGS_SYS_RESIDENCY_H
#define SGS_SYS_RESIDENCY_H

#include <stdint.h>

/* Bytes of the pages from offset (a multiple of the page size) over len that are in memory, by
 * cachestat(2) (Linux 6.5), else by mincore(2) over a mapping that is touched nowhere. Keep len
 * bounded: mincore costs by the page. Returns 0; -EPERM when the kernel tells this only to who
 * owns the file or may write it; or -errno. */
int sgs_sys_resident(int fd, uint64_t offset, uint64_t len, uint64_t *bytes);

/* Bytes of the whole that wait to be written, by cachestat(2). 0 or -errno; -ENOSYS without it.
 */
int sgs_sys_dirty(int fd, uint64_t *bytes);

/* posix_fadvise(2), DONTNEED over the whole: drops clean pages that nobody uses, and has the
 * kernel begin to write dirty ones. 0 or -errno. */
int sgs_sys_forget(int fd);

uint64_t sgs_sys_page(void);

/* The mincore(2) way alone, for tests. */
int sgs_sys_resident_by_mincore(int fd, uint64_t offset, uint64_t len, uint64_t *bytes);

#endif
