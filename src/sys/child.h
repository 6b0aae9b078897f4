/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_CHILD_H
#define SGS_SYS_CHILD_H

#include <stddef.h>

/* Runs a program that the PATH knows as a filter, from memory to memory, and waits for it.
 * Returns its exit status, with what it wrote in *output for the caller to free(), or -errno:
 * -ENOENT when there is no such program. A NUL stands behind the output; what it says on
 * standard error is dropped. */
int sgs_sys_filter(const char *const *argv, const void *input, size_t len, char **output,
	size_t *output_len);

#endif
