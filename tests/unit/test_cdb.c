/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scsi/cdb.h"

#define LAST_32 0xffffffffULL

static void lengths(void **state)
{
	static const struct {
		enum sgs_cdb kind;
		uint64_t lba;
		uint32_t count;
		unsigned length;
	} cases[] = {
		{ SGS_CDB_6, 0, 0, 0 },
		{ SGS_CDB_6, 0, 1, 6 },
		{ SGS_CDB_6, 0, 256, 6 },
		{ SGS_CDB_6, 0, 257, 0 },
		{ SGS_CDB_6, 0x1fffff, 1, 6 },
		{ SGS_CDB_6, 0x1fff00, 256, 6 },
		{ SGS_CDB_6, 0x1fff01, 256, 0 },
		{ SGS_CDB_6, 0x200000, 1, 0 },
		{ SGS_CDB_6, UINT64_MAX, 1, 0 },

		{ SGS_CDB_10, 0, 0, 0 },
		{ SGS_CDB_10, 0, 1, 10 },
		{ SGS_CDB_10, 0, 65535, 10 },
		{ SGS_CDB_10, 0, 65536, 0 },
		{ SGS_CDB_10, LAST_32, 1, 10 },
		{ SGS_CDB_10, LAST_32, 2, 0 },
		{ SGS_CDB_10, LAST_32 - 65534, 65535, 10 },
		{ SGS_CDB_10, LAST_32 - 65533, 65535, 0 },
		{ SGS_CDB_10, LAST_32 + 1, 1, 0 },

		{ SGS_CDB_12, 0, 0, 0 },
		{ SGS_CDB_12, 0, 65536, 12 },
		{ SGS_CDB_12, 0, UINT32_MAX, 12 },
		{ SGS_CDB_12, 1, UINT32_MAX, 12 },
		{ SGS_CDB_12, 2, UINT32_MAX, 0 },
		{ SGS_CDB_12, LAST_32, 1, 12 },
		{ SGS_CDB_12, LAST_32, 2, 0 },
		{ SGS_CDB_12, LAST_32 + 1, 1, 0 },

		{ SGS_CDB_16, 0, 0, 0 },
		{ SGS_CDB_16, 0, 1, 16 },
		{ SGS_CDB_16, LAST_32 + 1, UINT32_MAX, 16 },
		{ SGS_CDB_16, UINT64_MAX, 1, 16 },
		{ SGS_CDB_16, UINT64_MAX, 2, 0 },
		{ SGS_CDB_16, UINT64_MAX - UINT32_MAX + 1, UINT32_MAX, 16 },
		{ SGS_CDB_16, UINT64_MAX - UINT32_MAX + 2, UINT32_MAX, 0 },

		{ SGS_CDB_AUTO, 0, 0, 0 },
		{ SGS_CDB_AUTO, 0, 1, 10 },
		{ SGS_CDB_AUTO, 0, 65535, 10 },
		{ SGS_CDB_AUTO, 0, 65536, 16 },
		{ SGS_CDB_AUTO, LAST_32, 1, 10 },
		{ SGS_CDB_AUTO, LAST_32, 2, 16 },
		{ SGS_CDB_AUTO, LAST_32 - 127, 128, 10 },
		{ SGS_CDB_AUTO, LAST_32 - 126, 128, 16 },
		{ SGS_CDB_AUTO, LAST_32 + 1, 1, 16 },
		{ SGS_CDB_AUTO, UINT64_MAX, 2, 0 },

		{ (enum sgs_cdb)7, 0, 1, 0 },
		{ (enum sgs_cdb)32, 0, 1, 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%d %#llx %u\n", (int)cases[i].kind,
			(unsigned long long)cases[i].lba, cases[i].count);
		assert_int_equal(
			sgs_read_cdb_length(cases[i].kind, cases[i].lba, cases[i].count),
			cases[i].length);
	}
}

