/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/scsi.h"

#include <errno.h>
#include <linux/bsg.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { READ_CAPACITY_16 = 0x10, SERVICE_ACTION_IN_16 = 0x9e };

/* By opcode, the length of a command that is on the list. A table, because every command of a
 * stream is looked up here. */
static const uint8_t allowed_length[256] = {
	[0x00] = 6,		     /* TEST UNIT READY */
	[0x08] = 6,		     /* READ(6) */
	[0x12] = 6,		     /* INQUIRY */
	[0x25] = 10,		     /* READ CAPACITY(10) */
	[0x28] = 10,		     /* READ(10) */
	[0x88] = 16,		     /* READ(16) */
	[SERVICE_ACTION_IN_16] = 16, /* READ CAPACITY(16) alone */
	[0xa8] = 12,		     /* READ(12) */
};

bool sgs_sys_only_reads(const uint8_t *cdb, size_t len)
{
	return len && allowed_length[cdb[0]] == len &&
	       (cdb[0] != SERVICE_ACTION_IN_16 || (cdb[1] & 0x1f) == READ_CAPACITY_16);
}

static bool passes(const struct sg_io_hdr *h)
{
	return (h->dxfer_direction == SG_DXFER_FROM_DEV ||
		       h->dxfer_direction == SG_DXFER_NONE) &&
	       sgs_sys_only_reads(h->cmdp, h->cmd_len);
}

int sgs_sys_scsi(int fd, struct sg_io_hdr *h)
{
	if (!passes(h))
		return -EPERM;
	return ioctl(fd, SG_IO, h) < 0 ? -errno : 0;
}

int sgs_sys_scsi_v4(int fd, struct sg_io_v4 *h)
{
	if (h->dout_xfer_len ||
		!sgs_sys_only_reads((const uint8_t *)(uintptr_t)h->request, h->request_len))
		return -EPERM;
	return ioctl(fd, SG_IO, h) < 0 ? -errno : 0;
}

int sgs_sys_sg_write(int fd, const struct sg_io_hdr *h)
{
	if (!passes(h))
		return -EPERM;
	return write(fd, h, sizeof *h) < 0 ? -errno : 0;
}

int sgs_sys_sg_read(int fd, struct sg_io_hdr *h)
{
	return read(fd, h, sizeof *h) < 0 ? -errno : 0;
}
