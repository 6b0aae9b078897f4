/* SPDX-License-Identifier: BSD-2-Clause */
/* How findings are told, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/doctor.h"

static struct sgs_device_row rows[12];
static struct sgs_finding list[16];
static struct sgs_findings findings = { .rows = list };
static struct sgs_doctor doctor = { .rows = rows };
static char *text;

static int setup(void **state)
{
	(void)state;
	memset(list, 0, sizeof(list));
	memset(rows, 0, sizeof(rows));
	findings.n = 0;
	for (size_t i = 0; i < 12; i++) {
		struct sgs_device *device = &rows[i].device;

		device->node = SGS_NODE_SG;
		snprintf(device->path, sizeof(device->path), "/dev/sg%zu", i);
	}
	strcpy(rows[0].device.block_path, "/dev/sda");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void add(int device, enum sgs_severity level, const char *check, const char *words,
	const char *fix)
{
	struct sgs_finding *finding = &list[findings.n++];

	finding->check = check;
	finding->device = device < 0 ? NULL : &rows[device].device;
	finding->level = level;
	strcpy(finding->text, words);
	strcpy(finding->fix, fix);
}

static void print(size_t devices, int verbose)
{
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	doctor.n = devices;
	sgs_report_doctor_text(out, &doctor, &findings, verbose);
	fclose(out);
}

static void test_worst_first(void **state)
{
	(void)state;
	add(-1, SGS_FOUND_OK, "fine", "is fine", "");
	add(-1, SGS_FOUND_INFO, "small", "is small", "echo 1");
	add(0, SGS_FOUND_WARNING, "slow", "is slow", "echo 2");
	add(0, SGS_FOUND_PROBLEM, "broken", "is broken", "");
	add(0, SGS_FOUND_PROBLEM, "off", "is off", "echo 3");
	print(2, 0);
	assert_string_equal(text, "host: 1 info, 1 ok\n"
				  "  info      is small\n"
				  "            fix: echo 1\n"
				  "/dev/sg0 (/dev/sda): 2 problems, 1 warning\n"
				  "  problem   is broken\n"
				  "  problem   is off\n"
				  "            fix: echo 3\n"
				  "  warning   is slow\n"
				  "            fix: echo 2\n"
				  "/dev/sg1: \n"
				  "Do first, for /dev/sg0 (off): echo 3\n");
}

static void test_nothing_to_do(void **state)
{
	(void)state;
	add(-1, SGS_FOUND_OK, "fine", "is fine", "");
	add(-1, SGS_FOUND_INFO, "small", "is small", "");
	print(0, 1);
	assert_string_equal(text, "host: 1 info, 1 ok\n"
				  "  info      is small\n"
				  "  ok        is fine\n"
				  "Do first: nothing; what was found does not hold the default "
				  "engine back\n");
}

static void test_first_without_a_command(void **state)
{
	(void)state;
	add(-1, SGS_FOUND_WARNING, "slow", "is slow", "");
	print(0, 0);
	assert_non_null(strstr(text, "\nDo first, for the host (slow): is slow\n"));
}

static void test_the_same_of_several_devices(void **state)
{
	(void)state;
	for (int i = 0; i < 11; i++)
		add(i, SGS_FOUND_WARNING, "link", "is narrow", "reseat");
	add(10, SGS_FOUND_WARNING, "other", "is other", "");
	print(11, 0);
	assert_non_null(strstr(text,
		"/dev/sg0 (/dev/sda): 1 warning\n"
		"  warning   is narrow\n"
		"            fix: reseat\n"
		"            also /dev/sg1, /dev/sg2, /dev/sg3, /dev/sg4, /dev/sg5, /dev/sg6, "
		"/dev/sg7, /dev/sg8 and 2 more\n"
		"/dev/sg1: 1 warning (above)\n"
		"/dev/sg2: 1 warning (above)\n"));
	assert_non_null(strstr(text, "/dev/sg10: 2 warnings (1 above)\n"
				     "  warning   is other\n"
				     "Do first"));
}

static void test_long_texts_are_folded(void **state)
{
	const char *words = "1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234567 "
			    "1234567 1234567 1234 1234567";

	(void)state;
	add(-1, SGS_FOUND_WARNING, "long", words, words);
	print(0, 0);
	assert_non_null(
		strstr(text, "  warning   1234567 1234567 1234567 1234567 1234567 1234567 "
			     "1234567 1234567 1234567 1234567 1234\n"
			     "            1234567\n"
			     "            fix: 1234567 1234567 1234567"));
	memset(list[0].text, 'x', 200);
	print(0, 0);
	assert_non_null(strstr(text, "  warning   xxxx"));
}

static void test_json(void **state)
{
	char name[] = "sgstream", *argv[] = { name };
	const struct sgs_call call = { .command = "doctor", .argc = 1, .argv = argv };
	struct sgs_result result = { 0 };
	const char *out = getenv("SGS_TEST_OUT");
	char path[512];
	size_t size;
	FILE *file;

	(void)state;
	add(-1, SGS_FOUND_OK, "fine", "is fine", "");
	add(0, SGS_FOUND_PROBLEM, "broken", "is broken", "echo \"1\"");
	file = open_memstream(&text, &size);
	assert_int_equal(sgs_report_doctor_json(file, &call, &findings, &result), 0);
	fclose(file);
	assert_non_null(strstr(text,
		"\"command\": \"doctor\", \"findings\": [{\"check\": \"fine\", \"scope\": "
		"\"host\", "
		"\"level\": \"ok\", \"text\": \"is fine\", \"fix\": null}, {\"check\": "
		"\"broken\", "
		"\"scope\": \"/dev/sg0\", \"level\": \"problem\", \"text\": \"is broken\", "
		"\"fix\": \"echo \\\"1\\\"\"}], \"messages\": []}\n"));
	if (!out)
		return;
	snprintf(path, sizeof(path), "%s/doctor.json", out);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_worst_first),
		TEST(test_nothing_to_do),
		TEST(test_first_without_a_command),
		TEST(test_the_same_of_several_devices),
		TEST(test_long_texts_are_folded),
		TEST(test_json),
	};

	return cmocka_run_group_tests_name("doctor, report", tests, NULL, NULL);
}
