/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

/* Whether the value is below all of the n before it and stands out among them. */
static bool is_drop(double *values, size_t n, double value, double least, bool *marks)
{
	if (n < SGS_DROP_LEAST)
		return false;
	for (size_t i = 0; i < n; i++)
		if (value >= values[i])
			return false;
	values[n] = value;
	sgs_outliers(values, n + 1, least, marks);
	return marks[n];
}

size_t sgs_drops(const double *values, size_t n, double least, bool *marks)
{
	double *before = calloc(n + 1, sizeof *before);
	bool *among = calloc(n + 1, sizeof *among);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		marks[i] = before && among && is_drop(before, kept, values[i], least, among);
		if (before && !marks[i])
			before[kept++] = values[i];
	}
	free(before);
	free(among);
	return n - kept;
}
