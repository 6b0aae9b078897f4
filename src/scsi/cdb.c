/* SPDX-License-Identifier: BSD-2-Clause */
#include "scsi/cdb.h"

#include <string.h>

#include <scsi/sg_unaligned.h>

#define READ_6	0x08
#define READ_10 0x28
#define READ_12 0xa8
#define READ_16 0x88

#define LBAS_OF_READ_6	0x200000U /* 21 bits */
#define LBAS_OF_READ_10 0x100000000U
#define COUNT_OF_READ_6 256U /* coded 0 */

/* Whether [lba, lba + count) lies below end. */
static bool lies_below(uint64_t lba, uint32_t count, uint64_t end)
{
	return lba < end && count <= end - lba;
}

static bool reaches(unsigned length, uint64_t lba, uint32_t count)
{
	switch (length) {
	case 6:
		return count <= COUNT_OF_READ_6 && lies_below(lba, count, LBAS_OF_READ_6);
	case 10:
		return count <= UINT16_MAX && lies_below(lba, count, LBAS_OF_READ_10);
	case 12:
		return lies_below(lba, count, LBAS_OF_READ_10);
	case 16:
		return count - 1 <= UINT64_MAX - lba;
	default:
		return false;
	}
}

unsigned sgs_read_cdb_length(enum sgs_cdb kind, uint64_t lba, uint32_t count)
{
	unsigned length = kind;

	if (count == 0)
		return 0;
	if (kind == SGS_CDB_AUTO)
		length = reaches(10, lba, count) ? 10 : 16;
	return reaches(length, lba, count) ? length : 0;
}

static void build_6(uint8_t *cdb, uint64_t lba, uint32_t count)
{
	cdb[0] = READ_6;
	sg_put_unaligned_be24((uint32_t)lba & (LBAS_OF_READ_6 - 1), cdb + 1);
	cdb[4] = (uint8_t)count;
}

static void build_10(uint8_t *cdb, uint64_t lba, uint32_t count)
{
	cdb[0] = READ_10;
	sg_put_unaligned_be32((uint32_t)lba, cdb + 2);
	sg_put_unaligned_be16((uint16_t)count, cdb + 7);
}

static void build_12(uint8_t *cdb, uint64_t lba, uint32_t count)
{
	cdb[0] = READ_12;
	sg_put_unaligned_be32((uint32_t)lba, cdb + 2);
	sg_put_unaligned_be32(count, cdb + 6);
}

static void build_16(uint8_t *cdb, uint64_t lba, uint32_t count)
{
	cdb[0] = READ_16;
	sg_put_unaligned_be64(lba, cdb + 2);
	sg_put_unaligned_be32(count, cdb + 10);
}

void sgs_read_cdb_build(uint8_t cdb[16], unsigned length, uint64_t lba, uint32_t count)
{
	memset(cdb, 0, 16);
	switch (length) {
	case 6:
		build_6(cdb, lba, count);
		break;
	case 10:
		build_10(cdb, lba, count);
		break;
	case 12:
		build_12(cdb, lba, count);
		break;
	default:
		build_16(cdb, lba, count);
		break;
	}
}

void sgs_read_cdb_make(struct sgs_read_cdb *c, uint64_t lba, uint32_t count)
{
	c->length = (uint8_t)sgs_read_cdb_length(c->kind, lba, count);
	c->count = count;
	sgs_read_cdb_build(c->bytes, c->length, lba, count);
}
