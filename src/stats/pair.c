/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#define POWER 0.8

static size_t at_most(size_t n)
{
	return n < SGS_STATS_MOST ? n : SGS_STATS_MOST;
}

struct sgs_estimate sgs_pair_ratio(const double *a, const double *b, size_t n)
{
	double ratios[SGS_STATS_MOST];

	n = at_most(n);
	for (size_t i = 0; i < n; i++)
		ratios[i] = a[i] / b[i];
	return sgs_estimate_median(ratios, n);
}

struct sgs_estimate sgs_pair_difference(const double *a, const double *b, size_t n)
{
	double differences[SGS_STATS_MOST];

	n = at_most(n);
	for (size_t i = 0; i < n; i++)
		differences[i] = a[i] - b[i];
	return sgs_estimate_median(differences, n);
}

/* By the MAD, which a disturbed round does not inflate; where that is nothing, by the standard
 * deviation. */
static double spread(const double *values, size_t n)
{
	double work[SGS_STATS_MOST];
	double mad = gsl_stats_mad(values, 1, n, work);

	return mad > 0 || n < 2 ? mad : gsl_stats_sd(values, 1, n);
}

/* Smallest number, from least on, of which the interval leaves one out often enough when each
 * lies on the wrong side by that chance. */
static double enough(double wrong, size_t least)
{
	size_t k = 1;

	for (size_t n = least; n <= SGS_STATS_MOST; n++) {
		k = sgs_interval_rank(n, k);
		if (gsl_cdf_binomial_P((unsigned)k - 1, wrong, (unsigned)n) >= POWER)
			return (double)n;
	}
	return SGS_STATS_MOST + 1;
}

double sgs_pair_needed(const double *a, const double *b, size_t n)
{
	double logs[SGS_STATS_MOST], work[SGS_STATS_MOST];
	double distance, s;

	n = at_most(n);
	if (!n)
		return SGS_STATS_LEAST;
	for (size_t i = 0; i < n; i++)
		work[i] = logs[i] = log(a[i] / b[i]);
	distance = fabs(gsl_stats_median(work, 1, n));
	if (distance <= 0)
		return INFINITY;
	s = spread(logs, n);
	return enough(s > 0 ? gsl_cdf_ugaussian_P(-distance / s) : 0,
		n < SGS_STATS_LEAST ? SGS_STATS_LEAST : n + 1);
}
