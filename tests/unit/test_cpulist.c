/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "util/cpulist.h"

static void assert_list(const char *list, unsigned count, const char *back)
{
	struct sgs_cpus cpus;
	char buf[128];

	assert_true(sgs_cpus_parse(&cpus, list));
	assert_int_equal(sgs_cpus_count(&cpus), count);
	assert_string_equal(sgs_cpus_format(buf, sizeof(buf), &cpus), back);
}

static void test_lists(void **state)
{
	(void)state;
	assert_list("", 0, "");
	assert_list("\n", 0, "");
	assert_list("0", 1, "0");
	assert_list("\t0-3\n", 4, "0-3");
	assert_list("0-3,8,10-11", 7, "0-3,8,10-11");
	assert_list("3,2,1-2", 3, "1-3");
	assert_list("63-64,8191", 3, "63-64,8191");
	assert_list("0-8191", 8192, "0-8191");
}

static void test_what_is_no_list(void **state)
{
	static const char *const bad[] = { "x", "1,", ",1", "3-1", "1-", "-1", "8192", "0-8192",
		"99999999999999999999", "1 2", "0x1" };
	struct sgs_cpus cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (sgs_cpus_parse(&cpus, bad[i]))
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(sgs_cpus_count(&cpus), 0);
	}
}

static void test_and_or(void **state)
{
	struct sgs_cpus a, b;
	char buf[32];

	(void)state;
	sgs_cpus_parse(&a, "0-7");
	sgs_cpus_parse(&b, "6-9");
	sgs_cpus_and(&a, &b);
	assert_string_equal(sgs_cpus_format(buf, sizeof(buf), &a), "6-7");
	sgs_cpus_or(&a, &b);
	assert_string_equal(sgs_cpus_format(buf, sizeof(buf), &a), "6-9");
	sgs_cpus_add(&a, 8190, 9000);
	assert_string_equal(sgs_cpus_format(buf, sizeof(buf), &a), "6-9,8190-8191");
}

static void test_a_list_that_is_cut(void **state)
{
	struct sgs_cpus cpus;
	char buf[10];

	(void)state;
	sgs_cpus_parse(&cpus, "0,2,4,6,8");
	assert_string_equal(sgs_cpus_format(buf, sizeof(buf), &cpus), "0,2,4,6,8");
	sgs_cpus_parse(&cpus, "0,2,4,6,8,10,12");
	assert_string_equal(sgs_cpus_format(buf, sizeof(buf), &cpus), "0,2,4,...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_what_is_no_list),
		cmocka_unit_test(test_and_or),
		cmocka_unit_test(test_a_list_that_is_cut),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
