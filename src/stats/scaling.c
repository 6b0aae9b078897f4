/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/scaling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#define TAIL   0.025 /* on each side of an interval */
#define BETTER 0.8   /* of the misses of a simpler curve, to be taken instead of it, */
#define GRAIN  1e-4  /* and by so much: exact points are missed by rounding only */

struct points {
	const double *at, *rate;
	size_t n;
	double values[SGS_SCALING_POINTS]; /* different ones of at, rising */
	size_t distinct;
};

/* What is fitted: a form to the points below the plateau, their mean to the others. */
struct shape {
	enum sgs_usl_form form;
	double plateau;
};

double sgs_curve_at(const struct sgs_curve *curve, double n)
{
	return fmin(sgs_usl_at(&curve->law, n), curve->ceiling);
}

double sgs_curve_knee(const struct sgs_curve *curve)
{
	double peak = sgs_usl_peak(&curve->law), low = 0, high = 1;

	if (curve->ceiling > sgs_usl_highest(&curve->law) || isinf(curve->ceiling))
		return peak;
	while (sgs_usl_at(&curve->law, high) < curve->ceiling && high < 1e9)
		high = fmin(high * 2, peak);
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(sgs_usl_at(&curve->law, middle) < curve->ceiling ? &low : &high) = middle;
	}
	return high;
}

static struct points *points_of(const double *at, const double *rate, size_t n)
{
	struct points *p = calloc(1, sizeof *p);
	double sorted[SGS_SCALING_POINTS];

	if (!p)
		return NULL;
	*p = (struct points){ .at = at, .rate = rate, .n = n };
	memcpy(sorted, at, n * sizeof *sorted);
	gsl_sort(sorted, 1, n);
	for (size_t i = 0; i < n; i++)
		if (!i || sorted[i] > sorted[i - 1])
			p->values[p->distinct++] = sorted[i];
	return p;
}

/* With other rates than the points have, and without those at one value (NAN: with all). */
static int fit(const struct points *p, const double *rate, struct shape shape, double without,
	struct sgs_curve *curve)
{
	double at[SGS_SCALING_POINTS], below[SGS_SCALING_POINTS], above = 0;
	size_t n = 0, n_above = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->at[i] == without)
			continue;
		if (p->at[i] < shape.plateau) {
			at[n] = p->at[i];
			below[n++] = rate[i];
		} else {
			above += rate[i];
			n_above++;
		}
	}
	curve->ceiling = n_above ? above / (double)n_above : INFINITY;
	return sgs_usl_fit(shape.form, at, below, n, &curve->law);
}

struct misses {
	double mean, worst; /* root of the mean square, and the most, as shares */
};

/* Each value of n in turn is predicted from the others. */
static struct misses leave_out(const struct points *p, struct shape shape)
{
	struct misses m = { 0, 0 };

	for (size_t k = 0; k < p->distinct; k++) {
		struct sgs_curve curve;

		if (fit(p, p->rate, shape, p->values[k], &curve))
			return (struct misses){ INFINITY, INFINITY };
		for (size_t i = 0; i < p->n; i++) {
			double miss;

			if (p->at[i] != p->values[k])
				continue;
			miss = fabs(sgs_curve_at(&curve, p->at[i]) / p->rate[i] - 1);
			m.mean += miss * miss;
			m.worst = fmax(m.worst, miss);
		}
	}
	m.mean = sqrt(m.mean / (double)p->n);
	return m;
}

static void consider(
	const struct points *p, struct shape shape, struct shape *best, struct misses *least)
{
	struct misses m = leave_out(p, shape);

	if (isfinite(least->mean) && m.mean > BETTER * least->mean - GRAIN)
		return;
	*best = shape;
	*least = m;
}

/* From simple to rich. A plateau has two values at least; what lies below it, or all without
 * one, has one more than the form has parameters, so that one can be left out. */
static struct shape choose(const struct points *p, struct misses *least)
{
	struct shape best = { SGS_USL_AMDAHL, INFINITY };

	*least = (struct misses){ INFINITY, INFINITY };
	if (p->distinct == 2) { /* any law goes through them */
		*least = (struct misses){ NAN, NAN };
		return best;
	}
	for (enum sgs_usl_form form = SGS_USL_LINEAR; form <= SGS_USL_FULL; form++)
		if (form < p->distinct)
			consider(p, (struct shape){ form, INFINITY }, &best, least);
	for (enum sgs_usl_form form = SGS_USL_LINEAR; form <= SGS_USL_FULL; form++)
		for (size_t below = form + 1; below + 2 <= p->distinct; below++)
			consider(p, (struct shape){ form, p->values[below] }, &best, least);
	return best;
}

/* ---- the bootstrap ---- */

