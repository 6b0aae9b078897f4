/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a rate grows with the number of things that give it, from measured points: the universal
 * scalability law up to a ceiling, if the points show one. Contention and coherency are fitted
 * only where they, and a ceiling is believed only where it, makes the points that are left out
 * of a fit come out better: a law that is richer than its points goes astray beyond them.
 *
 * The ceiling is the bound of operational analysis, X(n) <= min(n X(1), 1 / D): P. J. Denning,
 * J. P. Buzen, ACM Computing Surveys 10 (1978), doi:10.1145/356733.356735. Intervals are
 * percentiles of a bootstrap of the relative residuals, which are widened by the degrees of
 * freedom that the fit took: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap,
 * Chapman & Hall 1993, chapters 9 and 13.
 */
#ifndef SGS_STATS_SCALING_H
#define SGS_STATS_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/usl.h"

enum {
	SGS_SCALING_REPLICAS = 500,
	SGS_SCALING_POINTS = 1000, /* the most that one fit takes */
	SGS_SCALING_SEED = 1,	   /* the same points give the same intervals */
};

struct sgs_curve {
	struct sgs_usl law;
	double ceiling; /* infinite: none */
};

struct sgs_scaling {
	struct sgs_curve curve;
	enum sgs_usl_form form;
	double plateau; /* the least n of the points that make the ceiling; infinite: none */
	size_t points, distinct, parameters;
	double least, most; /* n that was measured */
	double missed;	    /* the worst left-out point, as a share of it; NaN: too few */
	double spread;	    /* of a point around the curve, as a share; NaN: too few */
	struct sgs_curve *replicas; /* NULL: no interval */
};

double sgs_curve_at(const struct sgs_curve *curve, double n);

/* Where the law reaches the ceiling; the peak of a law that does not. May be infinite. */
double sgs_curve_knee(const struct sgs_curve *curve);

/* Points above 0, at least two different values of at. 0, -EDOM, -ENOMEM or -E2BIG. */
int sgs_scaling_fit(
	const double *at, const double *rate, size_t n, struct sgs_scaling *scaling);

void sgs_scaling_free(struct sgs_scaling *scaling);

/* From low to high lie 95 % of what f makes of the replicas; NaN without replicas. */
void sgs_scaling_interval(const struct sgs_scaling *scaling,
	double (*f)(const struct sgs_curve *curve, void *arg), void *arg, double *low,
	double *high);

#endif
