/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <limits.h>
#include <linux/bsg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scsi/outcome.h"

#define ASKED 65536

/* SAM-5 status codes. */
enum {
	GOOD = 0x00,
	CHECK_CONDITION = 0x02,
	CONDITION_MET = 0x04,
	BUSY = 0x08,
	CONFLICT = 0x18,
	TS_FULL = 0x28,
	ACA_ACTIVE = 0x30,
	TASK_ABORTED = 0x40,
};

enum { DRIVER_SENSE = 8 };

/* Sense data: fixed format (SPC-5 4.5.3) has the key in byte 2, INFORMATION in 3 to 6, valid by
 * bit 7 of byte 0, and the additional sense in 12 and 13. Descriptor format (4.5.2) has them in
 * 1, 2, 3 and in descriptors from 8 on. */
struct sense {
	size_t len;
	uint8_t data[SGS_SENSE_BYTES];
};

#define FIXED(code, key, asc, ascq)                                              \
	{                                                                        \
		18,                                                              \
		{                                                                \
			[0] = code, [2] = key, [7] = 10, [12] = asc, [13] = ascq \
		}                                                                \
	}
#define DESCRIPTOR(code, key, asc, ascq)     \
	{                                    \
		8,                           \
		{                            \
			code, key, asc, ascq \
		}                            \
	}

static const struct sense no_sense = { 0 };
static const struct sense medium_with_info = { 18,
	{ 0xf0, 0, 0x03, 0, 0, 0x12, 0x34, 10, 0, 0, 0, 0, 0x11, 0x00 } };
static const struct sense medium = FIXED(0x70, 3, 0x11, 0x00);
static const struct sense medium_descriptor = DESCRIPTOR(0x72, 3, 0x11, 0x00);
/* An information descriptor: type 0, 10 bytes more, VALID, LBA 1,2345,6789h. */
static const struct sense medium_descriptor_info = { 20,
	{ 0x72, 3, 0x11, 0x00, 0, 0, 0, 12, 0x00, 0x0a, 0x80, 0, 0, 0, 0, 1, 0x23, 0x45, 0x67,
		0x89 } };
static const struct sense blank_check = FIXED(0x70, 8, 0x00, 0x05);
static const struct sense hardware = FIXED(0x70, 4, 0x44, 0x00);
static const struct sense recovered = FIXED(0x70, 1, 0x5d, 0x00);
static const struct sense recovered_descriptor = DESCRIPTOR(0x72, 1, 0x5d, 0x00);
static const struct sense nak_timeout = FIXED(0x70, 0xb, 0x4b, 0x03);
static const struct sense guard_check = FIXED(0x70, 0xb, 0x10, 0x01);
static const struct sense guard_check_dix = FIXED(0x70, 5, 0x10, 0x01);
static const struct sense io_terminated = FIXED(0x70, 0xb, 0x00, 0x06);
static const struct sense power_on = FIXED(0x70, 6, 0x29, 0x01);
static const struct sense reset = FIXED(0x70, 6, 0x29, 0x00);
static const struct sense bus_reset = FIXED(0x70, 6, 0x29, 0x02);
static const struct sense capacity_changed = FIXED(0x70, 6, 0x2a, 0x09);
static const struct sense luns_changed = FIXED(0x70, 6, 0x3f, 0x0e);
static const struct sense luns_changed_descriptor = DESCRIPTOR(0x72, 6, 0x3f, 0x0e);
static const struct sense becoming_ready = FIXED(0x70, 2, 0x04, 0x01);
static const struct sense stopped = FIXED(0x70, 2, 0x04, 0x02);
static const struct sense no_medium = FIXED(0x70, 2, 0x3a, 0x00);
static const struct sense past_end = FIXED(0x70, 5, 0x21, 0x00);
static const struct sense unknown_opcode = FIXED(0x70, 5, 0x20, 0x00);
static const struct sense protected = FIXED(0x70, 7, 0x27, 0x02);
static const struct sense space = FIXED(0x70, 7, 0x27, 0x07);
static const struct sense deferred_medium = FIXED(0x71, 3, 0x11, 0x00);
static const struct sense deferred_recovered = FIXED(0x71, 1, 0x5d, 0x00);
static const struct sense deferred_descriptor = DESCRIPTOR(0x73, 4, 0x44, 0x00);
static const struct sense key_of_nothing = FIXED(0x70, 0, 0, 0);
static const struct sense copy_aborted = FIXED(0x70, 0xa, 0, 0);
static const struct sense vendor_format = FIXED(0x7f, 3, 0x11, 0x00);
static const struct sense all_ones = { 4, { 0xff, 0xff, 0xff, 0xff } };
static const struct sense all_zeros = { 18, { 0 } };
static const struct sense text = { 18, "Medium error, LBA" };

