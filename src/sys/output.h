/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_OUTPUT_H
#define SGS_SYS_OUTPUT_H

#include <stddef.h>

/* Opens a file for a report, created when missing and emptied. Never a block device or a SCSI
 * node, also not through a link: only regular files, pipes, terminals, /dev/null and its like.
 * Returns a descriptor, or -errno; -ENOTSUP for a device. */
int sgs_sys_create_output(const char *path);

/* write(2) until all is written or it fails; *done says how much was. 0 or -errno. */
int sgs_sys_write_all(int fd, const void *data, size_t len, size_t *done);

#endif
