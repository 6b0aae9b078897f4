/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/units.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)
#define PIB (1024 * TIB)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void good_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "007", 7 },
		{ "520", 520 },
		{ "64k", 64 * KIB },
		{ "64K", 64 * KIB },
		{ "64KiB", 64 * KIB },
		{ "64kiB", 64 * KIB },
		{ "64kB", 64000 },
		{ "64KB", 64000 },
		{ "3m", 3 * MIB },
		{ "3M", 3 * MIB },
		{ "3MiB", 3 * MIB },
		{ "3MB", 3000000 },
		{ "2g", 2 * GIB },
		{ "2G", 2 * GIB },
		{ "2GiB", 2 * GIB },
		{ "2GB", 2000000000 },
		{ "5t", 5 * TIB },
		{ "5T", 5 * TIB },
		{ "5TiB", 5 * TIB },
		{ "5TB", 5000000000000 },
		{ "7p", 7 * PIB },
		{ "7P", 7 * PIB },
		{ "7PiB", 7 * PIB },
		{ "7PB", 7000000000000000 },
		{ "1.5G", GIB + GIB / 2 },
		{ "0.5k", 512 },
		{ "1.25kB", 1250 },
		{ "2.0", 2 },
		{ "1.00000000000000000000", 1 },
		{ "0x200", 512 },
		{ "0XfF", 255 },
		{ "0xffffffffffffffff", UINT64_MAX },
		{ "18446744073709551615", UINT64_MAX },
		{ "16383P", 16383 * PIB },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value = 0;
		bool blocks = true;

		print_message("%s\n", cases[i].text);
		assert_null(sgs_parse_size(cases[i].text, &value, &blocks));
		assert_int_equal(value, cases[i].value);
		assert_false(blocks);
		assert_null(sgs_parse_size(cases[i].text, &value, NULL));
		assert_int_equal(value, cases[i].value);
	}
}

static void bad_sizes(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "is empty" },
		{ "k", "is no number" },
		{ " 64k", "is no number" },
		{ "+64k", "is no number" },
		{ "-1", "is negative" },
		{ "-64k", "is negative" },
		{ "0x", "is no number" },
		{ "1.", "is no number" },
		{ ".5k", "is no number" },
		{ "nan", "is no number" },
		{ "inf", "is no number" },
		{ "64B", "has a bare B; write bytes as a number alone, blocks with blk" },
		{ "18446744073709551616", "is too large" },
		{ "0x10000000000000000", "is too large" },
		{ "16384P", "is too large" },
		{ "18014398509481984k", "is too large" },
		{ "18447PB", "is too large" },
		{ "0.5", "is no whole number of bytes" },
		{ "0.3k", "is no whole number of bytes" },
		{ "1.0000000000000000001", "has too many digits behind the point" },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value;
		bool blocks;
		const char *why = sgs_parse_size(cases[i].text, &value, &blocks);

		print_message("%s\n", cases[i].text);
		assert_non_null(why);
		assert_string_equal(why, cases[i].why);
	}
}

static void trailing_text(void **state)
{
	static const char *const cases[] = { "64kk", "64k ", "64 k", "64Kb", "64kib", "64kBs",
		"64x", "64e3", "1,5k", "0x10k", "0x10blk", "64blks", "64bl", "64E", "64KIB",
		"64k\n", "1.5.5k", "64\xff" };
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t value;
		bool blocks;

		print_message("%s\n", cases[i]);
		assert_non_null(sgs_parse_size(cases[i], &value, &blocks));
		assert_non_null(sgs_parse_size(cases[i], &value, NULL));
	}
}

static void sizes_in_blocks(void **state)
{
	uint64_t value = 0;
	bool blocks = false;
	(void)state;

	assert_null(sgs_parse_size("64blk", &value, &blocks));
	assert_int_equal(value, 64);
	assert_true(blocks);
	blocks = false;
	assert_null(sgs_parse_size("8b", &value, &blocks));
	assert_int_equal(value, 8);
	assert_true(blocks);
	assert_string_equal(sgs_parse_size("1.5blk", &value, &blocks), "is no whole number");
	assert_string_equal(sgs_parse_size("64blk", &value, NULL),
		"is in blocks, which mean nothing here; write bytes");
	/* b is a digit of a hex number */
	assert_null(sgs_parse_size("0x64b", &value, &blocks));
	assert_int_equal(value, 0x64b);
	assert_false(blocks);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "0", 0 },
		{ "1", 1000000000 },
		{ "2us", 2000 },
		{ "2ms", 2000000 },
		{ "2s", 2000000000 },
		{ "2m", 120000000000 },
		{ "2h", 7200000000000 },
		{ "1.5s", 1500000000 },
		{ "0.25", 250000000 },
		{ "0.001us", 1 },
		{ "0.3333333333s", 333333333 },
		{ "0.0s", 0 },
		{ "5124h", 18446400000000000 },
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t ns = 99;

		print_message("%s\n", cases[i].text);
		assert_null(sgs_parse_time(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
}

static void bad_times(void **state)
{
	static const char *const cases[] = { "", "s", "-1s", "1 s", "1sec", "1ns", "1M", "1S",
		"0x10", "1.s", "5124096h", "18446744074", "0.0001us", "1e3", "60s " };
	uint64_t ns;
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		print_message("%s\n", cases[i]);
		assert_non_null(sgs_parse_time(cases[i], &ns));
	}
	/* What is given must not become 0, which means "no limit". */
	assert_string_equal(sgs_parse_time("0.0001us", &ns), "is below one nanosecond");
}

