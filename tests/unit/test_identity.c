/* SPDX-License-Identifier: BSD-2-Clause */
/* INQUIRY, VPD pages and READ CAPACITY: captured answers, and such as no drive should give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_sg.h"
#include "scsi/identity.h"

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))

/* ---- INQUIRY ---- */

static const uint8_t disk_inquiry[36] = "\x00\x00\x06\x02\x5b\x00\x00\x02"
					"SEAGATE ST4000NM0023    0004";

static void test_inquiry_of_a_disk(void **state)
{
	struct sgs_identity id;

	(void)state;
	sgs_parse_inquiry(disk_inquiry, sizeof(disk_inquiry), &id);
	assert_true(id.valid);
	assert_int_equal(id.pdt, 0);
	assert_int_equal(id.version, 6);
	assert_false(id.removable);
	assert_string_equal(id.vendor, "SEAGATE");
	assert_string_equal(id.product, "ST4000NM0023");
	assert_string_equal(id.revision, "0004");
}

static void test_inquiry_cut_at_every_length(void **state)
{
	(void)state;
	for (size_t len = 0; len <= sizeof(disk_inquiry); len++) {
		uint8_t *data = test_malloc(len + 1); /* a byte behind it would be seen */
		struct sgs_identity id;

		memcpy(data, disk_inquiry, len);
		sgs_parse_inquiry(data, len, &id);
		assert_int_equal(id.valid, len > 0);
		assert_int_equal(id.pdt, len > 0 ? 0 : -1);
		assert_true(strlen(id.vendor) <= (len > 8 ? len - 8 : 0));
		if (len < 17)
			assert_string_equal(id.product, "");
		if (len < 33)
			assert_string_equal(id.revision, "");
		test_free(data);
	}
}

static void test_inquiry_whose_additional_length_lies(void **state)
{
	uint8_t data[36];
	struct sgs_identity id;

	(void)state;
	memcpy(data, disk_inquiry, sizeof(data));
	data[4] = 0xff; /* more than came */
	sgs_parse_inquiry(data, sizeof(data), &id);
	assert_string_equal(id.revision, "0004");
	data[4] = 0; /* less than came: every device has 36 bytes */
	sgs_parse_inquiry(data, sizeof(data), &id);
	assert_string_equal(id.revision, "0004");
}

static void test_inquiry_with_control_bytes(void **state)
{
	uint8_t data[36];
	struct sgs_identity id;

	(void)state;
	memcpy(data, disk_inquiry, sizeof(data));
	memcpy(data + 8, "\x1b[31mA\0\x07", 8);
	memset(data + 16, 0xff, 16);
	memset(data + 32, 0, 4);
	sgs_parse_inquiry(data, sizeof(data), &id);
	assert_string_equal(id.vendor, "?[31mA??");
	assert_string_equal(id.product, "????????????????");
	assert_string_equal(id.revision, "");
}

static void test_inquiry_type_and_removable(void **state)
{
	struct sgs_identity id;

	(void)state;
	sgs_parse_inquiry(BYTES(0x05, 0x80, 0x05, 0x02, 31), &id);
	assert_int_equal(id.pdt, 5);
	assert_true(id.removable);
	assert_string_equal(id.vendor, "");
	sgs_parse_inquiry(BYTES(0x7f), &id); /* qualifier 3: no such logical unit */
	assert_int_equal(id.pdt, 0x1f);
}

/* ---- VPD ---- */

static void test_serial(void **state)
{
	struct sgs_identity id = { 0 };

	(void)state;
	sgs_parse_vpd_serial(
		BYTES(0, 0x80, 0, 10, ' ', ' ', 'Z', '1', 'Z', '2', 0, ' ', ' ', ' '), &id);
	assert_string_equal(id.serial, "Z1Z2");
}

