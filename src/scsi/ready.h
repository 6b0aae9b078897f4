/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SCSI_READY_H
#define SGS_SCSI_READY_H

#include "scsi/outcome.h"

/* TEST UNIT READY by the SCSI node at path. 0, and what came of it in out; or -errno when it
 * could not be asked. */
int sgs_test_unit_ready(const char *path, struct sgs_outcome *out);

#endif