struct residuals {
	double values[SGS_SCALING_POINTS]; /* shares of the curve, around 0 */
	double spread;
};

static void find_residuals(
	const struct points *p, const struct sgs_scaling *s, struct residuals *r)
{
	double mean, squares = 0;
	double freedom = (double)p->n - (double)s->parameters;
	double wider = sqrt((double)p->n / freedom);

	for (size_t i = 0; i < p->n; i++)
		r->values[i] = p->rate[i] / sgs_curve_at(&s->curve, p->at[i]) - 1;
	mean = gsl_stats_mean(r->values, 1, p->n);
	for (size_t i = 0; i < p->n; i++) {
		squares += r->values[i] * r->values[i];
		r->values[i] = (r->values[i] - mean) * wider;
	}
	r->spread = sqrt(squares / freedom);
}

/* Replicas have all that the points can give: what was left out of the curve for want of
 * evidence is not known to be nothing. */
static enum sgs_usl_form richest(const struct points *p, double plateau)
{
	size_t below = 0;

	while (below < p->distinct && p->values[below] < plateau)
		below++;
	return below < SGS_USL_FULL ? (enum sgs_usl_form)below : SGS_USL_FULL;
}

static void draw(const struct points *p, const struct sgs_scaling *s, const struct residuals *r,
	gsl_rng *random, struct sgs_curve *replica)
{
	double rate[SGS_SCALING_POINTS];

	for (size_t i = 0; i < p->n; i++)
		rate[i] = sgs_curve_at(&s->curve, p->at[i]) *
			  (1 + r->values[gsl_rng_uniform_int(random, p->n)]);
	if (fit(p, rate, (struct shape){ richest(p, s->plateau), s->plateau }, NAN, replica))
		*replica = s->curve;
}

/* Without a degree of freedom left nothing is known of the spread. */
static int resample(const struct points *p, struct sgs_scaling *s)
{
	struct residuals *r = p->n > s->parameters ? calloc(1, sizeof *r) : NULL;
	gsl_rng *random;

	s->spread = NAN;
	if (p->n <= s->parameters)
		return 0;
	s->replicas = calloc(SGS_SCALING_REPLICAS, sizeof *s->replicas);
	random = gsl_rng_alloc(gsl_rng_mt19937);
	if (r && s->replicas && random) {
		gsl_rng_set(random, SGS_SCALING_SEED);
		find_residuals(p, s, r);
		s->spread = r->spread;
		for (size_t i = 0; i < SGS_SCALING_REPLICAS; i++)
			draw(p, s, r, random, &s->replicas[i]);
	}
	if (random)
		gsl_rng_free(random);
	free(r);
	return isnan(s->spread) ? -ENOMEM : 0;
}

void sgs_scaling_interval(const struct sgs_scaling *s,
	double (*f)(const struct sgs_curve *curve, void *arg), void *arg, double *low,
	double *high)
{
	double values[SGS_SCALING_REPLICAS];

	*low = *high = NAN;
	if (!s->replicas)
		return;
	for (size_t i = 0; i < SGS_SCALING_REPLICAS; i++)
		values[i] = f(&s->replicas[i], arg);
	gsl_sort(values, 1, SGS_SCALING_REPLICAS);
	*low = values[(size_t)(TAIL * SGS_SCALING_REPLICAS)];
	*high = values[SGS_SCALING_REPLICAS - 1 - (size_t)(TAIL * SGS_SCALING_REPLICAS)];
}

/* ---- the whole ---- */

static int fit_points(const struct points *p, struct sgs_scaling *s)
{
	struct misses least;
	struct shape shape = choose(p, &least);
	int r = fit(p, p->rate, shape, NAN, &s->curve);

	s->form = shape.form;
	s->plateau = shape.plateau;
	s->points = p->n;
	s->distinct = p->distinct;
	s->parameters = shape.form + (isfinite(shape.plateau) ? 1 : 0);
	s->least = p->values[0];
	s->most = p->values[p->distinct - 1];
	s->missed = least.worst;
	return r ? r : resample(p, s);
}

int sgs_scaling_fit(const double *at, const double *rate, size_t n, struct sgs_scaling *s)
{
	struct points *p;
	int r = -EDOM;

	memset(s, 0, sizeof *s);
	if (n > SGS_SCALING_POINTS)
		return -E2BIG;
	p = points_of(at, rate, n);
	if (!p)
		return -ENOMEM;
	if (p->distinct >= 2)
		r = fit_points(p, s);
	if (r)
		sgs_scaling_free(s);
	free(p);
	return r;
}

void sgs_scaling_free(struct sgs_scaling *s)
{
	free(s->replicas);
	memset(s, 0, sizeof *s);
}
