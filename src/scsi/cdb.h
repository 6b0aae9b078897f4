/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SCSI_CDB_H
#define SGS_SCSI_CDB_H

#include <stdbool.h>
#include <stdint.h>

#include <scsi/sg_unaligned.h>

#include <sgstream/job.h>

/* The CDB of a stream of READs. Zeroed but for kind before the first. */
struct sgs_read_cdb {
	uint8_t bytes[16];
	uint8_t length; /* of it; 0 when kind cannot reach the blocks */
	enum sgs_cdb kind;
	uint32_t count;
};

/* The READ CDB length that reaches blocks [lba, lba + count): kind itself unless it is AUTO,
 * which is READ(10) unless the last LBA is above 0xffffffff or count above 65535, then
 * READ(16). 0 when kind cannot reach them, or count is 0. */
unsigned sgs_read_cdb_length(enum sgs_cdb kind, uint64_t lba, uint32_t count);

/* Writes READ(6), (10), (12) or (16) by length (SBC-4 5.11 to 5.14) with all flags clear. No
 * other opcode can be built here, so nothing else ever reaches a drive from the read path. */
void sgs_read_cdb_build(uint8_t cdb[16], unsigned length, uint64_t lba, uint32_t count);

/* Makes it the READ of blocks [lba, lba + count). */
void sgs_read_cdb_make(struct sgs_read_cdb *c, uint64_t lba, uint32_t count);

/* The same, cheap where the last one was a READ(10) of as many blocks. Returns whether length
 * or count may be others than those of the last. */
static inline bool sgs_read_cdb_next(struct sgs_read_cdb *c, uint64_t lba, uint32_t count)
{
	if (c->length == 10 && c->count == count && lba <= UINT32_MAX - count) {
		sg_put_unaligned_be32((uint32_t)lba, c->bytes + 2);
		return false;
	}
	sgs_read_cdb_make(c, lba, count);
	return true;
}

#endif
