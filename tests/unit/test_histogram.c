/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/histogram.h"

#define LIMIT (1ULL << 48) /* from here on values share the last bucket */
#define MANY  1000000

static struct sgs_histogram a, b, both;

static int reset(void **state)
{
	(void)state;
	sgs_hist_init(&a);
	sgs_hist_init(&b);
	sgs_hist_init(&both);
	return 0;
}

/* xorshift64: the same numbers in each run. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A value below 2^48 of any magnitude: each power of two is equally likely. */
static uint64_t random_value(uint64_t *state)
{
	unsigned shift = 16 + (unsigned)(next_random(state) % 48);

	return next_random(state) >> shift;
}

static void assert_bound(uint64_t value)
{
	uint64_t upper = sgs_hist_upper(sgs_hist_index(value));

	if (upper < value || upper - value > value / 64)
		fail_msg("%#llx is in the bucket up to %#llx", (unsigned long long)value,
			(unsigned long long)upper);
}

static void exact_below_64(void **state)
{
	(void)state;

	for (uint64_t v = 0; v < 64; v++) {
		assert_int_equal(sgs_hist_index(v), v);
		assert_int_equal(sgs_hist_upper((unsigned)v), v);
	}
}

/* Buckets are 1 wide from 64 to 127, 2 wide from 128 to 255, 4 wide from 256 to 511 ... */
static void known_buckets(void **state)
{
	static const struct {
		uint64_t value, upper;
	} cases[] = {
		{ 64, 64 },
		{ 100, 100 },
		{ 127, 127 },
		{ 128, 129 },
		{ 129, 129 },
		{ 130, 131 },
		{ 255, 255 },
		{ 256, 259 },
		{ 1000, 1007 },	      /* 512 to 1023 by 8: 125 x 8 to 126 x 8 - 1 */
		{ 1000000, 1007615 }, /* 2^19 to 2^20 by 2^13: 122 x 8192 to 123 x 8192 - 1 */
		{ LIMIT - 1, LIMIT - 1 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			sgs_hist_upper(sgs_hist_index(cases[i].value)), cases[i].upper);
}

static void error_is_a_64th_at_most(void **state)
{
	uint64_t seed = 20240229;
	(void)state;

	for (int i = 0; i < MANY; i++)
		assert_bound(random_value(&seed));
	for (unsigned bit = 0; bit < 48; bit++) {
		uint64_t power = 1ULL << bit;

		assert_bound(power - 1);
		assert_bound(power);
		if (power + 1 < LIMIT)
			assert_bound(power + 1);
	}
}

/* Each bucket ends right before the next begins, so a greater value is never in a lower one. */
static void buckets_are_in_order_without_gaps(void **state)
{
	(void)state;

	for (unsigned i = 0; i < SGS_HIST_BUCKETS; i++) {
		uint64_t upper = sgs_hist_upper(i);

		assert_int_equal(sgs_hist_index(upper), i);
		if (i + 1 < SGS_HIST_BUCKETS)
			assert_int_equal(sgs_hist_index(upper + 1), i + 1);
	}
	assert_int_equal(sgs_hist_upper(SGS_HIST_BUCKETS - 1), LIMIT - 1);
}

static void index_is_monotonic(void **state)
{
	uint64_t seed = 7;
	(void)state;

	for (int i = 0; i < MANY; i++) {
		uint64_t v = next_random(&seed) >> (next_random(&seed) % 64);
		uint64_t w = v + (next_random(&seed) >> (next_random(&seed) % 64));

		if (w >= v)
			assert_true(sgs_hist_index(v) <= sgs_hist_index(w));
	}
}

static void huge_values_share_the_last_bucket(void **state)
{
	static const uint64_t huge[] = { LIMIT, LIMIT + 1, 1ULL << 63, UINT64_MAX - 1,
		UINT64_MAX };
	(void)state;

	for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		assert_int_equal(sgs_hist_index(huge[i]), SGS_HIST_BUCKETS - 1);
		sgs_hist_add(&a, huge[i]);
	}
	assert_int_equal(a.bucket[SGS_HIST_BUCKETS - 1], 5);
	assert_true(sgs_hist_quantile(&a, 0.5) == UINT64_MAX); /* the true maximum */
	assert_true(a.max == UINT64_MAX);
	assert_true(a.min == LIMIT);
}

static void empty(void **state)
{
	(void)state;

	assert_int_equal(a.count, 0);
	assert_true(a.min == UINT64_MAX);
	assert_int_equal(a.max, 0);
	assert_int_equal(sgs_hist_quantile(&a, 0.0), 0);
	assert_int_equal(sgs_hist_quantile(&a, 0.5), 0);
	assert_int_equal(sgs_hist_quantile(&a, 1.0), 0);
}

