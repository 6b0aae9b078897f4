/* SPDX-License-Identifier: BSD-2-Clause */
#include "scsi/ready.h"

#include <fcntl.h>
#include <scsi/sg.h>
#include <stdint.h>

#include "sys/kernel.h"
#include "sys/scsi.h"

#define TIMEOUT_MS 10000

int sgs_test_unit_ready(const char *path, struct sgs_outcome *out)
{
	uint8_t cdb[6] = { 0 }, sense[SGS_SENSE_BYTES];
	struct sg_io_hdr h = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_NONE,
		.cmd_len = sizeof cdb,
		.cmdp = cdb,
		.mx_sb_len = sizeof sense,
		.sbp = sense,
		.timeout = TIMEOUT_MS,
	};
	int r, fd = sgs_sys_open(path, O_NONBLOCK);

	if (fd < 0)
		return fd;
	r = sgs_sys_scsi(fd, &h);
	sgs_sys_close(fd);
	if (r >= 0)
		sgs_outcome_from_sg(out, &h, 0);
	return r < 0 ? r : 0;
}
