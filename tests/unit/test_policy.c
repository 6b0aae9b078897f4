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
#define BUSIEST (50 * MS)
#define SECOND	(1000 * MS)

enum wait { NONE, AT_ONCE, DOUBLING };

/* by_time: as long as rules.busy_ns, and not by number. */
static const struct {
	enum sgs_fault_class fault;
	bool good, passes, by_time, of_a_block;
	enum wait wait;
} rules_of[] = {
	{ SGS_FAULT_NONE, true, false, false, false, NONE },
	{ SGS_FAULT_RECOVERED, true, false, false, false, NONE },
	{ SGS_FAULT_UNIT_ATTENTION, false, true, false, false, AT_ONCE },
	{ SGS_FAULT_DEFERRED, false, true, false, false, AT_ONCE },
	{ SGS_FAULT_ABORTED, false, true, false, false, DOUBLING },
	{ SGS_FAULT_TRANSPORT, false, true, false, false, DOUBLING },
	{ SGS_FAULT_BUSY, false, false, true, false, DOUBLING },
	{ SGS_FAULT_TASK_SET_FULL, false, false, true, false, DOUBLING },
	{ SGS_FAULT_MEDIUM, false, false, false, true, NONE },
	{ SGS_FAULT_SHORT, false, false, false, true, NONE },
	{ SGS_FAULT_HARDWARE, false, false, false, false, NONE },
	{ SGS_FAULT_TIMEOUT, false, false, false, false, NONE },
	{ SGS_FAULT_NOT_READY, false, false, false, false, NONE },
	{ SGS_FAULT_ILLEGAL_REQUEST, false, false, false, false, NONE },
	{ SGS_FAULT_INVALID_OP, false, false, false, false, NONE },
	{ SGS_FAULT_DATA_PROTECT, false, false, false, false, NONE },
	{ SGS_FAULT_RESERVATION, false, false, false, false, NONE },
	{ SGS_FAULT_GONE, false, false, false, false, NONE },
	{ SGS_FAULT_HOST, false, false, false, false, NONE },
	{ SGS_FAULT_OTHER, false, false, false, false, NONE },
};

enum { RULES = sizeof(rules_of) / sizeof(rules_of[0]) };

static struct sgs_rules rules;
static struct sgs_tried tried;

static int begin(void **state)
{
	(void)state;
	rules = (struct sgs_rules){ .retries = 5, .busy_ns = 10 * SECOND, .ready_ns = SECOND };
	tried = (struct sgs_tried){ 0 };
	return 0;
}

static enum sgs_action decide(enum sgs_fault_class fault, uint64_t *wait)
{
	struct sgs_outcome outcome = { .fault = fault };

	*wait = UINT64_MAX;
	return sgs_policy(&outcome, &rules, &tried, wait);
}

static enum sgs_action decide_sense(
	enum sgs_fault_class fault, uint8_t key, uint8_t asc, uint8_t ascq, uint64_t *wait)
{
	struct sgs_outcome outcome = { .fault = fault,
		.sense_len = 18,
		.sense = { 0x70, 0, key, [7] = 10, [12] = asc, [13] = ascq } };

	return sgs_policy(&outcome, &rules, &tried, wait);
}

static void every_fault_has_a_rule(void **state)
{
	bool seen[SGS_FAULTS] = { false };
	(void)state;

	for (size_t i = 0; i < RULES; i++)
		seen[rules_of[i].fault] = true;
	for (size_t i = 0; i < SGS_FAULTS; i++)
		assert_true(seen[i]);
}

/* 5 retries are 6 attempts, 0 retries are one. */
static void what_passes_is_tried_again_as_often_as_allowed(void **state)
{
	uint64_t wait;

	for (size_t i = 0; i < RULES; i++)
		for (unsigned retries = 0; retries <= 8; retries++) {
			begin(state);
			rules.retries = retries;
			for (unsigned attempt = 1; attempt <= 12; attempt++) {
				enum sgs_action right =
					rules_of[i].good			   ? SGS_ACCEPT
					: rules_of[i].passes && attempt <= retries ? SGS_RETRY
					: rules_of[i].by_time && retries	   ? SGS_RETRY
									 : SGS_GIVE_UP;

				if (decide(rules_of[i].fault, &wait) != right)
					fail_msg("%s, attempt %u of %u retries",
						sgs_fault_name(rules_of[i].fault), attempt,
						retries);
			}
		}
}

static void nobody_waits_before_good_data_or_giving_up(void **state)
{
	uint64_t wait;

	for (size_t i = 0; i < RULES; i++) {
		begin(state);
		for (unsigned attempt = 1; attempt <= 8; attempt++)
			if (decide(rules_of[i].fault, &wait) != SGS_RETRY)
				assert_int_equal(wait, 0);
	}
}

static uint64_t doubling(unsigned attempt, uint64_t longest)
{
	uint64_t wait = attempt <= 20 ? MS << (attempt - 1) : longest;

	return wait < longest ? wait : longest;
}

/* 1, 2, 4 ... 256 ms, then half a second each; where only a place in a queue is missing, up to
 * 50 ms. */
