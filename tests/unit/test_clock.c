/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock is set up once per program, so each kind of it has a child of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/tsc.h"
#include "util/clock.h"

#define SPAN_NS 50000000u

static struct seen {
	bool before_is_monotonic; /* before anybody set it up */
	char name[16], name_again[16];
	int asked; /* how often whether the counter is trusted */
	double rate, rate_at_origin;
	uint64_t ticks, ns; /* of the span */
	bool backwards;	    /* a clock went back */
	struct sgs_moment moment;
	uint64_t earliest, latest; /* around moment */
} * seen;

static void spend(uint64_t ns)
{
	uint64_t end = sgs_now_ns() + ns, last = sgs_ticks();

	while (sgs_now_ns() < end) {
		uint64_t now = sgs_ticks();

		seen->backwards |= now < last;
		last = now;
	}
}

static bool yes(void)
{
	seen->asked++;
	return true;
}

static bool no(void)
{
	seen->asked++;
	return false;
}

static void look(bool trusted)
{
	struct sgs_moment from, to;

	seen->before_is_monotonic = !strcmp(sgs_clock_name(), "monotonic");
	sgs_clock_init(trusted ? yes : no);
	strcpy(seen->name, sgs_clock_name());
	from = sgs_clock_moment();
	spend(SPAN_NS);
	to = sgs_clock_moment();
	seen->ticks = to.ticks - from.ticks;
	seen->ns = to.ns - from.ns;
	seen->rate = sgs_clock_rate(to);
	seen->rate_at_origin = sgs_clock_rate((struct sgs_moment){ 0, 0 });
	seen->earliest = sgs_now_ns();
	seen->moment = sgs_clock_moment();
	seen->latest = sgs_now_ns();
	sgs_clock_init(trusted ? no : yes);
	strcpy(seen->name_again, sgs_clock_name());
}

static void look_in_a_child(bool trusted)
{
	int status;
	pid_t child;

	memset(seen, 0, sizeof(*seen));
	child = fork();
	if (child == 0) {
		look(trusted);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int share(void **state)
{
	(void)state;
	seen = mmap(
		NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return seen == MAP_FAILED;
}

static int unshare_it(void **state)
{
	(void)state;
	return munmap(seen, sizeof(*seen));
}

static void without_a_trusted_counter_ticks_are_nanoseconds(void **state)
{
	(void)state;

	look_in_a_child(false);
	assert_string_equal(seen->name, "monotonic");
	assert_true(seen->rate == 1.0);
	assert_false(seen->backwards);
	assert_true(seen->ns >= SPAN_NS);
	/* One look apart: a ticks of a moment lies right beside its ns. */
	assert_true(seen->ticks > SPAN_NS - SPAN_NS / 10);
	assert_true(seen->moment.ticks >= seen->earliest);
	assert_true(seen->moment.ticks <= seen->latest);
}

static void a_trusted_counter_is_scaled_to_nanoseconds(void **state)
{
	double ns;
	(void)state;

	if (!sgs_tsc_trusted()) {
		print_message("no time stamp counter that can be trusted here\n");
		skip();
	}
	look_in_a_child(true);
	assert_string_equal(seen->name, "tsc");
	assert_false(seen->backwards);
	ns = (double)seen->ticks * seen->rate;
	assert_true(ns > 0.99 * (double)seen->ns);
	assert_true(ns < 1.01 * (double)seen->ns);
	/* 250 MHz to 10 GHz. */
	assert_true(seen->rate > 0.1 && seen->rate < 4.0);
}

static void the_first_choice_of_clock_stays(void **state)
{
	(void)state;

	look_in_a_child(false);
	assert_true(seen->before_is_monotonic);
	assert_int_equal(seen->asked, 1);
	assert_string_equal(seen->name_again, "monotonic");
	look_in_a_child(true);
	assert_string_equal(seen->name_again, seen->name);
}

/* Nothing has passed since the origin: a rate of infinity or 0/0 would spoil every figure. */
static void no_time_passed_is_a_rate_of_one(void **state)
{
	(void)state;

	look_in_a_child(true);
	assert_true(seen->rate_at_origin == 1.0);
	look_in_a_child(false);
	assert_true(seen->rate_at_origin == 1.0);
}

static void a_moment_lies_between_two_looks(void **state)
{
	(void)state;

	for (int trusted = 0; trusted < 2; trusted++) {
		look_in_a_child(trusted);
		assert_true(seen->moment.ns >= seen->earliest);
		assert_true(seen->moment.ns <= seen->latest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_trusted_counter_ticks_are_nanoseconds),
		cmocka_unit_test(a_trusted_counter_is_scaled_to_nanoseconds),
		cmocka_unit_test(the_first_choice_of_clock_stays),
		cmocka_unit_test(no_time_passed_is_a_rate_of_one),
		cmocka_unit_test(a_moment_lies_between_two_looks),
	};

	return cmocka_run_group_tests(tests, share, unshare_it);
}