static void test_serial_that_lies(void **state)
{
	struct sgs_identity id = { 0 };
	uint8_t data[256] = { 0, 0x80, 0, 252 };

	(void)state;
	sgs_parse_vpd_serial(BYTES(0, 0x80, 0xff, 0xff, 'A', 'B'), &id); /* past the end */
	assert_string_equal(id.serial, "AB");
	sgs_parse_vpd_serial(BYTES(0, 0x83, 0, 2, 'C', 'D'), &id); /* another page */
	assert_string_equal(id.serial, "AB");
	sgs_parse_vpd_serial(BYTES(0, 0x80, 0), &id);	      /* no header */
	sgs_parse_vpd_serial(BYTES(0, 0x80, 0, 0, 'E'), &id); /* nothing in it */
	assert_string_equal(id.serial, "AB");
	memset(data + 4, 'x', 252);
	sgs_parse_vpd_serial(data, sizeof(data), &id);
	assert_int_equal(strlen(id.serial), sizeof(id.serial) - 1);
}

static const uint8_t sas_disk_page83[] = {
	0x00,
	0x83,
	0x00,
	0x24,
	/* a port's NAA comes first, and is not what is wanted */
	0x61,
	0x93,
	0x00,
	0x08,
	0x50,
	0x00,
	0xc5,
	0x00,
	0x57,
	0xaa,
	0xbb,
	0x01,
	0x01,
	0x03,
	0x00,
	0x08,
	0x50,
	0x00,
	0xc5,
	0x00,
	0x57,
	0xaa,
	0xbb,
	0x03,
	0x61,
	0xa3,
	0x00,
	0x08,
	0x50,
	0x00,
	0xc5,
	0x00,
	0x57,
	0xaa,
	0xbb,
	0x00,
};

static void test_lu_name_is_the_logical_unit_s(void **state)
{
	struct sgs_identity id = { 0 };

	(void)state;
	sgs_parse_vpd_device_id(sas_disk_page83, sizeof(sas_disk_page83), &id);
	assert_string_equal(id.lu_name, "naa.5000c50057aabb03");
}

static void test_lu_name_prefers_the_best(void **state)
{
	static const uint8_t page[] = {
		0x00, 0x83, 0x00, 0x37, 0x03, 0x08, 0x00, 0x07, 'i', 'q', 'n', '.', 'a', 'b',
		0, /* name */
		0x02, 0x01, 0x00, 0x0c, 'A', 'T', 'A', ' ', ' ', ' ', ' ', ' ', 'S', '/', 'N',
		'1', 0x01, 0x02, 0x00, 0x08, 1, 2, 3, 4, 5, 6, 7, 8,  /* EUI-64 */
		0x01, 0x03, 0x00, 0x08, 0x60, 2, 3, 4, 5, 6, 7, 0xff, /* NAA */
	};
	static const char *const best[] = { "", "", "", "", "name.iqn.ab", "t10.ATA     S/N1",
		"eui.0102030405060708", "naa.60020304050607ff" };
	static const size_t ends[] = { 0, 3, 4, 14, 15, 31, 43, 55 };
	struct sgs_identity id;

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		memset(&id, 0, sizeof(id));
		sgs_parse_vpd_device_id(page, ends[i], &id);
		assert_string_equal(id.lu_name, best[i]);
	}
}

