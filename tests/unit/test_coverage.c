/* SPDX-License-Identifier: BSD-2-Clause */
/* How often an interval holds the truth at twice the range that was measured. The figures of
 * doc/planning.md are those of TRIALS=100 build/release/tests/test_coverage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/scaling.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { TRIALS = 4, PLATEAU = 3, ALL = 4 };

static const struct {
	const char *name;
	struct sgs_curve curve;
} laws[] = {
	{ "line", { { 210e6, 0, 0 }, INFINITY } },
	{ "contention", { { 210e6, 0.02, 0 }, INFINITY } },
	{ "coherency", { { 210e6, 0.02, 0.001 }, INFINITY } },
	{ "plateau", { { 210e6, 0, 0 }, 1050e6 } },
};

static const double sizes[] = { 0.003, 0.01, 0.02 };

static const double four[] = { 1, 2, 4, 8 };
static const double eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const double twice[] = { 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8 };

static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / (double)(1ull << 53);
}

/* Box and Muller's */
static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

static double at_16(const struct sgs_curve *curve, void *arg)
{
	(void)arg;
	return sgs_curve_at(curve, 16);
}

static bool holds(
	const struct sgs_curve *truth, double size, const double *at, size_t n, uint64_t *state)
{
	double rate[COUNT(twice)], low, high;
	struct sgs_scaling s;

	for (size_t i = 0; i < n; i++)
		rate[i] = sgs_curve_at(truth, at[i]) * (1 + size * normal(state));
	assert_int_equal(sgs_scaling_fit(at, rate, n, &s), 0);
	sgs_scaling_interval(&s, at_16, NULL, &low, &high);
	sgs_scaling_free(&s);
	return low <= at_16(truth, NULL) && at_16(truth, NULL) <= high;
}

static int trials(void)
{
	const char *asked = getenv("TRIALS");

	return asked ? atoi(asked) : TRIALS;
}

/* Of all trials, with the laws from one to before another. */
static double share_held(size_t from, size_t to, const double *at, size_t n)
{
	uint64_t state = 1;
	int all = 0, tried = 0;

	for (size_t law = from; law < to; law++)
		for (size_t size = 0; size < COUNT(sizes); size++) {
			int held = 0;

			for (int i = 0; i < trials(); i++)
				held += holds(&laws[law].curve, sizes[size], at, n, &state);
			print_message("%zu points, %s, noise %g: %d of %d\n", n, laws[law].name,
				sizes[size], held, trials());
			all += held;
			tried += trials();
		}
	return (double)all / tried;
}

/* Too few to see a plateau on which there is but one of them */
static void four_points(void **state)
{
	(void)state;
	assert_true(share_held(0, PLATEAU, four, COUNT(four)) > 0.7);
	assert_true(share_held(PLATEAU, ALL, four, COUNT(four)) < 0.3);
}

static void eight_points(void **state)
{
	(void)state;
	assert_true(share_held(0, ALL, eight, COUNT(eight)) > 0.85);
}

static void sixteen_points(void **state)
{
	(void)state;
	assert_true(share_held(0, ALL, twice, COUNT(twice)) > 0.9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_points),
		cmocka_unit_test(eight_points),
		cmocka_unit_test(sixteen_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