static void one_value_is_every_quantile(void **state)
{
	(void)state;

	sgs_hist_add(&a, 1000); /* its bucket goes to 1007, the maximum does not */
	for (int p = 0; p <= 100; p++)
		assert_int_equal(sgs_hist_quantile(&a, p / 100.0), 1000);
	assert_int_equal(a.min, 1000);
	assert_int_equal(a.max, 1000);
	assert_int_equal(a.sum, 1000);
}

static int by_value(const void *x, const void *y)
{
	uint64_t v = *(const uint64_t *)x, w = *(const uint64_t *)y;

	return (v > w) - (v < w);
}

/* The smallest of the sorted values that p percent of them do not exceed, p = 0: the first. */
static uint64_t nearest_rank(const uint64_t *sorted, size_t n, unsigned p)
{
	size_t rank = (n * p + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

static void assert_quantiles(uint64_t *values, size_t n)
{
	reset(NULL);
	for (size_t i = 0; i < n; i++)
		sgs_hist_add(&a, values[i]);
	qsort(values, n, sizeof(*values), by_value);
	for (unsigned p = 0; p <= 100; p++) {
		uint64_t right = nearest_rank(values, n, p);
		uint64_t got = sgs_hist_quantile(&a, p / 100.0);

		if (got < right || got - right > right / 64 || got > values[n - 1])
			fail_msg("p%u of %zu is %llu, not %llu", p, n, (unsigned long long)got,
				(unsigned long long)right);
	}
}

/* n such that p percent of it is never near a whole number of values by rounding alone. */
static void quantiles_are_those_of_the_sorted_values(void **state)
{
	static const size_t lengths[] = { 1, 2, 3, 7, 128, 4096, 65536 };
	uint64_t *values = malloc(65536 * sizeof(*values)), seed = 99;
	(void)state;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (size_t j = 0; j < lengths[i]; j++)
			values[j] = random_value(&seed);
		assert_quantiles(values, lengths[i]);
	}
	free(values);
}

/* 1 to n, all below 64 or in buckets of one: p50 of 1..10 is 5, p90 is 9, p99 of 1..100 is 99.
 */
static void quantiles_of_a_row_are_exact(void **state)
{
	static const struct {
		uint64_t n;
		double fraction;
		uint64_t right;
	} cases[] = {
		{ 10, 0.5, 5 },
		{ 10, 0.9, 9 },
		{ 10, 0.99, 10 },
		{ 11, 0.5, 6 },
		{ 100, 0.5, 50 },
		{ 100, 0.9, 90 },
		{ 100, 0.99, 99 },
		{ 100, 0.999, 100 },
		{ 127, 0.0, 1 },
		{ 127, 1.0, 127 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reset(NULL);
		for (uint64_t v = 1; v <= cases[i].n; v++)
			sgs_hist_add(&a, v);
		assert_int_equal(sgs_hist_quantile(&a, cases[i].fraction), cases[i].right);
	}
}

/* One slow command in ten thousand: p99.99 does not show it, the maximum does. */
static void a_single_straggler_is_the_maximum_only(void **state)
{
	(void)state;

	for (int i = 0; i < 9999; i++)
		sgs_hist_add(&a, 50);
	sgs_hist_add(&a, 1000000);
	assert_int_equal(sgs_hist_quantile(&a, 0.9999), 50);
	assert_int_equal(sgs_hist_quantile(&a, 1.0), 1000000);
	sgs_hist_add(&a, 1000000);
	assert_true(sgs_hist_quantile(&a, 0.9999) == 1000000);
}

static void merge_is_the_union(void **state)
{
	uint64_t seed = 4711;
	(void)state;

	for (int i = 0; i < 20000; i++) {
		uint64_t v = random_value(&seed);

		sgs_hist_add(i % 3 ? &a : &b, v);
		sgs_hist_add(&both, v);
	}
	sgs_hist_merge(&a, &b);
	assert_memory_equal(&a, &both, sizeof(a));
}

static void merge_with_an_empty_one_changes_nothing(void **state)
{
	(void)state;

	sgs_hist_add(&a, 5);
	sgs_hist_add(&both, 5);
	sgs_hist_merge(&a, &b);
	assert_memory_equal(&a, &both, sizeof(a));
	sgs_hist_merge(&b, &a);
	assert_memory_equal(&b, &both, sizeof(b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_below_64),
		cmocka_unit_test(known_buckets),
		cmocka_unit_test(error_is_a_64th_at_most),
		cmocka_unit_test(buckets_are_in_order_without_gaps),
		cmocka_unit_test(index_is_monotonic),
		cmocka_unit_test_setup(huge_values_share_the_last_bucket, reset),
		cmocka_unit_test_setup(empty, reset),
		cmocka_unit_test_setup(one_value_is_every_quantile, reset),
		cmocka_unit_test(quantiles_are_those_of_the_sorted_values),
		cmocka_unit_test(quantiles_of_a_row_are_exact),
		cmocka_unit_test_setup(a_single_straggler_is_the_maximum_only, reset),
		cmocka_unit_test_setup(merge_is_the_union, reset),
		cmocka_unit_test_setup(merge_with_an_empty_one_changes_nothing, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