static void test_lu_name_uuid(void **state)
{
	struct sgs_identity id = { 0 };

	(void)state;
	sgs_parse_vpd_device_id(BYTES(0, 0x83, 0, 22, 0x01, 0x0a, 0, 18, 0x10, 0, 0xde, 0xad, 2,
					3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
		&id);
	assert_string_equal(id.lu_name, "uuid.dead02030405060708090a0b0c0d0e0f");
}

static void test_lu_name_with_lengths_past_the_end(void **state)
{
	struct sgs_identity id = { 0 };

	(void)state;
	sgs_parse_vpd_device_id(BYTES(0, 0x83, 0xff, 0xff, 0x01, 0x03, 0, 0xff, 1, 2, 3), &id);
	assert_string_equal(id.lu_name, "");
	sgs_parse_vpd_device_id(
		BYTES(0, 0x83, 0, 12, 0x01, 0x03, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8), &id);
	assert_string_equal(id.lu_name, "");
	sgs_parse_vpd_device_id(BYTES(0, 0x83, 0, 4, 0x01, 0x03, 0, 0), &id); /* of no length */
	assert_string_equal(id.lu_name, "");
	sgs_parse_vpd_device_id(BYTES(0, 0x80, 0, 12, 1, 3, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8), &id);
	assert_string_equal(id.lu_name, "");
}

static void test_lu_name_is_printable_and_cut(void **state)
{
	uint8_t page[4 + 4 + 255] = { 0, 0x83, 1, 3, 0x02, 0x01, 0, 255 };
	struct sgs_identity id = { 0 };

	(void)state;
	memset(page + 8, '\n', 255);
	sgs_parse_vpd_device_id(page, sizeof(page), &id);
	assert_int_equal(strlen(id.lu_name), sizeof(id.lu_name) - 1);
	assert_memory_equal(id.lu_name, "t10.????", 8);
	page[4] = 0x01; /* binary */
	memset(&id, 0, sizeof(id));
	sgs_parse_vpd_device_id(page, sizeof(page), &id);
	assert_memory_equal(id.lu_name, "t10.0a0a", 8);
	assert_true(strlen(id.lu_name) < sizeof(id.lu_name));
}

/* ---- READ CAPACITY data ---- */

static void test_capacity10(void **state)
{
	struct sgs_capacity cap;

	(void)state;
	assert_int_equal(sgs_parse_capacity10(BYTES(0, 1, 0xff, 0xff, 0, 0, 2, 0), &cap), 0);
	assert_int_equal(cap.blocks, 131072);
	assert_int_equal(cap.block_bytes, 512);
	assert_int_equal(cap.physical_block_bytes, 512);
	assert_int_equal(cap.protection_type, 0);
}

static void test_capacity10_of_any_block_length(void **state)
{
	static const uint32_t lengths[] = { 1, 512, 520, 528, 2048, 4096, 4104, 4160, 4224,
		65536, 16 << 20 };
	struct sgs_capacity cap;

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		uint32_t n = lengths[i];
		uint8_t data[8] = { 0, 0, 0, 9, (uint8_t)(n >> 24), (uint8_t)(n >> 16),
			(uint8_t)(n >> 8), (uint8_t)n };

		assert_int_equal(sgs_parse_capacity10(data, 8, &cap), 0);
		assert_int_equal(cap.block_bytes, n);
		assert_int_equal(cap.blocks, 10);
	}
}

static void test_capacity10_that_makes_no_sense(void **state)
{
	struct sgs_capacity cap;

	(void)state;
	assert_int_equal(
		sgs_parse_capacity10(BYTES(0, 1, 0xff, 0xff, 0, 0, 2), &cap), -EBADMSG);
	assert_int_equal(sgs_parse_capacity10(NULL, 0, &cap), -EBADMSG);
	assert_int_equal(sgs_parse_capacity10(BYTES(0, 0, 0, 9, 0, 0, 0, 0), &cap), -EBADMSG);
	assert_int_equal(sgs_parse_capacity10(BYTES(0, 0, 0, 9, 1, 0, 0, 1), &cap), -EBADMSG);
	assert_int_equal(sgs_parse_capacity10(BYTES(0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff), &cap),
		-EBADMSG);
}

static void test_capacity10_sends_to_16(void **state)
{
	struct sgs_capacity cap;

	(void)state;
	assert_int_equal(
		sgs_parse_capacity10(BYTES(0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0), &cap), 1);
	assert_int_equal(cap.blocks, UINT64_C(1) << 32);
	assert_int_equal(
		sgs_parse_capacity10(BYTES(0xff, 0xff, 0xff, 0xfe, 0, 0, 2, 0), &cap), 0);
	assert_int_equal(cap.blocks, UINT32_MAX);
}

