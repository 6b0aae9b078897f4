/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <limits.h>
#include <string.h>

#include <cmocka.h>

#include "run/policy.h"

#define MS	1000000ULL
#define LONGEST (500 * MS)

enum wait { NONE, AT_ONCE, DOUBLING };

static const struct {
	enum sgs_fault_class fault;
	bool good, passes;
	enum wait wait;
} rules[] = {
	{ SGS_FAULT_NONE, true, false, NONE },
	{ SGS_FAULT_RECOVERED, true, false, NONE },
	{ SGS_FAULT_UNIT_ATTENTION, false, true, AT_ONCE },
	{ SGS_FAULT_DEFERRED, false, true, AT_ONCE },
	{ SGS_FAULT_ABORTED, false, true, DOUBLING },
	{ SGS_FAULT_BUSY, false, true, DOUBLING },
	{ SGS_FAULT_TASK_SET_FULL, false, true, DOUBLING },
	{ SGS_FAULT_TRANSPORT, false, true, DOUBLING },
	{ SGS_FAULT_MEDIUM, false, false, NONE },
	{ SGS_FAULT_HARDWARE, false, false, NONE },
	{ SGS_FAULT_TIMEOUT, false, false, NONE },
	{ SGS_FAULT_SHORT, false, false, NONE },
	{ SGS_FAULT_NOT_READY, false, false, NONE },
	{ SGS_FAULT_ILLEGAL_REQUEST, false, false, NONE },
	{ SGS_FAULT_INVALID_OP, false, false, NONE },
	{ SGS_FAULT_DATA_PROTECT, false, false, NONE },
	{ SGS_FAULT_RESERVATION, false, false, NONE },
	{ SGS_FAULT_GONE, false, false, NONE },
	{ SGS_FAULT_HOST, false, false, NONE },
	{ SGS_FAULT_OTHER, false, false, NONE },
};

enum { RULES = sizeof(rules) / sizeof(rules[0]) };

static enum sgs_action decide(
	enum sgs_fault_class fault, unsigned attempt, unsigned retries, uint64_t *wait)
{
	struct sgs_outcome outcome = { .fault = fault };

	*wait = UINT64_MAX;
	return sgs_policy(&outcome, attempt, retries, wait);
}

static enum sgs_action right(size_t rule, unsigned attempt, unsigned retries)
{
	if (rules[rule].good)
		return SGS_ACCEPT;
	return rules[rule].passes && attempt <= retries ? SGS_RETRY : SGS_GIVE_UP;
}

static void every_fault_has_a_rule(void **state)
{
	bool seen[SGS_FAULTS] = { false };
	(void)state;

	for (size_t i = 0; i < RULES; i++)
		seen[rules[i].fault] = true;
	for (size_t i = 0; i < SGS_FAULTS; i++)
		assert_true(seen[i]);
}

static void what_passes_is_tried_again_as_often_as_allowed(void **state)
{
	uint64_t wait;
	(void)state;

	for (size_t i = 0; i < RULES; i++)
		for (unsigned retries = 0; retries <= 8; retries++)
			for (unsigned attempt = 1; attempt <= 12; attempt++)
				if (decide(rules[i].fault, attempt, retries, &wait) !=
					right(i, attempt, retries))
					fail_msg("%s, attempt %u of %u retries",
						sgs_fault_name(rules[i].fault), attempt,
						retries);
}

/* 5 retries are 6 attempts, 0 retries are one. */
static void retries_come_on_top_of_the_first_attempt(void **state)
{
	uint64_t wait;
	(void)state;

	assert_int_equal(decide(SGS_FAULT_UNIT_ATTENTION, 5, 5, &wait), SGS_RETRY);
	assert_int_equal(decide(SGS_FAULT_UNIT_ATTENTION, 6, 5, &wait), SGS_GIVE_UP);
	assert_int_equal(decide(SGS_FAULT_UNIT_ATTENTION, 1, 0, &wait), SGS_GIVE_UP);
}

static void nobody_waits_before_good_data_or_giving_up(void **state)
{
	uint64_t wait;
	(void)state;

	for (size_t i = 0; i < RULES; i++)
		for (unsigned attempt = 1; attempt <= 8; attempt++)
			if (decide(rules[i].fault, attempt, 5, &wait) != SGS_RETRY)
				assert_int_equal(wait, 0);
}

static uint64_t right_wait(enum wait kind, unsigned attempt)
{
	uint64_t wait = attempt <= 20 ? MS << (attempt - 1) : LONGEST;

	if (kind != DOUBLING)
		return 0;
	return wait < LONGEST ? wait : LONGEST;
}

/* 1, 2, 4 ... 256 ms, then half a second each. */
static void waits_double_up_to_half_a_second(void **state)
{
	uint64_t wait;
	(void)state;

	for (size_t i = 0; i < RULES; i++)
		for (unsigned attempt = 1; rules[i].passes && attempt <= 40; attempt++) {
			assert_int_equal(
				decide(rules[i].fault, attempt, 100, &wait), SGS_RETRY);
			assert_int_equal(wait, right_wait(rules[i].wait, attempt));
		}
}

static void no_number_of_attempts_overflows(void **state)
{
	uint64_t wait;
	(void)state;

	assert_int_equal(decide(SGS_FAULT_BUSY, UINT_MAX, UINT_MAX, &wait), SGS_RETRY);
	assert_int_equal(wait, LONGEST);
	assert_int_equal(decide(SGS_FAULT_BUSY, UINT_MAX, UINT_MAX - 1, &wait), SGS_GIVE_UP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fault_has_a_rule),
		cmocka_unit_test(what_passes_is_tried_again_as_often_as_allowed),
		cmocka_unit_test(retries_come_on_top_of_the_first_attempt),
		cmocka_unit_test(nobody_waits_before_good_data_or_giving_up),
		cmocka_unit_test(waits_double_up_to_half_a_second),
		cmocka_unit_test(no_number_of_attempts_overflows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
