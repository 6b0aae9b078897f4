/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_REPORT_TEXT_H
#define SGS_REPORT_TEXT_H

#include <stdio.h>

#include <sgstream/device.h>

/* "/dev/sg1  Linux scsi_debug 0191  0:0:0:0  67.1 MB (64 MiB)  512-byte blocks" */
void sgs_text_identity(FILE *out, const struct sgs_device *device);

#endif
