/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SCSI_CDB_H
#define SGS_SCSI_CDB_H

#include <stdint.h>

#include <sgstream/job.h>

/* The READ CDB length that reaches blocks [lba, lba + count): kind itself unless it is AUTO,
 * which is READ(10) unless the last LBA is above 0xffffffff or count above 65535, then
 * READ(16). 0 when kind cannot reach them, or count is 0. */
unsigned sgs_read_cdb_length(enum sgs_cdb kind, uint64_t lba, uint32_t count);

/* Writes READ(6), (10), (12) or (16) by length (SBC-4 5.11 to 5.14) with all flags clear. No
 * other opcode can be built here, so nothing else ever reaches a drive from the read path. */
void sgs_read_cdb_build(uint8_t cdb[16], unsigned length, uint64_t lba, uint32_t count);

#endif