/* As SG_IO returned it; the outcome held rubbish before. */
static struct sgs_outcome judge(
	unsigned status, unsigned host, unsigned driver, const struct sense *sense, int resid)
{
	struct sgs_outcome out;
	uint8_t room[SGS_SENSE_BYTES];
	struct sg_io_hdr h = {
		.interface_id = 'S',
		.status = (unsigned char)status,
		.masked_status = (unsigned char)(status >> 1 & 0x1f),
		.host_status = (unsigned short)host,
		.driver_status = (unsigned short)driver,
		.sb_len_wr = (unsigned char)sense->len,
		.mx_sb_len = sizeof(room),
		.sbp = room,
		.dxfer_len = ASKED,
		.resid = resid,
	};

	memcpy(room, sense->data, sizeof(room));
	memset(&out, 0xa5, sizeof(out));
	sgs_outcome_from_sg(&out, &h, ASKED);
	return out;
}

/* The same as bsg tells it. */
static struct sgs_outcome judge_v4(
	unsigned status, unsigned host, unsigned driver, const struct sense *sense, int resid)
{
	struct sgs_outcome out;
	const struct sg_io_v4 h = {
		.guard = 'Q',
		.device_status = status,
		.transport_status = host,
		.driver_status = driver,
		.response = (uintptr_t)sense->data,
		.response_len = (uint32_t)sense->len,
		.max_response_len = SGS_SENSE_BYTES,
		.din_xfer_len = ASKED,
		.din_resid = resid,
	};

	memset(&out, 0xa5, sizeof(out));
	sgs_outcome_from_v4(&out, &h, ASKED);
	return out;
}

struct row {
	const char *name;
	unsigned status, host, driver;
	const struct sense *sense;
	int resid;
	enum sgs_fault_class fault;
	uint32_t bytes;
	int exit_status;
};

static void assert_outcome(const struct row *r, struct sgs_outcome out)
{
	if (out.fault != r->fault || out.bytes != r->bytes ||
		sgs_outcome_status(&out) != r->exit_status)
		fail_msg("%s: %s with %u bytes, exit status %d", r->name,
			sgs_fault_name(out.fault), out.bytes, sgs_outcome_status(&out));
	assert_int_equal(out.host_errno, 0);
	assert_int_equal(out.status, r->status);
	assert_int_equal(out.host_status, r->host);
	assert_int_equal(out.driver_status, r->driver);
	assert_int_equal(out.sense_len, r->sense->len);
	assert_memory_equal(out.sense, r->sense->data, r->sense->len);
}

static void assert_row(const struct row *r)
{
	assert_outcome(r, judge(r->status, r->host, r->driver, r->sense, r->resid));
	assert_outcome(r, judge_v4(r->status, r->host, r->driver, r->sense, r->resid));
}

#define ASSERT_ROWS(rows)                                                \
	for (size_t i_ = 0; i_ < sizeof(rows) / sizeof((rows)[0]); i_++) \
	assert_row(&(rows)[i_])

#define CHECKED CHECK_CONDITION, 0, DRIVER_SENSE

