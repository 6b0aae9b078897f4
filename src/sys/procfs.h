/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads /proc under a root that tests can set to a dumped tree. Paths are relative to the root:
 * "self/status". Nothing here is written to.
 */
#ifndef SGS_SYS_PROCFS_H
#define SGS_SYS_PROCFS_H

#include <stddef.h>
#include <sys/stat.h>

/* Default "/proc", or the environment variable SGSTREAM_PROCFS; NULL goes back to that. */
void sgs_procfs_set_root(const char *root);

/* First line of a file without its newline. Returns its length, or -errno. */
int sgs_procfs_text(char *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Calls visit with each line of a file, without its newline, until it returns non-zero. The
 * line is visit's to change. Returns that value, 0, or -errno. */
int sgs_procfs_lines(const char *file, int (*visit)(char *line, void *arg), void *arg);

/* Calls visit with the name of each entry of a folder, in the kernel's order, until it returns
 * non-zero. Returns that value, 0, or -errno. */
int sgs_procfs_each(const char *folder, int (*visit)(const char *name, void *arg), void *arg);

/* What a link such as "812/fd/5" says it leads to. 0 or -errno. */
int sgs_procfs_link(char *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What a link leads to, also where its name means nothing here. 0 or -errno. */
int sgs_procfs_stat(struct stat *st, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
