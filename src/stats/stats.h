/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a few measured values can show. Everything here is about medians, and assumes of the
 * values only that they are independent; nothing needs them to be normal.
 *
 * This folder calls the GNU Scientific Library, which is under the GPL 3. It is part of the
 * program and not of libsgstream.a; the files themselves are BSD-2-Clause.
 */
#ifndef SGS_STATS_STATS_H
#define SGS_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define SGS_CONFIDENCE 0.95 /* of every claim */

enum {
	SGS_STATS_MOST = 1000, /* values that one call takes; those beyond are left out */
	SGS_STATS_LEAST = 6,   /* values that SGS_CONFIDENCE needs */
};

/* The median, and an interval for the median of what the values are drawn from: from the k-th
 * smallest to the k-th largest value, with the largest k whose coverage, by the binomial
 * distribution, is SGS_CONFIDENCE or more. Fewer than SGS_STATS_LEAST values have no such k:
 * then it is all of them, with the coverage that they have. */
struct sgs_estimate {
	size_t n;
	double median, low, high; /* NaN without values */
	double coverage;	  /* 0 to 1 */
};

/* median.c; values must not be NaN. */
struct sgs_estimate sgs_estimate_median(const double *values, size_t n);

/* The k of n values; it is start or more. */
size_t sgs_interval_rank(size_t n, size_t start);

/* Whether the interval covers as much as a claim needs. */
bool sgs_estimate_holds(const struct sgs_estimate *e);

/* 1 when the interval holds and lies above the value, -1 below, else 0. */
int sgs_estimate_side(const struct sgs_estimate *e, double value);

/* pair.c: a[i] and b[i] were measured next to each other, so what disturbed the one disturbed
 * the other, too, and their ratio less than either. All above 0. */
struct sgs_estimate sgs_pair_ratio(const double *a, const double *b, size_t n);

/* Of a[i] - b[i]. */
struct sgs_estimate sgs_pair_difference(const double *a, const double *b, size_t n);

/* How many pairs it takes until the interval of their ratio leaves one out four times out of
 * five, if they spread as these do and their true ratio is the median of these. The interval of
 * n, from the k-th value on, leaves one out when fewer than k of n lie on the wrong side, each
 * by a chance of Phi(-|log median| / s), with s the spread of the logarithms. More than n; at
 * most SGS_STATS_MOST + 1, which stands for more than that; infinite when the ratio is one. */
double sgs_pair_needed(const double *a, const double *b, size_t n);

/* trend.c: values in the order in which they were measured. Mann and Kendall's test: the
 * distribution of the number of pairs that are out of order is exact up to 40 different values;
 * with more, or equal ones, normal with the correction for ties and for continuity. */
struct sgs_trend {
	double p;      /* chance of such an order, or a straighter one, without a trend */
	double change; /* from first to last along Sen's line, as a share of the first */
	bool exact;
};

/* p is 1 with fewer than four values. */
struct sgs_trend sgs_trend(const double *values, size_t n);

/* outlier.c: marks the values whose distance from the median is above 3.5 of Iglewicz and
 * Hoaglin's modified z-scores, 0.6745 x distance / MAD, and above least, a share of the median.
 * Returns how many. None below five values, and none when more than half are equal. */
size_t sgs_outliers(const double *values, size_t n, double least, bool *marks);

/* drop.c: of values in the order in which they were measured, marks those that fell beyond
 * noise: a value that is below every one before it that is no drop itself, of which there are
 * at least SGS_DROP_LEAST, and an outlier among them as sgs_outliers() has it. One that stays
 * down stays marked. Returns how many. At most SGS_STATS_MOST values. */
enum { SGS_DROP_LEAST = 5 };
size_t sgs_drops(const double *values, size_t n, double least, bool *marks);

#endif