static void test_capacity16(void **state)
{
	uint8_t data[32] = { 0, 0, 0, 2, 0x70, 0xff, 0xff, 0xff, 0, 0, 2, 0, 0x05, 0x03 };
	struct sgs_capacity cap;

	(void)state;
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), 0);
	assert_int_equal(cap.blocks, UINT64_C(0x271000000));
	assert_int_equal(cap.block_bytes, 512);
	assert_int_equal(cap.physical_block_bytes, 4096);
	assert_int_equal(cap.protection_type, 3);
}

static void test_capacity16_protection(void **state)
{
	uint8_t data[32] = { 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 2, 8 };
	static const int types[16] = { 0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct sgs_capacity cap;

	(void)state;
	for (uint8_t i = 0; i < 16; i++) {
		data[12] = i;
		assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), 0);
		assert_int_equal(cap.protection_type, types[i]);
		assert_int_equal(cap.block_bytes, 520);
	}
}

static void test_capacity16_cut(void **state)
{
	uint8_t data[32] = { 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 2, 0, 0x01, 0x03 };
	struct sgs_capacity cap;

	(void)state;
	assert_int_equal(sgs_parse_capacity16(data, 11, &cap), -EBADMSG);
	assert_int_equal(sgs_parse_capacity16(data, 12, &cap), 0);
	assert_int_equal(cap.blocks, 100);
	assert_int_equal(cap.protection_type, 0);
	assert_int_equal(cap.physical_block_bytes, 512);
}

static void test_capacity16_that_makes_no_sense(void **state)
{
	uint8_t data[32];
	struct sgs_capacity cap;

	(void)state;
	memset(data, 0, sizeof(data)); /* one block of no length */
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), -EBADMSG);
	memset(data, 0xff, 8); /* 2^64 blocks */
	data[10] = 2;
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), -EBADMSG);
	data[0] = 0x00; /* 2^56 blocks: more bytes than an offset can count */
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), -EBADMSG);
	data[1] = 0x00; /* 2^48 blocks of 512: 128 PiB, which is large and possible */
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), 0);
	data[8] = 0x01; /* and of 16 MiB + 512 */
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), -EBADMSG);
}

static void test_capacity16_with_an_absurd_physical_block(void **state)
{
	uint8_t data[32] = { 0, 0, 0, 0, 0, 0, 0, 99, 1, 0, 0, 0, 0, 0x0f };
	struct sgs_capacity cap;

	(void)state;
	assert_int_equal(sgs_parse_capacity16(data, sizeof(data), &cap), 0);
	assert_int_equal(cap.physical_block_bytes, 16 << 20);
}

/* ---- asking ---- */

#define INQUIRY	       .name = "INQUIRY", .cdb = { 0x12, 0, 0, 0, 36, 0 }, .cdb_len = 6
#define VPD_80	       .name = "VPD 80h", .cdb = { 0x12, 1, 0x80, 0, 252, 0 }, .cdb_len = 6
#define VPD_83	       .name = "VPD 83h", .cdb = { 0x12, 1, 0x83, 0, 252, 0 }, .cdb_len = 6
#define CAP_10	       .name = "READ CAPACITY(10)", .cdb = { 0x25 }, .cdb_len = 10
#define CAP_16	       .name = "READ CAPACITY(16)", .cdb = { 0x9e, 0x10, [13] = 32 }, .cdb_len = 16
#define DATA(d)	       .data = (d), .data_len = sizeof(d)
#define UNIT_ATTENTION .key = 6, .asc = 0x29, .ascq = 0
#define INVALID_FIELD  .key = 5, .asc = 0x24, .ascq = 0
#define INVALID_OPCODE .key = 5, .asc = 0x20, .ascq = 0

static const uint8_t cap10_64m[8] = { 0, 1, 0xff, 0xff, 0, 0, 2, 0 };
static const uint8_t cap10_large[8] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0 };
static const uint8_t cap16_64m[32] = { [5] = 1, 0xff, 0xff, 0, 0, 2, 0, 0x01, 0x03 };
static const uint8_t cap16_large[32] = { [3] = 2, 0x70, 0xff, 0xff, 0xff, 0, 0, 2, 0 };