static void assert_cdb(
	unsigned length, uint64_t lba, uint32_t count, const uint8_t expected[16])
{
	uint8_t cdb[16];

	memset(cdb, 0xee, sizeof(cdb));
	sgs_read_cdb_build(cdb, length, lba, count);
	assert_memory_equal(cdb, expected, sizeof(cdb));
}

/* A stream's CDB is that of a fresh one, whatever came before it. */
static void stream(void **state)
{
	static const struct {
		uint64_t lba;
		uint32_t count;
	} reads[] = {
		{ 0, 128 },
		{ 128, 128 },
		{ 0x01020304, 128 },
		{ LAST_32 - 127, 128 },
		{ LAST_32 - 126, 128 },
		{ LAST_32 + 1, 128 },
		{ 0x01020304, 128 },
		{ 256, 7 },
		{ 512, 65536 },
		{ 512, 7 },
	};
	static const enum sgs_cdb kinds[] = { SGS_CDB_AUTO, SGS_CDB_10, SGS_CDB_12,
		SGS_CDB_16 };
	(void)state;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct sgs_read_cdb c = { .kind = kinds[k] }, last = c;

		for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
			uint8_t expected[16];
			unsigned length =
				sgs_read_cdb_length(kinds[k], reads[i].lba, reads[i].count);

			sgs_read_cdb_build(expected, length, reads[i].lba, reads[i].count);
			if (!sgs_read_cdb_next(&c, reads[i].lba, reads[i].count)) {
				assert_int_equal(last.length, length);
				assert_int_equal(last.count, reads[i].count);
			}
			last = c;
			assert_int_equal(c.length, length);
			assert_memory_equal(c.bytes, expected, sizeof(expected));
		}
	}
}

static void read_6(void **state)
{
	(void)state;

	assert_cdb(6, 0x123456, 0x80, (const uint8_t[16]){ 0x08, 0x12, 0x34, 0x56, 0x80 });
	assert_cdb(6, 0x1fffff, 1, (const uint8_t[16]){ 0x08, 0x1f, 0xff, 0xff, 0x01 });
	assert_cdb(6, 0, 256, (const uint8_t[16]){ 0x08, 0, 0, 0, 0 });
}

static void read_10(void **state)
{
	(void)state;

	assert_cdb(10, 0x12345678, 0x80,
		(const uint8_t[16]){ 0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0x00, 0x80 });
	assert_cdb(10, LAST_32 - 65534, 65535,
		(const uint8_t[16]){ 0x28, 0, 0xff, 0xff, 0x00, 0x01, 0, 0xff, 0xff });
}

static void read_12(void **state)
{
	(void)state;

	assert_cdb(12, 0x12345678, 0x9abcdef0,
		(const uint8_t[16]){ 0xa8, 0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 });
}

static void read_16(void **state)
{
	(void)state;

	assert_cdb(16, 0x123456789abcdef0, 0x0fedcba9,
		(const uint8_t[16]){ 0x88, 0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0,
			0x0f, 0xed, 0xcb, 0xa9, 0, 0 });
	assert_cdb(16, LAST_32 + 1, 1,
		(const uint8_t[16]){ 0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 });
}

/* Whatever a caller passes, a drive can only be read from. */
static void nothing_but_reads(void **state)
{
	static const uint8_t opcodes[] = { 0x08, 0x28, 0xa8, 0x88 };
	(void)state;

	for (unsigned length = 0; length < 300; length++) {
		uint8_t cdb[16];

		sgs_read_cdb_build(cdb, length, UINT64_MAX, UINT32_MAX);
		assert_non_null(memchr(opcodes, cdb[0], sizeof(opcodes)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(stream),
		cmocka_unit_test(read_6),
		cmocka_unit_test(read_10),
		cmocka_unit_test(read_12),
		cmocka_unit_test(read_16),
		cmocka_unit_test(nothing_but_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
