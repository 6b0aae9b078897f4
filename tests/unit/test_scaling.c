/* SPDX-License-Identifier: BSD-2-Clause */
/* Curves from points of known laws, with noise of known size. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/scaling.h"

#define COUNT(list)   (sizeof(list) / sizeof *(list))
#define NEAR(a, b, e) assert_true(fabs((a) - (b)) <= (e))

static const double eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const double doubling[] = { 1, 2, 4, 8, 16 };

static const struct sgs_curve line = { { 210e6, 0, 0 }, INFINITY };
static const struct sgs_curve law = { { 210e6, 0.02, 0.001 }, INFINITY };
static const struct sgs_curve knee_at_5 = { { 210e6, 0, 0 }, 1050e6 };

/* Between -1 and 1, the same in each run */
static double noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / (double)(1ull << 52) - 1;
}

static void points(const struct sgs_curve *curve, const double *at, size_t n, double size,
	uint64_t seed, double *rate)
{
	for (size_t i = 0; i < n; i++)
		rate[i] = sgs_curve_at(curve, at[i]) * (1 + size * noise(&seed));
}

static void fit(const struct sgs_curve *curve, const double *at, size_t n, double size,
	uint64_t seed, struct sgs_scaling *s)
{
	double rate[16];

	points(curve, at, n, size, seed, rate);
	assert_int_equal(sgs_scaling_fit(at, rate, n, s), 0);
}

static void assert_predicts(
	const struct sgs_scaling *s, const struct sgs_curve *truth, double n, double share)
{
	double ratio = sgs_curve_at(&s->curve, n) / sgs_curve_at(truth, n);

	if (fabs(ratio - 1) > share)
		fail_msg("at %g it is %.4f of the truth", n, ratio);
}

/* From the first few to twice as many */
static void a_line(void **state)
{
	struct sgs_scaling s;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		fit(&line, eight, 4, 0.01, seed, &s);
		assert_predicts(&s, &line, 8, 0.1);
		assert_true(isinf(s.curve.ceiling));
		sgs_scaling_free(&s);
	}
	fit(&line, eight, 4, 0, 0, &s);
	assert_int_equal(s.form, SGS_USL_LINEAR);
	assert_predicts(&s, &line, 1000, 1e-6);
	assert_true(isinf(sgs_curve_knee(&s.curve)));
	sgs_scaling_free(&s);
}

static void contention_and_coherency(void **state)
{
	struct sgs_scaling s;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		fit(&law, eight, 8, 0.002, seed, &s);
		assert_predicts(&s, &law, 16, 0.1);
		assert_true(s.missed < 0.02);
		sgs_scaling_free(&s);
	}
	fit(&law, eight, 8, 0, 0, &s);
	assert_int_equal(s.form, SGS_USL_FULL);
	NEAR(s.curve.law.sigma, 0.02, 1e-5);
	NEAR(s.curve.law.kappa, 0.001, 1e-5);
	NEAR(sgs_curve_knee(&s.curve), sqrt(0.98 / 0.001), 0.1);
	sgs_scaling_free(&s);
}

static void a_plateau(void **state)
{
	struct sgs_scaling s;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		fit(&knee_at_5, eight, 8, 0.02, seed, &s);
		NEAR(sgs_curve_knee(&s.curve), 5, 0.5);
		assert_predicts(&s, &knee_at_5, 16, 0.05);
		sgs_scaling_free(&s);
	}
}

/* With doubling numbers the knee lies between two points. */
static void a_plateau_between_points(void **state)
{
	static const struct sgs_curve knee_at_6 = { { 210e6, 0, 0 }, 1260e6 };
	struct sgs_scaling s;

	(void)state;
	fit(&knee_at_6, doubling, COUNT(doubling), 0.005, 3, &s);
	NEAR(sgs_curve_knee(&s.curve), 6, 0.5);
	assert_predicts(&s, &knee_at_6, 32, 0.02);
	sgs_scaling_free(&s);
}

/* A line that goes on has none. */
static void no_plateau(void **state)
{
	struct sgs_scaling s;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++) {
		fit(&line, eight, 8, 0.03, seed, &s);
		assert_true(isinf(s.plateau));
		sgs_scaling_free(&s);
	}
}

static double at_16(const struct sgs_curve *curve, void *arg)
{
	(void)arg;
	return sgs_curve_at(curve, 16);
}

/* Most of the time the truth is inside, and more noise makes it wider. */
static void intervals(void **state)
{
	double width[2] = { 0, 0 };
	int inside = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		double low, high, size = seed < 10 ? 0.005 : 0.02;
		struct sgs_scaling s;

		fit(&law, eight, 8, size, seed, &s);
		sgs_scaling_interval(&s, at_16, NULL, &low, &high);
		assert_true(low < high);
		inside += low <= sgs_curve_at(&law, 16) && sgs_curve_at(&law, 16) <= high;
		width[seed >= 10] += (high - low) / sgs_curve_at(&law, 16) / 10;
		sgs_scaling_free(&s);
	}
	assert_true(inside >= 16);
	assert_true(width[1] > 2 * width[0]);
}

static void the_same_again(void **state)
{
	struct sgs_scaling a, b;
	double low[2], high[2];

	(void)state;
	fit(&law, eight, 8, 0.01, 7, &a);
	fit(&law, eight, 8, 0.01, 7, &b);
	sgs_scaling_interval(&a, at_16, NULL, &low[0], &high[0]);
	sgs_scaling_interval(&b, at_16, NULL, &low[1], &high[1]);
	assert_true(low[0] == low[1] && high[0] == high[1]);
	sgs_scaling_free(&a);
	sgs_scaling_free(&b);
}

static void no_law_at_all(void **state)
{
	static const double rate[] = { 100, 350, 120, 500, 90, 640 };
	struct sgs_scaling s;

	(void)state;
	assert_int_equal(sgs_scaling_fit(eight, rate, COUNT(rate), &s), 0);
	assert_true(s.missed > 0.1);
	sgs_scaling_free(&s);
}

static void too_few(void **state)
{
	static const double same[] = { 4, 4, 4 }, rate[] = { 100, 101, 99 }, two[] = { 1, 2 };
	struct sgs_scaling s;
	double low, high;

	(void)state;
	assert_int_not_equal(sgs_scaling_fit(same, rate, 3, &s), 0);
	assert_int_equal(sgs_scaling_fit(two, (double[]){ 100, 180 }, 2, &s), 0);
	NEAR(sgs_curve_at(&s.curve, 2), 180, 1e-6);
	assert_true(isnan(s.missed) && isnan(s.spread));
	sgs_scaling_interval(&s, at_16, NULL, &low, &high);
	assert_true(isnan(low) && isnan(high));
	sgs_scaling_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line),
		cmocka_unit_test(contention_and_coherency),
		cmocka_unit_test(a_plateau),
		cmocka_unit_test(a_plateau_between_points),
		cmocka_unit_test(no_plateau),
		cmocka_unit_test(intervals),
		cmocka_unit_test(the_same_again),
		cmocka_unit_test(no_law_at_all),
		cmocka_unit_test(too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
