/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_CHILD_H
#define SGS_SYS_CHILD_H

#include <stddef.h>

/* Runs a program that the PATH knows with data as its standard input and out as its standard
 * output, and waits for it. Returns its exit status, or -errno; -ENOENT when there is none. */
int sgs_sys_feed(const char *const *argv, const void *data, size_t len, int out);

#endif
