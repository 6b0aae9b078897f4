/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#define LEAST	5
#define FAR	3.5
#define QUARTER 0.6745 /* of the normal distribution: makes MAD / QUARTER a deviation */

static bool is_far(double distance, double mad, double median, double least)
{
	return QUARTER * distance > FAR * mad && distance > least * fabs(median);
}

size_t sgs_outliers(const double *values, size_t n, double least, bool *marks)
{
	double work[SGS_STATS_MOST];
	double median, mad;
	size_t found = 0;

	memset(marks, 0, n * sizeof *marks);
	if (n > SGS_STATS_MOST)
		n = SGS_STATS_MOST;
	if (n < LEAST)
		return 0;
	median = sgs_estimate_median(values, n).median;
	mad = gsl_stats_mad0(values, 1, n, work);
	for (size_t i = 0; mad > 0 && i < n; i++) {
		marks[i] = is_far(fabs(values[i] - median), mad, median, least);
		found += marks[i];
	}
	return found;
}