static void counts(void **state)
{
	uint64_t value = 0;
	(void)state;

	assert_null(sgs_parse_count("1", 1, 16, &value));
	assert_int_equal(value, 1);
	assert_null(sgs_parse_count("16", 1, 16, &value));
	assert_int_equal(value, 16);
	assert_null(sgs_parse_count("0x10", 1, 16, &value));
	assert_int_equal(value, 16);
	assert_null(sgs_parse_count("18446744073709551615", 0, UINT64_MAX, &value));
	assert_int_equal(value, UINT64_MAX);
	assert_string_equal(sgs_parse_count("0", 1, 16, &value), "is too small");
	assert_string_equal(sgs_parse_count("17", 1, 16, &value), "is too large");
	assert_string_equal(sgs_parse_count("1.5", 1, 16, &value), "is no whole number");
	assert_string_equal(sgs_parse_count("4k", 1, 16, &value), "has text after the number");
	assert_string_equal(sgs_parse_count("", 1, 16, &value), "is empty");
	assert_string_equal(sgs_parse_count("-4", 1, 16, &value), "is negative");
	assert_string_equal(sgs_parse_count("four", 1, 16, &value), "is no number");
}

static void assert_size(uint64_t bytes, const char *text)
{
	char buf[64];

	assert_string_equal(sgs_format_size(buf, sizeof(buf), bytes), text);
}

static void formatted_sizes(void **state)
{
	(void)state;

	assert_size(0, "0 B");
	assert_size(520, "520 B");
	assert_size(1023, "1023 B");
	assert_size(1024, "1 KiB");
	assert_size(64 * KIB, "64 KiB");
	assert_size(64 * KIB + 1, "65537 B");
	assert_size(1536, "1.5 KiB");
	assert_size(GIB + GIB / 2, "1.5 GiB");
	assert_size(8 * MIB + 512, "8192.5 KiB");
	assert_size(1000204886016, "931.51 GiB");
	assert_size(TIB - 1, "1.00 TiB");
	assert_size(UINT64_MAX, "16.00 EiB");
	assert_size(16383 * PIB, "16383 PiB");
}

static void assert_time(uint64_t ns, const char *text)
{
	char buf[64];

	assert_string_equal(sgs_format_time(buf, sizeof(buf), ns), text);
}

static void formatted_times(void **state)
{
	(void)state;

	assert_time(0, "0 ns");
	assert_time(999, "999 ns");
	assert_time(1000, "1.00 us");
	assert_time(12345, "12.3 us");
	assert_time(99960, "100 us");
	assert_time(999499, "999 us");
	assert_time(999500, "1.00 ms");
	assert_time(1200000000, "1.20 s");
	assert_time(999000000000, "999 s");
	assert_time(1000000000000, "16 min 40 s");
	assert_time(7500000000000, "2 h 05 min");
	assert_time(UINT64_MAX, "5124095 h 34 min");
}

static void formatted_counts(void **state)
{
	static const struct {
		uint64_t count;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 19692, "19,692" },
		{ 123456, "123,456" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	char buf[64];
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(
			sgs_format_count(buf, sizeof(buf), cases[i].count), cases[i].text);
	assert_string_equal(sgs_format_count(buf, 4, 123456), "123");
	assert_string_equal(sgs_format_count(buf, 1, 123456), "");
}

static void formats_figures(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = { { 0, "0" }, { 0.0123, "0.0123" }, { 9.7, "9.70" }, { 99.94, "99.9" },
		{ 99.96, "100" }, { 13324.4, "13,324" }, { 1e11, "100,000,000,000" },
		{ 1e300, "1e+300" }, { -1, "-" }, { INFINITY, "-" }, { NAN, "-" } };
	char buf[40];
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(
			sgs_format_figure(buf, sizeof(buf), cases[i].value), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_sizes),
		cmocka_unit_test(bad_sizes),
		cmocka_unit_test(trailing_text),
		cmocka_unit_test(sizes_in_blocks),
		cmocka_unit_test(times),
		cmocka_unit_test(bad_times),
		cmocka_unit_test(counts),
		cmocka_unit_test(formatted_sizes),
		cmocka_unit_test(formatted_times),
		cmocka_unit_test(formatted_counts),
		cmocka_unit_test(formats_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
