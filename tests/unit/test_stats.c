/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics against values worked by hand, and against samples whose answer is known. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "stats/stats.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void near(double value, double expected, double tolerance)
{
	if (value != expected && !(fabs(value - expected) <= tolerance))
		fail_msg("%.12g is not %.12g", value, expected);
}

static void is_estimate(
	struct sgs_estimate e, double median, double low, double high, double coverage)
{
	near(e.median, median, 1e-12);
	near(e.low, low, 1e-12);
	near(e.high, high, 1e-12);
	near(e.coverage, coverage, 1e-12);
}

/* ---- medians and their intervals ---- */

static void median_of_few(void **state)
{
	const double values[] = { 30, 10, 20, 40, 50, 70, 60 };
	struct sgs_estimate none = sgs_estimate_median(values, 0);

	(void)state;
	assert_true(isnan(none.median) && isnan(none.low) && isnan(none.high));
	near(none.coverage, 0, 0);
	/* All of n values miss the median when all lie on one side of it: 2 / 2^n. */
	is_estimate(sgs_estimate_median(values, 1), 30, 30, 30, 0);
	is_estimate(sgs_estimate_median(values, 2), 20, 10, 30, 1 - 2.0 / 4);
	is_estimate(sgs_estimate_median(values, 3), 20, 10, 30, 1 - 2.0 / 8);
	is_estimate(sgs_estimate_median(values, 4), 25, 10, 40, 1 - 2.0 / 16);
	is_estimate(sgs_estimate_median(values, 5), 30, 10, 50, 1 - 2.0 / 32);
	is_estimate(sgs_estimate_median(values, 6), 35, 10, 70, 1 - 2.0 / 64);
	is_estimate(sgs_estimate_median(values, 7), 40, 10, 70, 1 - 2.0 / 128);
}

/* Of n = 8, the second to the seventh would cover 1 - 2 (1 + 8) / 2^8 = 0.930: too little. Of
 * 9, the second to the eighth cover 1 - 2 (1 + 9) / 2^9 = 0.961. Of 20, the sum of the binomial
 * coefficients from 0 to 5 is 1 + 20 + 190 + 1140 + 4845 + 15504 = 21700, so the sixth to the
 * fifteenth cover 1 - 43400 / 2^20 = 0.959; with the 38760 of 6 the seventh would cover 0.885.
 */
static void median_of_more(void **state)
{
	double values[20];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) /* 7 to 140, in a mixed order */
		values[i] = 7 * (double)(1 + i * 13 % 20);
	is_estimate(
		sgs_estimate_median(values, 20), 73.5, 6 * 7, 15 * 7, 1 - 43400.0 / (1 << 20));
	for (size_t i = 0; i < 9; i++)
		values[i] = 9 - (double)i;
	is_estimate(sgs_estimate_median(values, 8), 5.5, 2, 9, 1 - 2.0 / 256);
	is_estimate(sgs_estimate_median(values, 9), 5, 2, 8, 1 - 20.0 / 512);
}

static void six_values_are_needed(void **state)
{
	const double values[] = { 2, 3, 4, 5, 6, 7 };
	struct sgs_estimate five = sgs_estimate_median(values, 5);
	struct sgs_estimate six = sgs_estimate_median(values, 6);

	(void)state;
	assert_false(sgs_estimate_holds(&five));
	assert_true(sgs_estimate_holds(&six));
	assert_int_equal(sgs_estimate_side(&five, 1), 0);
	assert_int_equal(sgs_estimate_side(&six, 1), 1);
	assert_int_equal(sgs_estimate_side(&six, 2), 0);
	assert_int_equal(sgs_estimate_side(&six, 4), 0);
	assert_int_equal(sgs_estimate_side(&six, 7.5), -1);
}

static void more_than_can_be_taken(void **state)
{
	static double values[SGS_STATS_MOST + 50];
	static bool marks[COUNT(values)];

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = 1 + (double)(i % 7);
	assert_int_equal(sgs_estimate_median(values, COUNT(values)).n, SGS_STATS_MOST);
	assert_true(sgs_estimate_median(values, COUNT(values)).coverage >= SGS_CONFIDENCE);
	sgs_pair_needed(values, values, COUNT(values));
	sgs_trend(values, COUNT(values));
	sgs_outliers(values, COUNT(values), 0, marks);
}

