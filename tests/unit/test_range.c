/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "util/range.h"
#include "util/units.h"

static const char *parse_size(const char *text, uint64_t *value)
{
	return sgs_parse_size(text, value, NULL);
}

static void assert_range(const char *text, const char *values)
{
	struct sgs_range range;
	const char *why = sgs_parse_range(text, parse_size, &range);
	char back[2048] = "";
	size_t at = 0;

	if (why)
		fail_msg("%s: '%s' %s", text, range.at_fault, why);
	for (size_t i = 0; i < range.n; i++)
		at += (size_t)snprintf(back + at, sizeof back - at, "%s%llu", i ? " " : "",
			(unsigned long long)range.values[i]);
	assert_string_equal(back, values);
}

static void assert_bad(const char *text, const char *at_fault, const char *reason)
{
	struct sgs_range range;
	const char *why = sgs_parse_range(text, parse_size, &range);

	if (!why)
		fail_msg("'%s' was taken", text);
	assert_string_equal(range.at_fault, at_fault);
	if (!strstr(why, reason))
		fail_msg("'%s': %s", text, why);
}

static void lists(void **state)
{
	(void)state;
	assert_range("0", "0");
	assert_range("4k", "4096");
	assert_range("4k,64k,1M", "4096 65536 1048576");
	assert_range("3,1,2", "3 1 2");
	assert_range("4k,4096,1,4KiB", "4096 1");
	assert_range("18446744073709551615", "18446744073709551615");
}

static void ranges_double(void **state)
{
	(void)state;
	assert_range("1..8", "1 2 4 8");
	assert_range("4k..32k", "4096 8192 16384 32768");
	assert_range("1..1", "1");
	assert_range("0..0", "0");
	assert_range("1..2", "1 2");
	assert_range("1.5k..6k", "1536 3072 6144");
}

static void an_end_between_is_in_it(void **state)
{
	(void)state;
	assert_range("1..6", "1 2 4 6");
	assert_range("3..7", "3 6 7");
	assert_range("1..3", "1 2 3");
	assert_range("4k..20k", "4096 8192 16384 20480");
}

static void ranges_in_lists(void **state)
{
	(void)state;
	assert_range("0,1..4", "0 1 2 4");
	assert_range("1..4,3,2..16", "1 2 4 3 8 16");
}

static const char *parse_small(const char *text, uint64_t *value)
{
	return sgs_parse_count(text, 0, 100, value);
}

static void ranges_step(void **state)
{
	struct sgs_range r;

	(void)state;
	assert_null(sgs_parse_steps("0,10..100", parse_small, &r));
	assert_int_equal(r.n, 11);
	for (unsigned i = 0; i < r.n; i++)
		assert_int_equal(r.values[i], 10 * i);
	assert_null(sgs_parse_steps("0,40..100,5", parse_small, &r));
	assert_int_equal(r.n, 5);
	assert_int_equal(r.values[3], 100); /* an end that the steps do not meet */
	assert_non_null(sgs_parse_steps("10..100", parse_small, &r));
	assert_string_equal(r.at_fault, "10..100");
	assert_non_null(sgs_parse_steps("10,10..100", parse_small, &r));
	assert_non_null(sgs_parse_steps("0,10..5", parse_small, &r));
	assert_non_null(sgs_parse_steps("0,1..100", parse_small, &r)); /* 101 values */
}

/* The last doubling must not wrap round. */
static void up_to_the_end(void **state)
{
	struct sgs_range range;

	(void)state;
	assert_null(sgs_parse_range("2..18446744073709551615", parse_size, &range));
	assert_int_equal(range.n, 64);
	assert_true(range.values[62] == 1ull << 63 && range.values[63] == UINT64_MAX);
	assert_bad("1..18446744073709551615", "1..18446744073709551615", "more than 64");
}

static void what_is_no_range(void **state)
{
	(void)state;
	assert_bad("", "", "is empty");
	assert_bad("4k,", "", "is empty");
	assert_bad(",4k", "", "is empty");
	assert_bad("4k,,8k", "", "is empty");
	assert_bad("x", "x", "no number");
	assert_bad("4k,8x", "8x", "no unit");
	assert_bad("-1", "-1", "negative");
	assert_bad("4k..", "4k..", "nothing on one side");
	assert_bad("..4k", "..4k", "nothing on one side");
	assert_bad("..", "..", "nothing on one side");
	assert_bad("8k..4k", "8k..4k", "ends below");
	assert_bad("0..8", "0..8", "does not double");
	assert_bad("1..2..4", "2..4", "no number");
	assert_bad("1...4", ".4", "no number");
	assert_bad("1 ,2", "1 ", "no unit");
	assert_bad("1,0000000000000000000000000000000000000001",
		"0000000000000000000000000000000", "too long");
}

static void too_many(void **state)
{
	char text[1024] = "";
	struct sgs_range range;
	size_t at = 0;

	(void)state;
	for (unsigned i = 0; i < SGS_RANGE_MOST; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", i ? "," : "", i);
	assert_null(sgs_parse_range(text, parse_size, &range));
	assert_int_equal(range.n, SGS_RANGE_MOST);
	strcat(text, ",63");
	assert_null(sgs_parse_range(text, parse_size, &range));
	strcat(text, ",64");
	assert_non_null(sgs_parse_range(text, parse_size, &range));
	assert_string_equal(range.at_fault, "64");
}

static void words(void **state)
{
	struct sgs_words w;
	char text[1024] = "a";

	(void)state;
	assert_null(sgs_parse_words("sg-mmap,direct,sg-mmap", &w));
	assert_int_equal(w.n, 2);
	assert_string_equal(w.words[0], "sg-mmap");
	assert_string_equal(w.words[1], "direct");
	assert_non_null(sgs_parse_words("", &w));
	assert_non_null(sgs_parse_words("a,", &w));
	assert_non_null(sgs_parse_words("a,,b", &w));
	assert_non_null(sgs_parse_words("abcdefghijklmnopqrstuvwxyz0123456789", &w));
	assert_string_equal(w.at_fault, "abcdefghijklmnopqrstuvwxyz01234");
	for (unsigned i = 0; i < SGS_RANGE_MOST; i++)
		snprintf(text + strlen(text), 8, ",w%u", i);
	assert_non_null(sgs_parse_words(text, &w));
	assert_string_equal(w.at_fault, "w63");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(ranges_double),
		cmocka_unit_test(an_end_between_is_in_it),
		cmocka_unit_test(ranges_in_lists),
		cmocka_unit_test(ranges_step),
		cmocka_unit_test(up_to_the_end),
		cmocka_unit_test(what_is_no_range),
		cmocka_unit_test(too_many),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