static void good_and_recovered_are_good_data(void **state)
{
	static const struct row rows[] = {
		{ "good", GOOD, 0, 0, &no_sense, 0, SGS_FAULT_NONE, ASKED, 0 },
		{ "recovered", CHECKED, &recovered, 0, SGS_FAULT_RECOVERED, ASKED, 0 },
		{ "recovered, descriptor", CHECKED, &recovered_descriptor, 0,
			SGS_FAULT_RECOVERED, ASKED, 0 },
		{ "recovered, driver status not told", CHECK_CONDITION, 0, 0, &recovered, 0,
			SGS_FAULT_RECOVERED, ASKED, 0 },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

/* What a real kernel and scsi_debug or emulated adapters answered. */
static void injected_faults(void **state)
{
	static const struct row rows[] = {
		{ "medium with INFO", CHECKED, &medium_with_info, ASKED, SGS_FAULT_MEDIUM, 0,
			SGS_MEDIUM_HARD },
		{ "medium without INFO", CHECKED, &medium, ASKED, SGS_FAULT_MEDIUM, 0,
			SGS_MEDIUM_HARD },
		{ "medium, resid 0", CHECKED, &medium, 0, SGS_FAULT_MEDIUM, 0,
			SGS_MEDIUM_HARD },
		{ "medium, descriptor", CHECKED, &medium_descriptor, ASKED, SGS_FAULT_MEDIUM, 0,
			SGS_MEDIUM_HARD },
		{ "blank check", CHECKED, &blank_check, 0, SGS_FAULT_MEDIUM, 0,
			SGS_MEDIUM_HARD },
		{ "hardware", CHECKED, &hardware, 0, SGS_FAULT_HARDWARE, 0, SGS_MEDIUM_HARD },
		{ "timeout", GOOD, 3, 0, &no_sense, 0, SGS_FAULT_TIMEOUT, 0, SGS_TIMEOUT },
		{ "ACK/NAK timeout", CHECKED, &nak_timeout, 0, SGS_FAULT_ABORTED, 0,
			SGS_ABORTED },
		{ "I/O process terminated", CHECKED, &io_terminated, 0, SGS_FAULT_ABORTED, 0,
			SGS_ABORTED },
		{ "short by half", GOOD, 0, 0, &no_sense, 32768, SGS_FAULT_SHORT, 32768,
			SGS_MEDIUM_HARD },
		{ "short by a block", GOOD, 0, 0, &no_sense, 512, SGS_FAULT_SHORT, 65024,
			SGS_MEDIUM_HARD },
		{ "task set full", TS_FULL, 5, 0, &no_sense, 0, SGS_FAULT_TASK_SET_FULL, 0,
			SGS_TASK_SET_FULL },
		{ "power on", CHECKED, &power_on, 0, SGS_FAULT_UNIT_ATTENTION, 0,
			SGS_UNIT_ATTENTION },
		{ "device reset", CHECKED, &reset, 0, SGS_FAULT_UNIT_ATTENTION, 0,
			SGS_UNIT_ATTENTION },
		{ "bus reset", CHECKED, &bus_reset, 0, SGS_FAULT_UNIT_ATTENTION, 0,
			SGS_UNIT_ATTENTION },
		{ "capacity changed", CHECKED, &capacity_changed, 0, SGS_FAULT_UNIT_ATTENTION,
			0, SGS_UNIT_ATTENTION },
		{ "LUNs changed", CHECKED, &luns_changed, 0, SGS_FAULT_UNIT_ATTENTION, 0,
			SGS_UNIT_ATTENTION },
		{ "LUNs changed, descriptor", CHECKED, &luns_changed_descriptor, 0,
			SGS_FAULT_UNIT_ATTENTION, 0, SGS_UNIT_ATTENTION },
		{ "becoming ready", CHECKED, &becoming_ready, 0, SGS_FAULT_NOT_READY, 0,
			SGS_NOT_READY },
		{ "stopped", CHECKED, &stopped, 0, SGS_FAULT_NOT_READY, 0, SGS_NOT_READY },
		{ "no medium", CHECKED, &no_medium, 0, SGS_FAULT_NOT_READY, 0, SGS_NOT_READY },
		{ "past the end", CHECKED, &past_end, 0, SGS_FAULT_ILLEGAL_REQUEST, 0,
			SGS_ILLEGAL_REQUEST },
		{ "unknown opcode", CHECKED, &unknown_opcode, 0, SGS_FAULT_INVALID_OP, 0,
			SGS_INVALID_OP },
		{ "protected", CHECKED, &protected, 0, SGS_FAULT_DATA_PROTECT, 0,
			SGS_DATA_PROTECT },
		{ "space allocation failed", CHECKED, &space, 0, SGS_FAULT_DATA_PROTECT, 0,
			SGS_DATA_PROTECT },
		{ "DIF guard", CHECK_CONDITION, 5, DRIVER_SENSE, &guard_check, 0,
			SGS_FAULT_ABORTED, 0, SGS_ABORTED },
		{ "DIX guard", CHECK_CONDITION, 5, DRIVER_SENSE, &guard_check_dix, 0,
			SGS_FAULT_ILLEGAL_REQUEST, 0, SGS_ILLEGAL_REQUEST },
		{ "removed", GOOD, 7, 0, &no_sense, 0, SGS_FAULT_TRANSPORT, 0, SGS_TRANSPORT },
		{ "removed, resid 20", GOOD, 7, 0, &no_sense, 20, SGS_FAULT_TRANSPORT, 0,
			SGS_TRANSPORT },
		{ "offline", GOOD, 1, 0, &no_sense, 0, SGS_FAULT_GONE, 0, SGS_TRANSPORT },
		{ "opcode refused by the adapter", GOOD, 5, 0, &no_sense, 0,
			SGS_FAULT_TRANSPORT, 0, SGS_TRANSPORT },
		{ "medium by pvscsi", GOOD, 7, DRIVER_SENSE, &medium, 0, SGS_FAULT_MEDIUM, 0,
			SGS_MEDIUM_HARD },
		{ "unit attention by pvscsi", GOOD, 7, DRIVER_SENSE, &power_on, 0,
			SGS_FAULT_UNIT_ATTENTION, 0, SGS_UNIT_ATTENTION },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

static void scsi_statuses_without_sense(void **state)
{
	static const struct row rows[] = {
		{ "busy", BUSY, 0, 0, &no_sense, 0, SGS_FAULT_BUSY, 0, SGS_BUSY },
		{ "conflict", CONFLICT, 0, 0, &no_sense, 0, SGS_FAULT_RESERVATION, 0,
			SGS_RESERVATION },
		{ "full", TS_FULL, 0, 0, &no_sense, 0, SGS_FAULT_TASK_SET_FULL, 0,
			SGS_TASK_SET_FULL },
		{ "task aborted", TASK_ABORTED, 0, 0, &no_sense, 0, SGS_FAULT_ABORTED, 0,
			SGS_ABORTED },
		{ "ACA", ACA_ACTIVE, 0, 0, &no_sense, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
		{ "condition met", CONDITION_MET, 0, 0, &no_sense, 0, SGS_FAULT_OTHER, 0,
			SGS_OTHER },
		{ "check without sense", CHECK_CONDITION, 0, 0, &no_sense, 0, SGS_FAULT_OTHER,
			0, SGS_OTHER },
		{ "check, sense promised", CHECKED, &no_sense, 0, SGS_FAULT_OTHER, 0,
			SGS_OTHER },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

/* A deferred error ends a command that was not done (SPC-5 4.5.7), whatever its key. */
static void deferred_errors_are_of_another_command(void **state)
{
	static const struct row rows[] = {
		{ "medium", CHECKED, &deferred_medium, 0, SGS_FAULT_DEFERRED, 0, SGS_OTHER },
		{ "recovered", CHECKED, &deferred_recovered, 0, SGS_FAULT_DEFERRED, 0,
			SGS_OTHER },
		{ "descriptor", CHECKED, &deferred_descriptor, 0, SGS_FAULT_DEFERRED, 0,
			SGS_OTHER },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

static void recovered_is_no_success_when_the_host_failed(void **state)
{
	static const struct row rows[] = {
		{ "error", CHECK_CONDITION, 7, DRIVER_SENSE, &recovered, 0, SGS_FAULT_TRANSPORT,
			0, SGS_TRANSPORT },
		{ "timeout", CHECK_CONDITION, 3, DRIVER_SENSE, &recovered, 0, SGS_FAULT_TIMEOUT,
			0, SGS_TIMEOUT },
		{ "by pvscsi", GOOD, 7, DRIVER_SENSE, &recovered, 0, SGS_FAULT_TRANSPORT, 0,
			SGS_TRANSPORT },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

static void recovered_but_short_is_short(void **state)
{
	static const struct row rows[] = {
		{ "half", CHECKED, &recovered, 32768, SGS_FAULT_SHORT, 32768, SGS_MEDIUM_HARD },
		{ "nothing", CHECKED, &recovered, ASKED, SGS_FAULT_SHORT, 0, SGS_MEDIUM_HARD },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

static void residuals_that_cannot_be(void **state)
{
	static const struct row rows[] = {
		{ "negative", GOOD, 0, 0, &no_sense, -512, SGS_FAULT_NONE, ASKED, 0 },
		{ "lowest", GOOD, 0, 0, &no_sense, INT_MIN, SGS_FAULT_NONE, ASKED, 0 },
		{ "all", GOOD, 0, 0, &no_sense, ASKED, SGS_FAULT_SHORT, 0, SGS_MEDIUM_HARD },
		{ "more than all", GOOD, 0, 0, &no_sense, ASKED + 1, SGS_FAULT_SHORT, 0,
			SGS_MEDIUM_HARD },
		{ "highest", GOOD, 0, 0, &no_sense, INT_MAX, SGS_FAULT_SHORT, 0,
			SGS_MEDIUM_HARD },
		{ "all but one byte", GOOD, 0, 0, &no_sense, ASKED - 1, SGS_FAULT_SHORT, 1,
			SGS_MEDIUM_HARD },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

static void sense_that_says_nothing(void **state)
{
	static const struct row rows[] = {
		{ "key 0", CHECKED, &key_of_nothing, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
		{ "copy aborted", CHECKED, &copy_aborted, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
		{ "vendor", CHECKED, &vendor_format, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
		{ "ones", CHECKED, &all_ones, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
		{ "zeros", CHECKED, &all_zeros, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
		{ "text", CHECKED, &text, 0, SGS_FAULT_OTHER, 0, SGS_OTHER },
	};
	(void)state;

	ASSERT_ROWS(rows);
}

/* The key is byte 2 of fixed and byte 1 of descriptor sense: cut behind it, it still counts. */
static void sense_cut_after_a_few_bytes(void **state)
{
	struct sense cut;
	(void)state;

	for (size_t len = 1; len <= 7; len++) {
		struct sgs_outcome out;

		cut = medium_with_info;
		cut.len = len;
		out = judge(CHECKED, &cut, 0);
		assert_int_equal(out.bytes, 0);
		assert_int_equal(out.fault, len >= 3 ? SGS_FAULT_MEDIUM : SGS_FAULT_OTHER);

		cut = medium_descriptor;
		cut.len = len;
		out = judge(CHECKED, &cut, 0);
		assert_int_equal(out.bytes, 0);
		assert_int_equal(out.fault, len >= 2 ? SGS_FAULT_MEDIUM : SGS_FAULT_OTHER);
	}
}

/* 5/20/00 cut before its additional sense is an illegal request, not one to end READ(16) for.
 */
static void an_opcode_is_refused_only_by_its_additional_sense(void **state)
{
	struct sense cut = unknown_opcode;
	(void)state;

	cut.len = 8;
	assert_int_equal(judge(CHECKED, &cut, 0).fault, SGS_FAULT_ILLEGAL_REQUEST);
	assert_int_equal(judge(CHECKED, &unknown_opcode, 0).fault, SGS_FAULT_INVALID_OP);
}

static void more_sense_than_there_is_room_for(void **state)
{
	struct sgs_outcome out;
	uint8_t room[255] = { 0x70, 0, 3 };
	struct sg_io_hdr h = {
		.status = CHECK_CONDITION, .sb_len_wr = 255, .mx_sb_len = 255, .sbp = room
	};
	(void)state;

	sgs_outcome_from_sg(&out, &h, ASKED);
	assert_int_equal(out.sense_len, SGS_SENSE_BYTES);
	assert_int_equal(out.fault, SGS_FAULT_MEDIUM);
}

/* The engines let the driver write into the outcome itself. */
static void sense_written_in_place(void **state)
{
	struct sgs_outcome out = { 0 };
	struct sg_io_hdr h = {
		.status = CHECK_CONDITION, .sb_len_wr = 18, .mx_sb_len = 64, .sbp = out.sense
	};
	(void)state;

	memcpy(out.sense, medium.data, sizeof(out.sense));
	sgs_outcome_from_sg(&out, &h, ASKED);
	assert_int_equal(out.fault, SGS_FAULT_MEDIUM);
	assert_memory_equal(out.sense, medium.data, 18);
}

/* ---- what holds for each combination ---- */

static const struct sense *const senses[] = { &no_sense, &recovered, &medium, &all_ones,
	&deferred_recovered };
static const int residuals[] = { -1, 0, 512, ASKED, ASKED + 100 };

static bool may_have_bytes(
	unsigned status, unsigned host, unsigned driver, const struct sense *s)
{
	if (host || driver & 7)
		return false;
	if (status == GOOD && !(driver & 8))
		return true;
	return s == &recovered && (status == CHECK_CONDITION || (status == GOOD && driver & 8));
}

static void assert_combination(unsigned status, unsigned host, unsigned driver, unsigned s)
{
	for (size_t i = 0; i < sizeof(residuals) / sizeof(residuals[0]); i++) {
		struct sgs_outcome out = judge(status, host, driver, senses[s], residuals[i]);
		bool good = out.bytes || out.fault == SGS_FAULT_NONE ||
			    out.fault == SGS_FAULT_RECOVERED;

		if (good && !may_have_bytes(status, host, driver, senses[s]))
			fail_msg("status %02x host %02x driver %02x sense %u resid %d: %s, "
				 "%u bytes",
				status, host, driver, s, residuals[i],
				sgs_fault_name(out.fault), out.bytes);
		assert_true(out.bytes <= ASKED);
	}
}

static void a_failed_command_never_has_bytes(void **state)
{
	(void)state;

	for (unsigned status = 0; status <= 0x7e; status += 2)
		for (unsigned host = 0; host <= 0x18; host++)
			for (unsigned driver = 0; driver <= 8; driver++)
				for (unsigned s = 0; s < 5; s++)
					assert_combination(status, host, driver, s);
}

/* ---- host statuses ---- */

/* Names and numbers of Linux 6.1 include/scsi/scsi_status.h. */
static void host_statuses(void **state)
{
	static const struct {
		unsigned number;
		const char *name;
		enum sgs_fault_class fault;
	} cases[] = {
		{ 0x00, "DID_OK", SGS_FAULT_NONE },
		{ 0x01, "DID_NO_CONNECT", SGS_FAULT_GONE },
		{ 0x02, "DID_BUS_BUSY", SGS_FAULT_BUSY },
		{ 0x03, "DID_TIME_OUT", SGS_FAULT_TIMEOUT },
		{ 0x04, "DID_BAD_TARGET", SGS_FAULT_GONE },
		{ 0x05, "DID_ABORT", SGS_FAULT_TRANSPORT },
		{ 0x06, "DID_PARITY", SGS_FAULT_TRANSPORT },
		{ 0x07, "DID_ERROR", SGS_FAULT_TRANSPORT },
		{ 0x08, "DID_RESET", SGS_FAULT_TRANSPORT },
		{ 0x0b, "DID_SOFT_ERROR", SGS_FAULT_TRANSPORT },
		{ 0x0c, "DID_IMM_RETRY", SGS_FAULT_BUSY },
		{ 0x0d, "DID_REQUEUE", SGS_FAULT_BUSY },
		{ 0x0e, "DID_TRANSPORT_DISRUPTED", SGS_FAULT_TRANSPORT },
		{ 0x0f, "DID_TRANSPORT_FAILFAST", SGS_FAULT_TRANSPORT },
		{ 0x10, "DID_TARGET_FAILURE", SGS_FAULT_HARDWARE },
		{ 0x11, "DID_NEXUS_FAILURE", SGS_FAULT_RESERVATION },
		{ 0x12, "DID_ALLOC_FAILURE", SGS_FAULT_OTHER },
		{ 0x13, "DID_MEDIUM_ERROR", SGS_FAULT_MEDIUM },
		{ 0x14, "DID_TRANSPORT_MARGINAL", SGS_FAULT_TRANSPORT },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(sgs_host_status_name(cases[i].number), cases[i].name);
		assert_int_equal(sgs_fault_from_host(cases[i].number), cases[i].fault);
	}
}

static void host_statuses_of_later_kernels_are_failures(void **state)
{
	(void)state;

	for (unsigned host = 1; host < 0x10000; host++) {
		assert_int_not_equal(sgs_fault_from_host(host), SGS_FAULT_NONE);
		assert_int_not_equal(sgs_fault_from_host(host), SGS_FAULT_RECOVERED);
		assert_non_null(sgs_host_status_name(host));
	}
}

/* The kernel gives 8 bits; the header has more room, and nothing in it is nothing. */
static void no_wide_host_status_is_success(void **state)
{
	static const unsigned wide[] = { 0x100, 0x300, 0xff00 };
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(judge(GOOD, wide[i], 0, &no_sense, 0).bytes, 0);
		assert_int_equal(judge_v4(GOOD, wide[i], 0, &no_sense, 0).bytes, 0);
	}
}

/* Until Linux 5.13 a command that error handling gave up had DRIVER_TIMEOUT, 6. */
static void driver_timeout_of_earlier_kernels(void **state)
{
	(void)state;

	assert_int_equal(judge(GOOD, 0, 6, &no_sense, 0).fault, SGS_FAULT_TIMEOUT);
	assert_int_equal(judge(GOOD, 3, 6, &no_sense, 0).fault, SGS_FAULT_TIMEOUT);
}

/* ---- system calls ---- */

static struct sgs_outcome from_errno(int errnum)
{
	struct sgs_outcome out;

	memset(&out, 0xa5, sizeof(out));
	sgs_outcome_from_errno(&out, -errnum);
	return out;
}

/* What the block layer makes of a drive's answer: blk_errors[] of block/blk-core.c, and what sg
 * says of one that left. */
static void errors_of_system_calls(void **state)
{
	static const struct {
		int errnum;
		enum sgs_fault_class fault;
		int exit_status;
	} cases[] = {
		{ EIO, SGS_FAULT_MEDIUM, SGS_MEDIUM_HARD },
		{ ENODATA, SGS_FAULT_MEDIUM, SGS_MEDIUM_HARD },
		{ EREMOTEIO, SGS_FAULT_HARDWARE, SGS_MEDIUM_HARD },
		{ ETIMEDOUT, SGS_FAULT_TIMEOUT, SGS_TIMEOUT },
		{ ENOLINK, SGS_FAULT_TRANSPORT, SGS_TRANSPORT },
		{ EBADE, SGS_FAULT_RESERVATION, SGS_RESERVATION },
		{ ENODEV, SGS_FAULT_GONE, SGS_OS_BASE + 19 },
		{ ENXIO, SGS_FAULT_GONE, SGS_OS_BASE + 6 },
		{ EINVAL, SGS_FAULT_HOST, SGS_OS_BASE + 22 },
		{ ENOMEM, SGS_FAULT_HOST, SGS_OS_BASE + 12 },
		{ EPERM, SGS_FAULT_HOST, SGS_OS_BASE + 1 },
		{ EBUSY, SGS_FAULT_HOST, SGS_OS_BASE + 16 },
		{ EDOM, SGS_FAULT_HOST, SGS_OS_BASE + 33 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgs_outcome out = from_errno(cases[i].errnum);

		if (out.fault != cases[i].fault ||
			sgs_outcome_status(&out) != cases[i].exit_status)
			fail_msg("errno %d: %s, exit status %d", cases[i].errnum,
				sgs_fault_name(out.fault), sgs_outcome_status(&out));
		assert_int_equal(out.bytes, 0);
		assert_int_equal(out.host_errno, cases[i].errnum);
		assert_int_equal(out.status | out.host_status | out.driver_status, 0);
		assert_int_equal(out.sense_len, 0);
	}
}

static void no_errno_is_success(void **state)
{
	(void)state;

	for (int errnum = 1; errnum < 140; errnum++) {
		struct sgs_outcome out = from_errno(errnum);

		assert_int_equal(out.bytes, 0);
		assert_int_not_equal(out.fault, SGS_FAULT_NONE);
		assert_int_not_equal(out.fault, SGS_FAULT_RECOVERED);
		assert_in_range(sgs_outcome_status(&out), 1, 125);
	}
}

static struct sgs_outcome from_read(ssize_t n)
{
	struct sgs_outcome out;

	memset(&out, 0xa5, sizeof(out));
	sgs_outcome_from_read(&out, n, ASKED);
	return out;
}

static void reads(void **state)
{
	static const struct {
		ssize_t n;
		enum sgs_fault_class fault;
		uint32_t bytes;
	} cases[] = {
		{ ASKED, SGS_FAULT_NONE, ASKED },
		{ ASKED + 512, SGS_FAULT_NONE, ASKED },
		{ 24576, SGS_FAULT_SHORT, 24576 },
		{ 1, SGS_FAULT_SHORT, 1 },
		{ ASKED - 1, SGS_FAULT_SHORT, ASKED - 1 },
		{ 0, SGS_FAULT_GONE, 0 }, /* after hot removal */
		{ -EIO, SGS_FAULT_MEDIUM, 0 },
		{ -ENODATA, SGS_FAULT_MEDIUM, 0 },
		{ -ENODEV, SGS_FAULT_GONE, 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgs_outcome out = from_read(cases[i].n);

		assert_int_equal(out.fault, cases[i].fault);
		assert_int_equal(out.bytes, cases[i].bytes);
	}
	assert_int_equal(from_read(0).host_errno, ENODEV);
	assert_int_equal(from_read(24576).host_errno, 0);
	assert_int_equal(from_read(24576).sense_len, 0);
}

/* ---- sentences ---- */

static void assert_says(struct sgs_outcome out, const char *const *parts)
{
	char buf[320];

	assert_ptr_equal(sgs_outcome_describe(&out, buf, sizeof(buf)), buf);
	for (; *parts; parts++)
		if (!strcasestr(buf, *parts))
			fail_msg("'%s' does not say '%s'", buf, *parts);
	assert_null(strchr(buf, '\n'));
	assert_null(strstr(buf, "Additional sense:"));
}

#define SAYS(outcome, ...) assert_says(outcome, (const char *const[]){ __VA_ARGS__, NULL })

static void sense_is_put_in_words(void **state)
{
	(void)state;

	SAYS(judge(CHECKED, &medium, ASKED), "Medium error", "Unrecovered read error",
		"3/11/00");
	SAYS(judge(CHECKED, &nak_timeout, 0), "Aborted command", "b/4b/03");
	SAYS(judge(CHECKED, &power_on, 0), "Unit attention", "Power on", "6/29/01");
	SAYS(judge(CHECKED, &becoming_ready, 0), "Not ready", "becoming ready", "2/04/01");
	SAYS(judge(CHECKED, &past_end, 0), "Illegal request",
		"Logical block address out of range", "5/21/00");
	SAYS(judge(CHECKED, &deferred_medium, 0), "Medium error", "deferred");
}

/* 1234h is 4660, 123456789h is 4886718345. */
static void the_block_that_the_drive_names(void **state)
{
	char buf[320];
	struct sgs_outcome without = judge(CHECKED, &medium, ASKED);
	(void)state;

	SAYS(judge(CHECKED, &medium_with_info, ASKED), "block 4660");
	SAYS(judge(CHECKED, &medium_descriptor_info, ASKED), "block 4886718345", "3/11/00");
	sgs_outcome_describe(&without, buf, sizeof(buf));
	assert_null(strstr(buf, "block"));
}

static void what_has_no_sense_is_named_by_its_statuses(void **state)
{
	(void)state;

	SAYS(judge(GOOD, 3, 0, &no_sense, 0), "DID_TIME_OUT", "03h", "driver status 00h");
	SAYS(judge(TS_FULL, 5, 0, &no_sense, 0), "Task set full", "28h", "DID_ABORT");
	SAYS(judge(BUSY, 0, 0, &no_sense, 0), "Busy", "08h");
	SAYS(judge(GOOD, 0x42, 0, &no_sense, 0), "unknown host status", "42h");
	SAYS(judge(GOOD, 7, DRIVER_SENSE, &medium, 0), "Medium error", "DID_ERROR");
	SAYS(judge(CHECKED, &all_ones, 0), "cannot be decoded");
}

static void short_data_and_system_errors_are_put_in_words(void **state)
{
	(void)state;

	SAYS(judge(GOOD, 0, 0, &no_sense, 32768), "32768 bytes", "good");
	SAYS(from_errno(ENODEV), "has gone");
	SAYS(from_errno(ENOMEM), "Cannot allocate memory", "errno 12");
	SAYS(from_read(0), "has gone");
	SAYS(from_read(24576), "24576 bytes");
}

static void a_file_that_became_shorter_is_gone_and_no_device(void **state)
{
	struct sgs_outcome out = from_read(24576);
	char buf[320];
	(void)state;

	sgs_outcome_from_shorter(&out, 100000, 50000);
	assert_int_equal(out.fault, SGS_FAULT_GONE);
	assert_int_equal(out.bytes, 24576);
	SAYS(out, "became shorter", "50000 bytes now, not 100000");
	sgs_outcome_describe(&out, buf, sizeof(buf));
	assert_null(strstr(buf, "device"));
	sgs_outcome_from_errno(&out, -ENODEV);
	SAYS(out, "the device has gone");
}

/* Status CHECK CONDITION with a recovered error is not "the status was good". */
static void short_after_a_recovered_error_keeps_its_sense(void **state)
{
	struct sgs_outcome out = judge(CHECKED, &recovered, 32768);
	char buf[320];
	(void)state;

	SAYS(out, "32768 bytes");
	sgs_outcome_describe(&out, buf, sizeof(buf));
	assert_null(strstr(buf, "status was good"));
}

static void assert_fits(const struct sgs_outcome *out, size_t cap)
{
	char buf[400];

	memset(buf, '#', sizeof(buf));
	sgs_outcome_describe(out, buf, cap);
	assert_non_null(memchr(buf, '\0', cap));
	for (size_t i = cap; i < sizeof(buf); i++)
		assert_int_equal(buf[i], '#');
}

static void no_buffer_is_overrun(void **state)
{
	const struct sgs_outcome outcomes[] = {
		judge(CHECKED, &medium_with_info, ASKED),
		judge(CHECKED, &medium_descriptor_info, ASKED), judge(CHECKED, &all_ones, 0),
		judge(GOOD, 7, DRIVER_SENSE, &medium_with_info, 0),
		judge(GOOD, 0xffff, 0xff, &no_sense, 0), judge(GOOD, 3, 0, &no_sense, 0),
		judge(GOOD, 0, 0, &no_sense, 512), from_errno(ENODEV), from_errno(ENOMEM),
		from_errno(4000), /* strerrordesc_np() knows none of it */
	};
	(void)state;

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		for (size_t cap = 1; cap < 200; cap++)
			assert_fits(&outcomes[i], cap);
}

/* Sense is the drive's to write: nothing in it may be believed. */
static void any_sense_at_all(void **state)
{
	uint64_t seed = 12345;
	struct sense sense;
	(void)state;

	for (int i = 0; i < 100000; i++) {
		struct sgs_outcome out;

		for (size_t j = 0; j < sizeof(sense.data); j++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			sense.data[j] = (uint8_t)(seed >> 56);
		}
		sense.data[0] = (uint8_t)(0x70 | (sense.data[0] & 0x83));
		sense.len = sense.data[1] % (SGS_SENSE_BYTES + 1);
		out = judge(CHECKED, &sense, 0);
		assert_true(out.bytes == 0 || out.fault == SGS_FAULT_RECOVERED);
		if (i < 10000)
			assert_fits(&out, 1 + (size_t)i % 199);
	}
}

/* ---- exit statuses ---- */

/* The table of sg3_utils(8). */
static void every_fault_has_an_exit_status(void **state)
{
	static const int right[SGS_FAULTS] = {
		[SGS_FAULT_NONE] = 0,
		[SGS_FAULT_RECOVERED] = 0,
		[SGS_FAULT_MEDIUM] = 3,
		[SGS_FAULT_HARDWARE] = 3,
		[SGS_FAULT_TRANSPORT] = 35,
		[SGS_FAULT_TIMEOUT] = 33,
		[SGS_FAULT_ABORTED] = 11,
		[SGS_FAULT_SHORT] = 3,
		[SGS_FAULT_UNIT_ATTENTION] = 6,
		[SGS_FAULT_DEFERRED] = 99,
		[SGS_FAULT_NOT_READY] = 2,
		[SGS_FAULT_BUSY] = 26,
		[SGS_FAULT_TASK_SET_FULL] = 27,
		[SGS_FAULT_ILLEGAL_REQUEST] = 5,
		[SGS_FAULT_INVALID_OP] = 9,
		[SGS_FAULT_DATA_PROTECT] = 7,
		[SGS_FAULT_RESERVATION] = 24,
		[SGS_FAULT_GONE] = 35,
		[SGS_FAULT_HOST] = 99,
		[SGS_FAULT_OTHER] = 99,
	};
	(void)state;

	for (unsigned i = 0; i < SGS_FAULTS; i++) {
		struct sgs_outcome out = { .fault = (enum sgs_fault_class)i };

		assert_int_equal(sgs_outcome_status(&out), right[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_and_recovered_are_good_data),
		cmocka_unit_test(injected_faults),
		cmocka_unit_test(scsi_statuses_without_sense),
		cmocka_unit_test(deferred_errors_are_of_another_command),
		cmocka_unit_test(recovered_is_no_success_when_the_host_failed),
		cmocka_unit_test(recovered_but_short_is_short),
		cmocka_unit_test(residuals_that_cannot_be),
		cmocka_unit_test(sense_that_says_nothing),
		cmocka_unit_test(sense_cut_after_a_few_bytes),
		cmocka_unit_test(an_opcode_is_refused_only_by_its_additional_sense),
		cmocka_unit_test(more_sense_than_there_is_room_for),
		cmocka_unit_test(sense_written_in_place),
		cmocka_unit_test(a_failed_command_never_has_bytes),
		cmocka_unit_test(host_statuses),
		cmocka_unit_test(host_statuses_of_later_kernels_are_failures),
		cmocka_unit_test(no_wide_host_status_is_success),
		cmocka_unit_test(driver_timeout_of_earlier_kernels),
		cmocka_unit_test(errors_of_system_calls),
		cmocka_unit_test(no_errno_is_success),
		cmocka_unit_test(reads),
		cmocka_unit_test(sense_is_put_in_words),
		cmocka_unit_test(the_block_that_the_drive_names),
		cmocka_unit_test(what_has_no_sense_is_named_by_its_statuses),
		cmocka_unit_test(short_data_and_system_errors_are_put_in_words),
		cmocka_unit_test(a_file_that_became_shorter_is_gone_and_no_device),
		cmocka_unit_test(short_after_a_recovered_error_keeps_its_sense),
		cmocka_unit_test(no_buffer_is_overrun),
		cmocka_unit_test(any_sense_at_all),
		cmocka_unit_test(every_fault_has_an_exit_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