/* ---- pairs ---- */

/* Ratios 2, 2, 3, 2, 2.5, 3: in order 2 2 2 2.5 3 3. Differences 1, 2, 4, 4, 6, 8. */
static void pairs_by_hand(void **state)
{
	const double a[] = { 2, 4, 6, 8, 10, 12 }, b[] = { 1, 2, 2, 4, 4, 4 };

	(void)state;
	is_estimate(sgs_pair_ratio(a, b, 6), 2.25, 2, 3, 1 - 2.0 / 64);
	is_estimate(sgs_pair_difference(a, b, 6), 4, 1, 8, 1 - 2.0 / 64);
}

/* Logarithms 0, 0.02, 0.04, 0.06, 0.08: median 0.04, distances from it 0.04 0.02 0 0.02 0.04,
 * MAD 0.02, deviation 1.4826 x 0.02 = 0.029652. One lies on the wrong side of nothing by a
 * chance of Phi(-0.04 / 0.029652) = 0.0887. All of six on the right side: 0.9113^6 = 0.573, of
 * 8 0.476; at most one of nine on the wrong side: 0.9113^9 + 9 x 0.0887 x 0.9113^8 = 0.434 +
 * 0.380. With a median of 0.01 the chance is 0.368, and 112 the first number with four out of
 * five. */
static void rounds_that_are_needed(void **state)
{
	double a[12], b[12];

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		a[i] = exp(0.02 * (double)(i % 5));
		b[i] = 1;
	}
	near(sgs_pair_needed(a, b, 5), 9, 0);
	near(sgs_pair_needed(b, a, 5), 9, 0);
	for (size_t i = 0; i < 5; i++)
		a[i] = exp(0.02 * (double)i - 0.03);
	near(sgs_pair_needed(a, b, 5), 112, 0);
	for (size_t i = 0; i < 5; i++)
		a[i] = exp(0.02 * (double)i - 0.0399);
	near(sgs_pair_needed(a, b, 5), SGS_STATS_MOST + 1, 0);
	near(sgs_pair_needed(b, b, 5), INFINITY, 0);
	near(sgs_pair_needed(a, b, 0), SGS_STATS_LEAST, 0);
	near(sgs_pair_needed((const double[]){ 2 }, b, 1), SGS_STATS_LEAST, 0);
	for (size_t i = 0; i < 12; i++) /* no spread: what was measured was too few */
		a[i] = 2;
	near(sgs_pair_needed(a, b, 12), 13, 0);
}

/* ---- trend ---- */

/* Of the 24 orders of four values 1, 3, 5, 6, 5, 3, 1 have 0 to 6 pairs out of order; of the
 * 120 of five, 1 has none and 4 have one. */
static void trend_by_hand(void **state)
{
	struct sgs_trend t;

	(void)state;
	t = sgs_trend((const double[]){ 1, 2, 3 }, 3);
	near(t.p, 1, 0);
	t = sgs_trend((const double[]){ 10, 11, 12, 13 }, 4);
	near(t.p, 2 * 1 / 24.0, 1e-12);
	near(t.change, 3.0 / 10, 1e-12);
	assert_true(t.exact);
	t = sgs_trend((const double[]){ 4, 2, 3, 1 }, 4); /* 5 out of order, as rare as 1 */
	near(t.p, 2 * (1 + 3) / 24.0, 1e-12);
	assert_true(t.change < 0);
	t = sgs_trend((const double[]){ 2, 4, 1, 3 }, 4); /* 3 of each */
	near(t.p, 1, 0);
	t = sgs_trend((const double[]){ 5, 4, 3, 2, 1 }, 5);
	near(t.p, 2 * 1 / 120.0, 1e-12);
	t = sgs_trend((const double[]){ 1, 3, 2, 4, 5 }, 5);
	near(t.p, 2 * (1 + 4) / 120.0, 1e-12);
}

/* 1 1 2 2 3: 8 pairs rise, none falls; variance (5 x 4 x 15 - 2 x (2 x 1 x 9)) / 18 = 14.667;
 * z = (8 - 1) / 3.8297 = 1.8278, and twice the tail of it 0.0676. All equal: nothing to see. */
