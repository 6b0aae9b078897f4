/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of commands that may be sent to a device, and the gate before each of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>
#include <linux/bsg.h>
#include <scsi/sg.h>

#include "sys/kernel.h"
#include "sys/scsi.h"

#include "fake_sg.h"

/* Opcode, service action (or -1: any) and length of all that may be sent. */
static const struct {
	uint8_t opcode;
	int action;
	size_t len;
} allowed[] = {
	{ 0x00, -1, 6 },
	{ 0x08, -1, 6 },
	{ 0x12, -1, 6 },
	{ 0x25, -1, 10 },
	{ 0x28, -1, 10 },
	{ 0x88, -1, 16 },
	{ 0x9e, 0x10, 16 },
	{ 0xa8, -1, 12 },
};

static bool is_allowed(uint8_t opcode, uint8_t action, size_t len)
{
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		if (allowed[i].opcode == opcode && allowed[i].len == len &&
			(allowed[i].action < 0 || allowed[i].action == action))
			return true;
	return false;
}

static void only_commands_that_read_are_on_the_list(void **state)
{
	uint8_t cdb[32] = { 0 };
	(void)state;

	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned action = 0; action < 32; action++)
			for (size_t len = 0; len <= 32; len++) {
				cdb[0] = (uint8_t)opcode;
				cdb[1] = (uint8_t)action;
				assert_int_equal(sgs_sys_only_reads(cdb, len),
					len && is_allowed(
						       (uint8_t)opcode, (uint8_t)action, len));
			}
}

/* WRITE(6) to (32), WRITE SAME, UNMAP, FORMAT, SANITIZE, START STOP, MODE SELECT, and more */
static const uint8_t writers[] = { 0x04, 0x0a, 0x0b, 0x15, 0x1b, 0x1d, 0x2a, 0x2e, 0x35, 0x3b,
	0x3f, 0x41, 0x42, 0x48, 0x4c, 0x55, 0x5f, 0x7f, 0x89, 0x8a, 0x8e, 0x93, 0x9a, 0x9f,
	0xa3, 0xa4, 0xaa, 0xae };

static void what_writes_ends_before_the_kernel(void **state)
{
	uint8_t cdb[16] = { 0 };
	struct sg_io_hdr h = {
		.interface_id = 'S', .cmdp = cdb, .dxfer_direction = SG_DXFER_FROM_DEV
	};
	struct sg_io_v4 v4 = { .guard = 'Q', .request = (uintptr_t)cdb };
	int fd;
	(void)state;

	fake_sg("/dev/sg0", 0);
	fd = sgs_sys_open("/dev/sg0", 0);
	for (size_t i = 0; i < sizeof writers; i++)
		for (unsigned char len = 6; len <= 16; len += 2) {
			cdb[0] = writers[i];
			h.cmd_len = len;
			v4.request_len = len;
			assert_int_equal(sgs_sys_scsi(fd, &h), -EPERM);
			assert_int_equal(sgs_sys_sg_write(fd, &h), -EPERM);
			assert_int_equal(sgs_sys_scsi_v4(fd, &v4), -EPERM);
		}
	assert_int_equal(fake_commands(), 0);
	sgs_sys_close(fd);
	fake_check();
}

static void no_data_goes_to_a_device(void **state)
{
	uint8_t cdb[16] = { 0x28 };
	struct sg_io_hdr h = { .interface_id = 'S', .cmdp = cdb, .cmd_len = 10 };
	struct sg_io_v4 v4 = {
		.guard = 'Q', .request = (uintptr_t)cdb, .request_len = 10, .dout_xfer_len = 1
	};
	static const int directions[] = { SG_DXFER_TO_DEV, SG_DXFER_TO_FROM_DEV, 0, -6 };
	int fd;
	(void)state;

	fake_sg("/dev/sg0", 0);
	fd = sgs_sys_open("/dev/sg0", 0);
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
		h.dxfer_direction = directions[i];
		assert_int_equal(sgs_sys_scsi(fd, &h), -EPERM);
		assert_int_equal(sgs_sys_sg_write(fd, &h), -EPERM);
	}
	assert_int_equal(sgs_sys_scsi_v4(fd, &v4), -EPERM);
	h.dxfer_direction = SG_DXFER_FROM_DEV;
	assert_int_equal(sgs_sys_ioctl(fd, SG_IO, &h), -EPERM);
	assert_int_equal(fake_commands(), 0);
	sgs_sys_close(fd);
	fake_check();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(only_commands_that_read_are_on_the_list, fake_reset),
		cmocka_unit_test_setup(what_writes_ends_before_the_kernel, fake_reset),
		cmocka_unit_test_setup(no_data_goes_to_a_device, fake_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