static int node_fd;
static struct sgs_error err;

static int setup(void **state)
{
	fake_reset(state);
	memset(&err, 0, sizeof(err));
	fake_sg("/fake/sg0", 0);
	node_fd = open("/fake/sg0", O_RDONLY);
	return node_fd < 0;
}

static void done(void)
{
	close(node_fd);
	fake_check();
}

static int ask_capacity(const struct fake_command *commands, size_t n, struct sgs_capacity *cap,
	unsigned *attentions)
{
	int status;

	*attentions = 0;
	fake_expect(commands, n);
	status = sgs_read_capacity(node_fd, cap, attentions, &err);
	done();
	assert_int_equal(status, err.status);
	if (status) {
		assert_string_not_equal(err.code, "");
		assert_string_not_equal(err.text, "");
	}
	return status;
}

static void test_ask_identity(void **state)
{
	static const uint8_t serial[] = { 0, 0x80, 0, 4, 'Z', '1', 'Z', '2' };
	const struct fake_command commands[] = {
		{ INQUIRY, DATA(disk_inquiry) },
		{ VPD_80, DATA(serial) },
		{ VPD_83, DATA(sas_disk_page83) },
	};
	struct sgs_identity id;

	(void)state;
	fake_expect(commands, COUNT(commands));
	assert_int_equal(sgs_read_identity(node_fd, &id, &err), 0);
	done();
	assert_string_equal(id.product, "ST4000NM0023");
	assert_string_equal(id.serial, "Z1Z2");
	assert_string_equal(id.lu_name, "naa.5000c50057aabb03");
}

static void test_ask_identity_without_vpd(void **state)
{
	const struct fake_command commands[] = {
		{ INQUIRY, DATA(disk_inquiry) },
		{ VPD_80, INVALID_FIELD },
		{ VPD_83, .host_status = 7 },
	};
	struct sgs_identity id;

	(void)state;
	fake_expect(commands, COUNT(commands));
	assert_int_equal(sgs_read_identity(node_fd, &id, &err), 0);
	done();
	assert_true(id.valid);
	assert_string_equal(id.serial, "");
	assert_string_equal(id.lu_name, "");
}

static void test_ask_identity_of_an_old_device(void **state)
{
	uint8_t inquiry[36];
	const struct fake_command commands[] = { { INQUIRY, DATA(inquiry) } };
	struct sgs_identity id;

	(void)state;
	memcpy(inquiry, disk_inquiry, sizeof(inquiry));
	inquiry[2] = 2; /* SCSI-2: VPD pages are not asked for */
	fake_expect(commands, COUNT(commands));
	assert_int_equal(sgs_read_identity(node_fd, &id, &err), 0);
	done();
}

static void test_ask_identity_with_a_long_page(void **state)
{
	uint8_t page[400] = { 0, 0x83, 396 >> 8, 396 & 0xff, 0x02, 0x01, 0, 250 };
	const struct fake_command commands[] = {
		{ INQUIRY, DATA(disk_inquiry) },
		{ VPD_80, INVALID_FIELD },
		{ VPD_83, DATA(page) },
		{ .name = "all of VPD 83h",
			.cdb = { 0x12, 1, 0x83, 400 >> 8, 400 & 0xff, 0 },
			.cdb_len = 6,
			DATA(page) },
	};
	struct sgs_identity id;

	(void)state;
	memset(page + 8, 'x', 250);
	memcpy(page + 258, "\x01\x03\x00\x08\x50\x00\xc5\x00\x57\xaa\xbb\x03", 12);
	fake_expect(commands, COUNT(commands));
	assert_int_equal(sgs_read_identity(node_fd, &id, &err), 0);
	done();
	assert_string_equal(id.lu_name, "naa.5000c50057aabb03");
}

