/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/scsi.h"

#include <errno.h>
#include <linux/bsg.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool sgs_sys_only_reads(const uint8_t *cdb, size_t len)
{
	switch (len ? cdb[0] : 0xff) {
	case 0x28: /* READ(10) */
	case 0x25: /* READ CAPACITY(10) */
		return len == 10;
	case 0x88: /* READ(16) */
		return len == 16;
	case 0x9e: /* SERVICE ACTION IN(16): READ CAPACITY(16) */
		return len == 16 && (cdb[1] & 0x1f) == 0x10;
	case 0xa8: /* READ(12) */
		return len == 12;
	case 0x08: /* READ(6) */
	case 0x12: /* INQUIRY */
	case 0x00: /* TEST UNIT READY */
		return len == 6;
	default:
		return false;
	}
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
