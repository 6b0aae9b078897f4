/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sgstream/error.h>

#include "util/text.h"

static void assert_printable(const void *src, size_t len, const char *expected)
{
	char dst[64];

	sgs_copy_printable(dst, sizeof(dst), src, len);
	assert_string_equal(dst, expected);
}

static void printable(void **state)
{
	(void)state;

	assert_printable("Linux   ", 8, "Linux");
	assert_printable("  scsi debug  ", 14, "scsi debug");
	assert_printable("\0\0AB \0", 6, "AB");
	assert_printable("A\0B", 3, "A?B");
	assert_printable("\x1b[31mred", 8, "?[31mred");
	assert_printable("a\tb\nc\x7f", 6, "a?b?c?");
	assert_printable("\xc3\xa4\xff", 3, "???");
	assert_printable("    ", 4, "");
	assert_printable("", 0, "");
}

static void printable_is_cut(void **state)
{
	char dst[4] = "xxx";
	(void)state;

	sgs_copy_printable(dst, sizeof(dst), "abcdef", 6);
	assert_string_equal(dst, "abc");
	sgs_copy_printable(dst, sizeof(dst), "ab cdef", 7);
	assert_string_equal(dst, "ab"); /* no space is left at the end */
	sgs_copy_printable(dst, 1, "abc", 3);
	assert_string_equal(dst, "");
	memcpy(dst, "xxx", 4);
	sgs_copy_printable(dst, 0, "abc", 3);
	assert_string_equal(dst, "xxx");
}

static void assert_utf8(const char *src, const char *expected)
{
	char dst[64];

	sgs_copy_utf8(dst, sizeof(dst), src);
	assert_string_equal(dst, expected);
}

static void well_formed_is_kept(void **state)
{
	static const char *const cases[] = { "", " /dev/sg1 ", "\xc2\xa0", "\xc3\xa4",
		"\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xe0\xa0\x80",
		"\xf0\x90\x80\x80", "\xf0\x9f\x92\xbe", "\xf4\x8f\xbf\xbf" };
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_utf8(cases[i], cases[i]);
}

static void broken_is_replaced(void **state)
{
	(void)state;

	assert_utf8("a\x80z", "a?z");		 /* continuation alone */
	assert_utf8("\xc3", "?");		 /* cut at the end */
	assert_utf8("\xe2\x82", "??");		 /* cut later */
	assert_utf8("\xc3z", "?z");		 /* no continuation */
	assert_utf8("\xc0\xaf", "??");		 /* overlong '/' */
	assert_utf8("\xe0\x80\xaf", "???");	 /* the same in three */
	assert_utf8("\xf0\x80\x80\xaf", "????"); /* and in four */
	assert_utf8("\xed\xa0\x80", "???");	 /* surrogate */
	assert_utf8("\xf4\x90\x80\x80", "????"); /* above U+10FFFF */
	assert_utf8("\xf8\x88\x80\x80\x80", "?????");
	assert_utf8("\xff\xfe", "??");
	assert_utf8("\xe2\x82\xc3\xa4", "??\xc3\xa4"); /* resumes with the next good one */
}

static void controls_are_replaced(void **state)
{
	(void)state;

	assert_utf8("\x1b]0;title\x07", "?]0;title?");
	assert_utf8("a\nb\tc\rd\x7f", "a?b?c?d?");
	assert_utf8("\xc2\x9b"
		    "31m",
		"?31m"); /* C1: CSI */
}

static void utf8_is_cut_between_sequences(void **state)
{
	char dst[8];
	(void)state;

	sgs_copy_utf8(dst, 4, "ab\xc3\xa4");
	assert_string_equal(dst, "ab");
	sgs_copy_utf8(dst, 5, "ab\xc3\xa4");
	assert_string_equal(dst, "ab\xc3\xa4");
	sgs_copy_utf8(dst, 1, "ab");
	assert_string_equal(dst, "");
}

static void fail_fills_the_error(void **state)
{
	struct sgs_error err;
	(void)state;

	assert_int_equal(sgs_fail(&err, SGS_USAGE, "bad_size", "--bs %s: %d\n", "\x1b[1m", 3),
		SGS_USAGE);
	assert_int_equal(err.status, SGS_USAGE);
	assert_string_equal(err.code, "bad_size");
	assert_string_equal(err.text, "--bs ?[1m: 3?");
	assert_int_equal(sgs_fail(NULL, SGS_BUSY, "busy", "x"), SGS_BUSY);
}

static void fail_cuts_what_is_long(void **state)
{
	struct sgs_error err;
	char name[6000];
	(void)state;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	sgs_fail(&err, SGS_FILE, name, "%s", name);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(strlen(err.code), sizeof(err.code) - 1);
}

static void errno_statuses(void **state)
{
	(void)state;

	assert_int_equal(sgs_status_from_errno(2), 52);
	assert_int_equal(sgs_status_from_errno(-2), 52);
	assert_int_equal(sgs_status_from_errno(75), 125);
	assert_int_equal(sgs_status_from_errno(110), 125);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printable),
		cmocka_unit_test(printable_is_cut),
		cmocka_unit_test(well_formed_is_kept),
		cmocka_unit_test(broken_is_replaced),
		cmocka_unit_test(controls_are_replaced),
		cmocka_unit_test(utf8_is_cut_between_sequences),
		cmocka_unit_test(fail_fills_the_error),
		cmocka_unit_test(fail_cuts_what_is_long),
		cmocka_unit_test(errno_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