/* A page that says it is endless is read to a limit, once. */
static void test_ask_identity_with_an_endless_page(void **state)
{
	uint8_t page[2048];
	const struct fake_command commands[] = {
		{ INQUIRY, DATA(disk_inquiry) },
		{ VPD_80, INVALID_FIELD },
		{ VPD_83, DATA(page) },
		{ .name = "2 KiB of VPD 83h",
			.cdb = { 0x12, 1, 0x83, 8, 0, 0 },
			.cdb_len = 6,
			DATA(page) },
	};
	struct sgs_identity id;

	(void)state;
	memset(page, 0xff, sizeof(page));
	page[1] = 0x83;
	fake_expect(commands, COUNT(commands));
	assert_int_equal(sgs_read_identity(node_fd, &id, &err), 0);
	done();
	assert_string_equal(id.lu_name, "");
}

static void test_ask_identity_fails(void **state)
{
	static const struct {
		struct fake_command command;
		int status;
		const char *code;
	} cases[] = {
		{ { INQUIRY, .error = EPERM }, SGS_OS_BASE + EPERM, "not_permitted" },
		{ { INQUIRY, .error = ENODEV }, SGS_FILE, "device_gone" },
		{ { INQUIRY, .error = ENOTTY }, SGS_OS_BASE + ENOTTY, "host_error" },
		{ { INQUIRY, .host_status = 3 }, SGS_TIMEOUT, "timeout" },
		{ { INQUIRY, .host_status = 1 }, SGS_TRANSPORT, "transport" },
		{ { INQUIRY, .status = 0x18 }, SGS_RESERVATION, "scsi_status" },
		{ { INQUIRY, .status = 0x08 }, SGS_BUSY, "scsi_status" },
		{ { INQUIRY, INVALID_OPCODE }, SGS_INVALID_OP, "device_error" },
		{ { INQUIRY, .key = 4, .asc = 0x44 }, SGS_MEDIUM_HARD, "device_error" },
		{ { INQUIRY, .data_len = 0 }, SGS_MALFORMED, "malformed_answer" },
	};
	struct sgs_identity id;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		fake_expect(&cases[i].command, 1);
		assert_int_equal(sgs_read_identity(node_fd, &id, &err), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
		assert_string_equal(err.code, cases[i].code);
		assert_false(id.valid);
	}
	done();
}

static int note_timeout(struct fake_io *io, void *arg)
{
	*(unsigned *)arg = io->timeout_ms;
	return ENODEV;
}

static unsigned timeout_of(uint64_t ns)
{
	struct sgs_identity id;
	unsigned ms = 0;

	sgs_identity_patience(ns);
	fake_set_answer(note_timeout, &ms);
	assert_int_equal(sgs_read_identity(node_fd, &id, &err), SGS_FILE);
	fake_set_answer(NULL, NULL);
	return ms;
}

static void test_patience_is_rounded_up_and_bounded(void **state)
{
	(void)state;
	assert_int_equal(timeout_of(1), 1000);
	assert_int_equal(timeout_of(2000000000u), 2000);
	assert_int_equal(timeout_of(2500000000u), 3000);
	assert_int_equal(timeout_of(60000000000u), 30000);
	assert_int_equal(timeout_of(UINT64_MAX), 30000);
	assert_int_equal(timeout_of(0), 30000);
}

static void test_ask_capacity_knows_more_by_16(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10_64m) },
		{ CAP_16, DATA(cap16_64m) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(cap.blocks, 131072);
	assert_int_equal(cap.physical_block_bytes, 4096);
	assert_int_equal(cap.protection_type, 1);
	assert_int_equal(attentions, 0);
}

static void test_ask_capacity_beyond_2_tib(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10_large) },
		{ CAP_16, DATA(cap16_large) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(cap.blocks, UINT64_C(0x271000000));
}

