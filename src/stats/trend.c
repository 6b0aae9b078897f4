/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

enum {
	LEAST = 4,
	MOST_EXACT = 40,
	MOST_PAIRS = MOST_EXACT * (MOST_EXACT - 1) / 2,
};

struct pairs {
	size_t all, rising, falling;
	bool equal; /* some are */
};

static struct pairs count_pairs(const double *values, size_t n)
{
	struct pairs p = { .all = n * (n - 1) / 2 };

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			p.rising += values[j] > values[i];
			p.falling += values[j] < values[i];
		}
	p.equal = p.rising + p.falling < p.all;
	return p;
}

/* Chance that a random order of n different values has at most so many pairs out of order. A
 * value put into an order of m - 1 others makes 0 to m - 1 new ones, each as likely. */
static double chance_of_at_most(size_t falling, size_t n)
{
	double now[MOST_PAIRS + 1] = { 1 }, next[MOST_PAIRS + 1] = { 0 };
	double sum = 0;

	for (size_t m = 2; m <= n; m++) {
		for (size_t k = 0; k <= m * (m - 1) / 2; k++) {
			next[k] = 0;
			for (size_t j = 0; j < m && j <= k; j++)
				next[k] += now[k - j] / (double)m;
		}
		memcpy(now, next, sizeof now);
	}
	for (size_t k = 0; k <= falling; k++)
		sum += now[k];
	return sum;
}

static double exact_p(const struct pairs *p, size_t n)
{
	size_t rarer = p->rising < p->falling ? p->rising : p->falling;

	return fmin(1, 2 * chance_of_at_most(rarer, n));
}

/* Sum over groups of equal values of t (t - 1) (2t + 5). */
static double ties(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double t = 0;

		for (size_t j = 0; j < n; j++)
			t += values[j] == values[i];
		sum += (t - 1) * (2 * t + 5); /* each of the t values adds its share */
	}
	return sum;
}

static double normal_p(const struct pairs *p, const double *values, size_t n)
{
	double m = (double)n, s = fabs((double)p->rising - (double)p->falling);
	double variance = (m * (m - 1) * (2 * m + 5) - ties(values, n)) / 18;

	if (s < 1 || variance <= 0)
		return 1;
	return 2 * gsl_cdf_ugaussian_Q((s - 1) / sqrt(variance));
}

/* Median of the slopes between all pairs. */
static double sens_slope(const double *values, size_t n)
{
	double *slopes = calloc(n * (n - 1) / 2, sizeof *slopes);
	double slope = NAN;
	size_t m = 0;

	if (!slopes)
		return slope;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			slopes[m++] = (values[j] - values[i]) / (double)(j - i);
	slope = gsl_stats_median(slopes, 1, m);
	free(slopes);
	return slope;
}

/* The line with that slope goes through the median in the middle. */
static double change(const double *values, size_t n)
{
	double rise = sens_slope(values, n) * (double)(n - 1);
	double median = sgs_estimate_median(values, n).median;

	return rise / (median > rise / 2 ? median - rise / 2 : median);
}

struct sgs_trend sgs_trend(const double *values, size_t n)
{
	struct sgs_trend trend = { .p = 1 };
	struct pairs p;

	if (n > SGS_STATS_MOST)
		n = SGS_STATS_MOST;
	if (n < LEAST)
		return trend;
	p = count_pairs(values, n);
	trend.exact = !p.equal && n <= MOST_EXACT;
	trend.p = trend.exact ? exact_p(&p, n) : normal_p(&p, values, n);
	trend.change = change(values, n);
	return trend;
}
