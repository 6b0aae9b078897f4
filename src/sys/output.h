/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_OUTPUT_H
#define SGS_SYS_OUTPUT_H

/* Opens a file for a report, created when missing and emptied. Never a block device or a SCSI
 * node, also not through a link: only regular files, pipes, terminals, /dev/null and its like.
 * Returns a descriptor, or -errno; -ENOTSUP for a device. */
int sgs_sys_create_output(const char *path);

#endif