static void waits_double_up_to_a_bound(void **state)
{
	uint64_t wait;

	for (size_t i = 0; i < RULES; i++) {
		begin(state);
		rules.retries = 100;
		rules.busy_ns = 100 * SECOND;
		for (unsigned attempt = 1; attempt <= 40 && rules_of[i].wait != NONE;
			attempt++) {
			uint64_t longest = rules_of[i].by_time ? BUSIEST : LONGEST;

			assert_int_equal(decide(rules_of[i].fault, &wait), SGS_RETRY);
			assert_int_equal(wait,
				rules_of[i].wait == DOUBLING ? doubling(attempt, longest) : 0);
		}
	}
}

static uint64_t waited_until_given_up(enum sgs_fault_class fault)
{
	uint64_t wait, sum = 0;

	while (decide(fault, &wait) == SGS_RETRY)
		sum += wait;
	return sum;
}

/* Another command has to end first: that is a matter of time, not of how often one asks. */
static void a_busy_device_is_asked_for_a_time(void **state)
{
	static const enum sgs_fault_class faults[] = { SGS_FAULT_BUSY,
		SGS_FAULT_TASK_SET_FULL };

	for (size_t i = 0; i < 2; i++) {
		begin(state);
		rules.retries = 1;
		assert_int_equal(waited_until_given_up(faults[i]), 10 * SECOND);
		begin(state);
		rules.busy_ns = MS / 2;
		assert_int_equal(waited_until_given_up(faults[i]), MS / 2);
	}
}

static void being_busy_does_not_use_up_the_retries(void **state)
{
	uint64_t wait;
	(void)state;

	rules.retries = 1;
	for (int i = 0; i < 50; i++)
		assert_int_equal(decide(SGS_FAULT_TASK_SET_FULL, &wait), SGS_RETRY);
	assert_int_equal(decide(SGS_FAULT_ABORTED, &wait), SGS_RETRY);
	assert_int_equal(wait, MS);
	assert_int_equal(decide(SGS_FAULT_ABORTED, &wait), SGS_GIVE_UP);
}

static void a_unit_that_is_becoming_ready_is_waited_for(void **state)
{
	uint64_t wait, sum = 0;

	while (decide_sense(SGS_FAULT_NOT_READY, 2, 4, 1, &wait) == SGS_RETRY)
		sum += wait;
	assert_int_equal(sum, SECOND);
	begin(state);
	assert_int_equal(decide_sense(SGS_FAULT_NOT_READY, 2, 4, 2, &wait), SGS_GIVE_UP);
	assert_int_equal(decide_sense(SGS_FAULT_NOT_READY, 2, 0x3a, 0, &wait), SGS_GIVE_UP);
	assert_int_equal(decide_sense(SGS_FAULT_NOT_READY, 2, 4, 0xb, &wait), SGS_GIVE_UP);
}

static void what_belongs_to_a_block_is_split_when_blocks_are_skipped(void **state)
{
	uint64_t wait;

	for (size_t i = 0; i < RULES; i++) {
		enum sgs_action last;

		begin(state);
		rules.skip = true;
		rules.busy_ns = MS;
		do
			last = decide(rules_of[i].fault, &wait);
		while (last == SGS_RETRY);
		assert_int_equal(last, rules_of[i].good		? SGS_ACCEPT
				       : rules_of[i].of_a_block ? SGS_SPLIT
								: SGS_GIVE_UP);
	}
}

/* A block whose protection information is wrong: it may be the way that garbled it. */
static void a_wrong_guard_is_tried_again_and_then_is_of_the_block(void **state)
{
	uint64_t wait;
	(void)state;

	rules.skip = true;
	for (int i = 0; i < 5; i++)
		assert_int_equal(
			decide_sense(SGS_FAULT_ABORTED, 0xb, 0x10, 1, &wait), SGS_RETRY);
	assert_int_equal(decide_sense(SGS_FAULT_ABORTED, 0xb, 0x10, 1, &wait), SGS_SPLIT);
	assert_int_equal(decide_sense(SGS_FAULT_ABORTED, 0xb, 0x4b, 3, &wait), SGS_GIVE_UP);
}

static void no_number_of_attempts_overflows(void **state)
{
	uint64_t wait;
	(void)state;

	rules.retries = UINT_MAX;
	rules.busy_ns = UINT64_MAX;
	tried = (struct sgs_tried){ UINT_MAX - 1, UINT_MAX, UINT64_MAX - 60 * MS };
	assert_int_equal(decide(SGS_FAULT_BUSY, &wait), SGS_RETRY);
	assert_int_equal(wait, BUSIEST);
	assert_int_equal(decide(SGS_FAULT_BUSY, &wait), SGS_RETRY);
	assert_int_equal(decide(SGS_FAULT_BUSY, &wait), SGS_GIVE_UP);
	assert_int_equal(decide(SGS_FAULT_ABORTED, &wait), SGS_RETRY);
	assert_int_equal(wait, LONGEST);
	assert_int_equal(decide(SGS_FAULT_ABORTED, &wait), SGS_GIVE_UP);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_fault_has_a_rule),
		TEST(what_passes_is_tried_again_as_often_as_allowed),
		TEST(nobody_waits_before_good_data_or_giving_up),
		TEST(waits_double_up_to_a_bound),
		TEST(a_busy_device_is_asked_for_a_time),
		TEST(being_busy_does_not_use_up_the_retries),
		TEST(a_unit_that_is_becoming_ready_is_waited_for),
		TEST(what_belongs_to_a_block_is_split_when_blocks_are_skipped),
		TEST(a_wrong_guard_is_tried_again_and_then_is_of_the_block),
		TEST(no_number_of_attempts_overflows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