static void test_ask_capacity_without_16(void **state)
{
	static const struct fake_command refusals[] = {
		{ CAP_16, INVALID_OPCODE },
		{ CAP_16, INVALID_FIELD },
		{ CAP_16, .host_status = 5 }, /* am53c974 aborts a CDB of 16 bytes */
		{ CAP_16, .data_len = 0 },
		{ CAP_16, .error = EPERM },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	for (size_t i = 0; i < COUNT(refusals); i++) {
		const struct fake_command commands[] = { { CAP_10, DATA(cap10_64m) },
			refusals[i] };

		setup(state);
		assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
		assert_int_equal(cap.blocks, 131072);
		assert_int_equal(cap.block_bytes, 512);
	}
}

static void test_ask_capacity_beyond_2_tib_without_16(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10_large) },
		{ CAP_16, INVALID_OPCODE },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(cap.blocks, UINT64_C(1) << 32); /* what READ(10) reaches */
}

/* That 16 timed out does not mean that there is no more. */
static void test_ask_capacity_beyond_2_tib_with_16_lost(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10_large) },
		{ CAP_16, .host_status = 3 },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(
		ask_capacity(commands, COUNT(commands), &cap, &attentions), SGS_TIMEOUT);
}

static void test_ask_capacity_without_10(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, INVALID_OPCODE },
		{ CAP_16, DATA(cap16_64m) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(cap.blocks, 131072);
}

static void test_ask_capacity_when_they_differ(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10_64m) },
		{ CAP_16, DATA(cap16_large) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(cap.blocks, 131072);
}

static void test_ask_capacity_after_unit_attentions(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, UNIT_ATTENTION, .times = 4 },
		{ CAP_10, DATA(cap10_64m) },
		{ CAP_16, UNIT_ATTENTION },
		{ CAP_16, DATA(cap16_64m) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(attentions, 5);
	assert_int_equal(cap.protection_type, 1);
}

static void test_ask_capacity_gives_up_on_unit_attentions(void **state)
{
	const struct fake_command commands[] = { { CAP_10, UNIT_ATTENTION, .times = 6 } };
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(
		ask_capacity(commands, COUNT(commands), &cap, &attentions), SGS_UNIT_ATTENTION);
	assert_int_equal(attentions, 6);
}

/* vmw_pvscsi reports a check condition as good status, a host error, and sense. */
static void test_ask_capacity_with_sense_under_a_host_error(void **state)
{
	static const uint8_t attention[18] = { 0x70, 0, 6, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29 };
	const struct fake_command commands[] = {
		{ CAP_10, .host_status = 7, .driver_status = 8, .sense = attention,
			.sense_len = sizeof(attention) },
		{ CAP_10, DATA(cap10_64m) },
		{ CAP_16, INVALID_OPCODE },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(attentions, 1);
}

static void test_ask_capacity_with_descriptor_sense(void **state)
{
	static const uint8_t attention[8] = { 0x72, 6, 0x29, 0 };
	const struct fake_command commands[] = {
		{ CAP_10, .status = 2, .driver_status = 8, .sense = attention,
			.sense_len = sizeof(attention) },
		{ CAP_10, DATA(cap10_64m) },
		{ CAP_16, DATA(cap16_64m) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(attentions, 1);
}

static void test_ask_capacity_not_ready(void **state)
{
	static const struct {
		uint8_t asc, ascq;
		const char *code, *phrase, *remedy;
	} cases[] = {
		{ 0x3a, 0x00, "no_medium", "2/3a/00", "insert a medium" },
		{ 0x04, 0x01, "becoming_ready", "2/04/01", "wait until" },
		{ 0x04, 0x02, "not_ready", "2/04/02", "sg_start --start" },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct fake_command command = { CAP_10, .key = 2, .asc = cases[i].asc,
			.ascq = cases[i].ascq };

		setup(state);
		assert_int_equal(ask_capacity(&command, 1, &cap, &attentions), SGS_NOT_READY);
		assert_string_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].phrase));
		assert_non_null(strstr(err.text, cases[i].remedy));
	}
}

