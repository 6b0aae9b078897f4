/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gate that every SCSI command of this program passes: only those that read get through,
 * whoever built them.
 */
#ifndef SGS_SYS_SCSI_H
#define SGS_SYS_SCSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The list of commands that may be sent: READ(6), (10), (12) and (16), INQUIRY, TEST UNIT READY
 * and READ CAPACITY(10) and (16), each in its own length. No other, and none with data to the
 * device. */
bool sgs_sys_only_reads(const uint8_t *cdb, size_t len);

/* SG_IO with either header. 0, or -errno: -EPERM for a command that is not on the list. */
struct sg_io_hdr;
struct sg_io_v4;
int sgs_sys_scsi(int fd, struct sg_io_hdr *h);
int sgs_sys_scsi_v4(int fd, struct sg_io_v4 *h);

/* Queues the command of h on an sg node opened for that, and collects one; neither blocks
 * (-EAGAIN). */
int sgs_sys_sg_write(int fd, const struct sg_io_hdr *h);
int sgs_sys_sg_read(int fd, struct sg_io_hdr *h);

#endif
