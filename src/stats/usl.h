/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The universal scalability law, for how a rate grows with what is added:
 *
 *	X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1))
 *
 * lambda is the rate of one, sigma the share that is taken in turn (contention), kappa what
 *each pair costs (coherency). Sigma alone is Amdahl's law, neither is a straight line.
 *
 * Source: N. J. Gunther, Guerrilla Capacity Planning, Springer 2007,
 * doi:10.1007/978-3-540-31010-5, chapters 4 and 5.
 */
#ifndef SGS_STATS_USL_H
#define SGS_STATS_USL_H

#include <stddef.h>

struct sgs_usl {
	double lambda, sigma, kappa;
};

/* What of it is fitted; the number is that of parameters. */
enum sgs_usl_form { SGS_USL_LINEAR = 1, SGS_USL_AMDAHL = 2, SGS_USL_FULL = 3 };

double sgs_usl_at(const struct sgs_usl *law, double n);

/* Where the rate is highest; infinite without kappa. */
double sgs_usl_peak(const struct sgs_usl *law);

/* The highest rate: that at the peak, without kappa the asymptote, which may be infinite. */
double sgs_usl_highest(const struct sgs_usl *law);

/* Least squares of the n points (at[i], rate[i]), all above 0, with sigma and kappa at least 0.
 * Needs as many different values of at as the form has parameters. 0, or -EDOM when the points
 * give none. */
int sgs_usl_fit(enum sgs_usl_form form, const double *at, const double *rate, size_t n,
	struct sgs_usl *law);

#endif
