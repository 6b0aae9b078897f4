/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

/* Each value is above the true median with chance 1/2. The k-th smallest of n is above it when
 * fewer than k are below, and the k-th largest is below it as often. */
static double coverage(size_t k, size_t n)
{
	return 1 - 2 * gsl_cdf_binomial_P((unsigned)k - 1, 0.5, (unsigned)n);
}

size_t sgs_interval_rank(size_t n, size_t start)
{
	size_t k = start;

	while (2 * (k + 1) <= n && coverage(k + 1, n) >= SGS_CONFIDENCE)
		k++;
	return k;
}

struct sgs_estimate sgs_estimate_median(const double *values, size_t n)
{
	struct sgs_estimate e = { .n = n, .median = NAN, .low = NAN, .high = NAN };
	double sorted[SGS_STATS_MOST];
	size_t k;

	gsl_set_error_handler_off(); /* the handler would end the program */
	if (n > SGS_STATS_MOST)
		e.n = n = SGS_STATS_MOST;
	if (!n)
		return e;
	memcpy(sorted, values, n * sizeof *sorted);
	gsl_sort(sorted, 1, n);
	k = sgs_interval_rank(n, 1);
	e.median = gsl_stats_median_from_sorted_data(sorted, 1, n);
	e.low = sorted[k - 1];
	e.high = sorted[n - k];
	e.coverage = n > 1 ? coverage(k, n) : 0;
	return e;
}

bool sgs_estimate_holds(const struct sgs_estimate *e)
{
	return e->coverage >= SGS_CONFIDENCE;
}

int sgs_estimate_side(const struct sgs_estimate *e, double value)
{
	if (!sgs_estimate_holds(e))
		return 0;
	return e->low > value ? 1 : e->high < value ? -1 : 0;
}
