/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_OUTPUT_H
#define SGS_SYS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Gives a closed standard stream /dev/null, so that no node or file takes its number and then
 * its output. Call first. */
void sgs_sys_keep_standard_streams(void);

/* Opens a file to be written, created when missing; what it holds stays. Never a block device
 * or a SCSI node, also not through a link: only regular files, pipes, terminals, /dev/null and
 * its like. Returns a descriptor, or -errno; -ENOTSUP for a device, -ENXIO for a pipe that
 * nobody has open to read. */
int sgs_sys_open_output(const char *path);

/* The same, but waits for who reads the pipe. */
int sgs_sys_await_output(const char *path);

/* Takes from a file what it holds; there is nothing to take from a pipe. 0 or -errno. */
int sgs_sys_empty_output(int fd);

/* Whether sgs_sys_open_output() would succeed, as far as it shows without creating the file.
 * 0 or -errno. */
int sgs_sys_may_open_output(const char *path);

/* write(2) until all is written or it fails; *done says how much was. 0 or -errno. */
int sgs_sys_write_all(int fd, const void *data, size_t len, size_t *done);

/* Whether two names are, or lead to, the same file. */
bool sgs_sys_same_file(const char *a, const char *b);

/* Whether a file is where standard output goes, by whatever name. What swallows all, as
 * /dev/null does, is nobody's. */
bool sgs_sys_is_stdout(const char *path);

/* Replaces the regular file at path, or the one that a link there leads to, by data as a whole:
 * who opens it finds what was there or what is new, never a part, also after a crash. It is
 * made beside it as PATH.tmp-PID and gets mode 0644. Returns 0, or -errno and leaves path as it
 * was; -ENOTSUP when something else than a regular file is there. */
int sgs_sys_replace(const char *path, const void *data, size_t len);

/* Whether that can be done, as far as it shows beforehand. 0 or -errno. */
int sgs_sys_may_replace(const char *path);

#endif
