/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sgstream/result.h>

static void statuses(void **state)
{
	struct sgs_result result = { 0 };
	(void)state;

	assert_string_equal(sgs_result_status(&result), "ok");
	result.exit_status = SGS_MEDIUM_HARD;
	assert_string_equal(sgs_result_status(&result), "error");
	result.run.total.bytes = 1;
	assert_string_equal(sgs_result_status(&result), "partial");
	result.exit_status = SGS_EXPECTATION;
	assert_string_equal(sgs_result_status(&result), "ok");
	result.signal = SIGINT;
	result.exit_status = SGS_SIGNAL_BASE + SIGINT;
	assert_string_equal(sgs_result_status(&result), "interrupted");
}

static void every_fault_has_its_own_name(void **state)
{
	(void)state;

	for (int i = 0; i < SGS_FAULTS; i++) {
		const char *name = sgs_fault_name((enum sgs_fault_class)i);

		assert_non_null(name);
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(name, sgs_fault_name((enum sgs_fault_class)j));
	}
	assert_string_equal(sgs_fault_name(SGS_FAULT_TASK_SET_FULL), "task_set_full");
	assert_string_equal(sgs_fault_name((enum sgs_fault_class)999), "other");
	assert_string_equal(sgs_fault_name((enum sgs_fault_class) - 1), "other");
}

static void messages_are_kept_in_order(void **state)
{
	struct sgs_result result = { 0 };
	char text[16];
	(void)state;

	for (int i = 0; i < 100; i++)
		sgs_result_message(&result, SGS_WARNING, i % 2 ? "/dev/sg1" : NULL, "many",
			"message %d", i);
	assert_int_equal(result.n_messages, 100);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "message %d", i);
		assert_string_equal(result.messages[i].text, text);
		assert_string_equal(result.messages[i].device, i % 2 ? "/dev/sg1" : "");
	}
	assert_int_equal(result.exit_status, SGS_OK);
	sgs_result_free(&result);
}

static void messages_are_made_printable(void **state)
{
	struct sgs_result result = { 0 };
	(void)state;

	sgs_result_message(&result, SGS_INFO, "/dev/\x1b[2J", "hostile", "%s", "a\nb\xff");
	assert_string_equal(result.messages[0].device, "/dev/?[2J");
	assert_string_equal(result.messages[0].text, "a?b?");
	sgs_result_free(&result);
}

static void the_first_error_gives_the_status(void **state)
{
	struct sgs_result result = { 0 };
	struct sgs_error err;
	(void)state;

	sgs_fail(&err, SGS_FILE, "cannot_open", "no such node");
	sgs_result_error(&result, "/dev/sg7", &err);
	sgs_fail(&err, SGS_BUSY, "busy", "busy");
	sgs_result_error(&result, NULL, &err);
	assert_int_equal(result.exit_status, SGS_FILE);
	assert_int_equal(result.n_messages, 2);
	assert_int_equal(result.messages[0].level, SGS_ERROR);
	assert_string_equal(result.messages[0].code, "cannot_open");
	assert_string_equal(result.messages[0].text, "no such node");
	assert_string_equal(result.messages[1].code, "busy");
	sgs_result_free(&result);
}

static void fill_latency(struct sgs_latency *latency)
{
	latency->buckets = 2;
	latency->upper_ns = calloc(2, sizeof(*latency->upper_ns));
	latency->counts = calloc(2, sizeof(*latency->counts));
}

/* The leak checkers are the judge. */
static void free_takes_everything_and_can_be_called_twice(void **state)
{
	struct sgs_result result = { 0 };
	(void)state;

	sgs_result_free(&result);
	result.run.devices = calloc(2, sizeof(*result.run.devices));
	result.run.n_devices = 2;
	result.run.intervals = calloc(3, sizeof(*result.run.intervals));
	result.run.n_intervals = 3;
	fill_latency(&result.run.total.latency);
	fill_latency(&result.run.devices[0].figures.latency);
	fill_latency(&result.run.devices[1].figures.latency);
	sgs_result_message(&result, SGS_INFO, NULL, "x", "y");
	sgs_result_free(&result);
	assert_null(result.run.devices);
	assert_int_equal(result.n_messages, 0);
	sgs_result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
		cmocka_unit_test(every_fault_has_its_own_name),
		cmocka_unit_test(messages_are_kept_in_order),
		cmocka_unit_test(messages_are_made_printable),
		cmocka_unit_test(the_first_error_gives_the_status),
		cmocka_unit_test(free_takes_everything_and_can_be_called_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