static void trend_with_ties(void **state)
{
	struct sgs_trend t = sgs_trend((const double[]){ 1, 1, 2, 2, 3 }, 5);

	(void)state;
	assert_false(t.exact);
	near(t.p, 0.0676, 1e-4);
	t = sgs_trend((const double[]){ 5, 5, 5, 5, 5 }, 5);
	near(t.p, 1, 0);
	near(t.change, 0, 0);
}

/* Where the exact distribution ends, the normal one is close to it. */
static void trend_of_many(void **state)
{
	double values[41];
	struct sgs_trend exact, normal;

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) /* a weak trend in a wild order */
		values[i] = (double)(i * 29 % 41) + 0.15 * (double)i;
	exact = sgs_trend(values, 40);
	normal = sgs_trend(values, 41);
	assert_true(exact.exact && !normal.exact);
	assert_true(exact.p > 0.05 && exact.p < 0.95);
	near(exact.p, normal.p, 0.1);
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double)i;
	assert_true(sgs_trend(values, 40).p < 1e-12);
	assert_true(sgs_trend(values, 41).p < 1e-12);
}

/* ---- outliers ---- */

/* 10 11 12 13 14 30: median 12.5, distances 2.5 1.5 0.5 0.5 1.5 17.5, MAD 1.5; of 30,
 * 0.6745 x 17.5 / 1.5 = 7.9, and of 10 1.1. 17.5 is 1.4 times the median. */
static void outliers_by_hand(void **state)
{
	const double values[] = { 10, 11, 30, 12, 13, 14 };
	bool marks[6];

	(void)state;
	assert_int_equal(sgs_outliers(values, 6, 0.05, marks), 1);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(marks[i], i == 2);
	assert_int_equal(sgs_outliers(values, 6, 1.5, marks), 0);
	assert_false(marks[2]);
	assert_int_equal(sgs_outliers(values, 4, 0, marks), 0);
	assert_int_equal(sgs_outliers((const double[]){ 1, 1, 1, 1, 9, 1 }, 6, 0, marks), 0);
}

/* ---- samples whose answer is known ---- */

static gsl_rng *noise;

static int start_noise(void **state)
{
	(void)state;
	noise = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(noise, 2005);
	return noise ? 0 : -1;
}

static int end_noise(void **state)
{
	(void)state;
	gsl_rng_free(noise);
	return 0;
}

/* n rounds of a and b around true rates; what disturbs a round disturbs both. */
static void measure(double *a, double rate_a, double *b, double rate_b, size_t n, double sigma)
{
	for (size_t i = 0; i < n; i++) {
		double round = exp(gsl_ran_gaussian(noise, 0.1));

		a[i] = rate_a * round * exp(gsl_ran_gaussian(noise, sigma));
		b[i] = rate_b * round * exp(gsl_ran_gaussian(noise, sigma));
	}
}

static int side(double rate_a, double rate_b, size_t n, double sigma)
{
	double a[SGS_STATS_MOST], b[SGS_STATS_MOST];
	struct sgs_estimate ratio;

	measure(a, rate_a, b, rate_b, n, sigma);
	ratio = sgs_pair_ratio(a, b, n);
	return sgs_estimate_side(&ratio, 1);
}

/* Equal: a difference is claimed as seldom as the coverage says, 2 of 128 times with seven
 * rounds: 31 of 2000, with a deviation of 5.5. */
static void equal_rates(void **state)
{
	int claims = 0;

	(void)state;
	for (int i = 0; i < 2000; i++)
		claims += side(1000, 1000, 7, 0.03) != 0;
	assert_in_range(claims, 10, 60);
}

/* 5 % in noise of 2 % (of the ratio: 2.8 %) is shown by 15 rounds nearly always, never the
 * wrong way round; in noise of 10 % (14 %) seven rounds seldom show it, and say that it takes
 * many more: 110, and so much around that as seven rounds tell. */
static void five_percent(void **state)
{
	double a[7], b[7];
	int above = 0, shown = 0, more = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		int way = side(1050, 1000, 15, 0.02);

		assert_int_not_equal(way, -1);
		above += way == 1;
	}
	assert_true(above >= 190);
	for (int i = 0; i < 200; i++) {
		struct sgs_estimate ratio;

		measure(a, 1050, b, 1000, 7, 0.1);
		ratio = sgs_pair_ratio(a, b, 7);
		shown += sgs_estimate_side(&ratio, 1) != 0;
		more += sgs_pair_needed(a, b, 7) >= 20;
	}
	assert_in_range(shown, 0, 30);
	assert_true(more >= 120);
}

