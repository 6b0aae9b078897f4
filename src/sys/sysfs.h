/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads sysfs under a root that tests can set to a dumped tree. Paths are relative to the root:
 * "class/scsi_generic/sg0/device". "/proc/..." stands beside sysfs: it is itself while the root
 * is "/sys", and below the root when that is a dumped tree. Only sgs_sysfs_write() writes.
 */
#ifndef SGS_SYS_SYSFS_H
#define SGS_SYS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Default "/sys", or the environment variable SGSTREAM_SYSFS. */
void sgs_sysfs_set_root(const char *root);

/* First line of an attribute without its newline. Returns its length, or -errno. */
int sgs_sysfs_text(char *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Raw attribute such as vpd_pg80. Returns its length, or -errno. */
int sgs_sysfs_bytes(void *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Decimal attribute. Returns 0, or -errno (-EINVAL when it is no number). */
int sgs_sysfs_number(int64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Last component of what a link points to: "device" of sg0 gives "0:0:0:0". 0 or -errno. */
int sgs_sysfs_link(char *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Canonical path of a node below the root, without the root: "devices/pci0000:00/.../host0". */
int sgs_sysfs_resolve(char *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

bool sgs_sysfs_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether this process may write an attribute, as far as modes and mounts tell. */
bool sgs_sysfs_writable(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes text and a newline to an attribute that exists. 0 or -errno. */
int sgs_sysfs_write(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Opens an attribute for a lock. A descriptor, or -errno. */
int sgs_sysfs_hold(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* flock(2): a lock that this descriptor and its copies hold together, in place of the one they
 * had. Never waits: 0, or -EWOULDBLOCK while another holds one that excludes it (and then none
 * is held). */
int sgs_sysfs_lock(int fd, bool exclusive);

/* Calls visit with the name of each entry of a folder, in name order with numbers compared as
 * numbers (sg2 before sg10), until it returns non-zero. Returns that value, 0, or -errno. */
int sgs_sysfs_each(const char *folder, int (*visit)(const char *name, void *arg), void *arg);

#endif
