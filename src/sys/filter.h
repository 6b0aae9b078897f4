/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_FILTER_H
#define SGS_SYS_FILTER_H

#include <stddef.h>

/* Runs a program of $PATH with len bytes on its standard input. *text is what it wrote to its
 * standard output, with a NUL behind it, for the caller to free(). What it says on standard
 * error is dropped. 0 or -errno: -ENOENT when
 * there is no such program, -EPIPE when it did not end well. argv ends with NULL. */
int sgs_sys_filter(const char *const *argv, const void *data, size_t len, char **text);

#endif