static void twice_as_fast(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) {
		assert_int_equal(side(2000, 1000, 7, 0.1), 1);
		assert_int_equal(side(1000, 2000, 7, 0.1), -1);
		assert_int_equal(side(2000, 1000, 5, 0.1), 0); /* too few for any claim */
	}
}

/* The needed rounds, once measured, show it four times out of five: 5 % in noise of 4 % (5.7 %)
 * needs 20, by the true spread, of which the sixth is above one in 0.823 of all cases. */
static void needed_rounds_suffice(void **state)
{
	int shown = 0;

	(void)state;
	for (int i = 0; i < 500; i++)
		shown += side(1050, 1000, 20, 0.04) == 1;
	assert_in_range(shown, 380, 440);
}

/* Also of a skewed distribution: e^x with median 1. The interval of 9 covers 96.1 %. */
static void coverage_is_true(void **state)
{
	double values[9];
	int covered = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct sgs_estimate e;

		for (size_t j = 0; j < COUNT(values); j++)
			values[j] = gsl_ran_lognormal(noise, 0, 1);
		e = sgs_estimate_median(values, COUNT(values));
		covered += e.low <= 1 && 1 <= e.high;
	}
	near(covered / 5000.0, 1 - 20.0 / 512, 0.01);
}

/* Of no trend p is uniform: 5 % of all samples are below 0.05. */
static void trend_is_seldom_false(void **state)
{
	int found = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		double values[10];

		for (size_t j = 0; j < COUNT(values); j++)
			values[j] = 100 + gsl_ran_gaussian(noise, 1);
		found += sgs_trend(values, COUNT(values)).p < 0.05;
	}
	assert_in_range(found, 60, 130);
}

static size_t drops(const double *values, size_t n, bool *marks)
{
	return sgs_drops(values, n, 0.03, marks);
}

/* 100, 101, 99, 102, 98: median 100, MAD 1; a score of 3.5 is 5.2 below, and with the new one
 * among them the median of six. */
static void a_drop_is_below_noise(void **state)
{
	double values[8] = { 100, 101, 99, 102, 98, 80, 81, 100 };
	bool marks[8];

	(void)state;
	assert_int_equal(drops(values, 8, marks), 2); /* that stays down stays marked */
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(marks[i], i == 5 || i == 6);
	values[5] = values[6] = 97; /* below all, and within the noise */
	assert_int_equal(drops(values, 8, marks), 0);
	values[5] = 120; /* above is none */
	assert_int_equal(drops(values, 8, marks), 0);
	values[4] = 50; /* too early to say */
	assert_int_equal(drops(values, 5, marks), 0);
}

/* Steady to a thousandth, two per cent are far out by their scores and still no drop. */
static void a_small_drop_is_none(void **state)
{
	const double values[6] = { 1000, 1001, 999, 1000.5, 999.5, 980 };
	bool marks[6];

	(void)state;
	assert_int_equal(drops(values, 6, marks), 0);
	assert_int_equal(sgs_drops(values, 6, 0.01, marks), 1);
	assert_true(marks[5]);
	assert_int_equal(drops(values, 0, marks), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_of_few),
		cmocka_unit_test(median_of_more),
		cmocka_unit_test(six_values_are_needed),
		cmocka_unit_test(more_than_can_be_taken),
		cmocka_unit_test(pairs_by_hand),
		cmocka_unit_test(rounds_that_are_needed),
		cmocka_unit_test(trend_by_hand),
		cmocka_unit_test(trend_with_ties),
		cmocka_unit_test(trend_of_many),
		cmocka_unit_test(outliers_by_hand),
		cmocka_unit_test(equal_rates),
		cmocka_unit_test(five_percent),
		cmocka_unit_test(twice_as_fast),
		cmocka_unit_test(needed_rounds_suffice),
		cmocka_unit_test(coverage_is_true),
		cmocka_unit_test(trend_is_seldom_false),
		cmocka_unit_test(a_drop_is_below_noise),
		cmocka_unit_test(a_small_drop_is_none),
	};

	return cmocka_run_group_tests_name("stats", tests, start_noise, end_noise);
}