static void test_ask_capacity_malformed(void **state)
{
	static const uint8_t no_length[32] = { 0, 0, 0, 9 };
	const struct fake_command commands[] = {
		{ CAP_10, .data = no_length, .data_len = 8 },
		{ CAP_16, DATA(no_length) },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(
		ask_capacity(commands, COUNT(commands), &cap, &attentions), SGS_MALFORMED);
}

/* A residual above the length is a bug of the adapter's; nothing is believed to have come. */
static void test_ask_capacity_with_a_residual_that_lies(void **state)
{
	const struct fake_command commands[] = {
		{ CAP_10, DATA(cap10_64m), .resid = 100 },
		{ CAP_16, DATA(cap16_large), .resid = -1 },
	};
	struct sgs_capacity cap;
	unsigned attentions;

	(void)state;
	assert_int_equal(ask_capacity(commands, COUNT(commands), &cap, &attentions), 0);
	assert_int_equal(cap.blocks, UINT64_C(0x271000000));
}

static void test_error_may_be_null(void **state)
{
	const struct fake_command command = { CAP_10, .key = 2, .asc = 4, .ascq = 1 };
	struct sgs_capacity cap;
	unsigned attentions = 0;

	(void)state;
	fake_expect(&command, 1);
	assert_int_equal(sgs_read_capacity(node_fd, &cap, &attentions, NULL), SGS_NOT_READY);
	done();
}

#define ASK(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inquiry_of_a_disk),
		cmocka_unit_test(test_inquiry_cut_at_every_length),
		cmocka_unit_test(test_inquiry_whose_additional_length_lies),
		cmocka_unit_test(test_inquiry_with_control_bytes),
		cmocka_unit_test(test_inquiry_type_and_removable),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_serial_that_lies),
		cmocka_unit_test(test_lu_name_is_the_logical_unit_s),
		cmocka_unit_test(test_lu_name_prefers_the_best),
		cmocka_unit_test(test_lu_name_uuid),
		cmocka_unit_test(test_lu_name_with_lengths_past_the_end),
		cmocka_unit_test(test_lu_name_is_printable_and_cut),
		cmocka_unit_test(test_capacity10),
		cmocka_unit_test(test_capacity10_of_any_block_length),
		cmocka_unit_test(test_capacity10_that_makes_no_sense),
		cmocka_unit_test(test_capacity10_sends_to_16),
		cmocka_unit_test(test_capacity16),
		cmocka_unit_test(test_capacity16_protection),
		cmocka_unit_test(test_capacity16_cut),
		cmocka_unit_test(test_capacity16_that_makes_no_sense),
		cmocka_unit_test(test_capacity16_with_an_absurd_physical_block),
		ASK(test_ask_identity),
		ASK(test_ask_identity_without_vpd),
		ASK(test_ask_identity_of_an_old_device),
		ASK(test_ask_identity_with_a_long_page),
		ASK(test_ask_identity_with_an_endless_page),
		ASK(test_ask_identity_fails),
		ASK(test_patience_is_rounded_up_and_bounded),
		ASK(test_ask_capacity_knows_more_by_16),
		ASK(test_ask_capacity_beyond_2_tib),
		ASK(test_ask_capacity_without_16),
		ASK(test_ask_capacity_beyond_2_tib_without_16),
		ASK(test_ask_capacity_beyond_2_tib_with_16_lost),
		ASK(test_ask_capacity_without_10),
		ASK(test_ask_capacity_when_they_differ),
		ASK(test_ask_capacity_after_unit_attentions),
		ASK(test_ask_capacity_gives_up_on_unit_attentions),
		ASK(test_ask_capacity_with_sense_under_a_host_error),
		ASK(test_ask_capacity_with_descriptor_sense),
		ASK(test_ask_capacity_not_ready),
		ASK(test_ask_capacity_malformed),
		ASK(test_ask_capacity_with_a_residual_that_lies),
		ASK(test_error_may_be_null),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
