/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/usl.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>

enum { PARAMETERS = 3, MOST_STEPS = 200 };

#define PRECISION 1e-12

double sgs_usl_at(const struct sgs_usl *law, double n)
{
	return law->lambda * n / (1 + law->sigma * (n - 1) + law->kappa * n * (n - 1));
}

double sgs_usl_peak(const struct sgs_usl *law)
{
	if (!(law->kappa > 0))
		return INFINITY;
	return law->sigma < 1 ? sqrt((1 - law->sigma) / law->kappa) : 0;
}

double sgs_usl_highest(const struct sgs_usl *law)
{
	double peak = sgs_usl_peak(law);

	if (isfinite(peak))
		return sgs_usl_at(law, peak < 1 ? 1 : peak);
	return law->sigma > 0 ? law->lambda / law->sigma : INFINITY;
}

/* Some of the three parameters of the law, the others being 0, and the points. Rates are in
 * units of the largest, so that the parameters are of like size. */
struct problem {
	const double *at, *rate;
	size_t n;
	double unit;
	int which[PARAMETERS]; /* of lambda, sigma, kappa, by their number */
	size_t free;
};

static struct sgs_usl law_of(const struct problem *p, const gsl_vector *x)
{
	double values[PARAMETERS] = { 0 };

	for (size_t i = 0; i < p->free; i++)
		values[p->which[i]] = gsl_vector_get(x, i);
	return (struct sgs_usl){ values[0], values[1], values[2] };
}

static int residuals(const gsl_vector *x, void *arg, gsl_vector *f)
{
	const struct problem *p = arg;
	struct sgs_usl law = law_of(p, x);

	for (size_t i = 0; i < p->n; i++)
		gsl_vector_set(f, i, sgs_usl_at(&law, p->at[i]) - p->rate[i] / p->unit);
	return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *arg, gsl_matrix *j)
{
	const struct problem *p = arg;
	struct sgs_usl law = law_of(p, x);

	for (size_t i = 0; i < p->n; i++) {
		double n = p->at[i];
		double under = 1 + law.sigma * (n - 1) + law.kappa * n * (n - 1);
		double by_lambda = n / under,
		       by_sigma = -law.lambda * n * (n - 1) / under / under;
		double slopes[PARAMETERS] = { by_lambda, by_sigma, n * by_sigma };

		for (size_t k = 0; k < p->free; k++)
			gsl_matrix_set(j, i, k, slopes[p->which[k]]);
	}
	return GSL_SUCCESS;
}

/* Gunther's transformation: n / X(n) is linear in 1/lambda, sigma/lambda, kappa/lambda. */
static int start_from(const struct problem *p, gsl_vector *start)
{
	gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(p->n, p->free);
	gsl_matrix *columns = gsl_matrix_alloc(p->n, p->free);
	gsl_matrix *covariance = gsl_matrix_alloc(p->free, p->free);
	gsl_vector *wanted = gsl_vector_alloc(p->n);
	double squares;
	int r = work && columns && covariance && wanted ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < p->n; i++) {
		double n = p->at[i], terms[PARAMETERS] = { 1, n - 1, n * (n - 1) };

		gsl_vector_set(wanted, i, n * p->unit / p->rate[i]);
		for (size_t k = 0; k < p->free; k++)
			gsl_matrix_set(columns, i, k, terms[p->which[k]]);
	}
	if (!r && gsl_multifit_linear(columns, wanted, start, covariance, &squares, work))
		r = -EDOM;
	gsl_multifit_linear_free(work);
	gsl_matrix_free(columns);
	gsl_matrix_free(covariance);
	gsl_vector_free(wanted);
	return r;
}

static void back_to_law(gsl_vector *start)
{
	double inverse = gsl_vector_get(start, 0);
	double lambda = inverse > 0 ? 1 / inverse : 1;

	gsl_vector_set(start, 0, lambda);
	for (size_t k = 1; k < start->size; k++)
		gsl_vector_set(start, k, fmax(gsl_vector_get(start, k) * lambda, 0));
}

static int iterate(struct problem *p, gsl_vector *start, struct sgs_usl *law, double *squares)
{
	gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf fdf = {
		.f = residuals, .df = jacobian, .n = p->n, .p = p->free, .params = p
	};
	gsl_multifit_nlinear_workspace *work =
		gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, p->n, p->free);
	int info, r = work ? 0 : -ENOMEM;

	if (!r && gsl_multifit_nlinear_init(start, &fdf, work))
		r = -EDOM;
	if (!r) {
		/* that it can get no closer is no failure: exact points end so */
		gsl_multifit_nlinear_driver(
			MOST_STEPS, PRECISION, PRECISION, 0, NULL, NULL, &info, work);
		*law = law_of(p, gsl_multifit_nlinear_position(work));
		gsl_blas_ddot(gsl_multifit_nlinear_residual(work),
			gsl_multifit_nlinear_residual(work), squares);
		law->lambda *= p->unit;
	}
	if (work)
		gsl_multifit_nlinear_free(work);
	return r;
}

static int solve(struct problem *p, struct sgs_usl *law, double *squares)
{
	gsl_vector *start = gsl_vector_alloc(p->free);
	int r = start ? start_from(p, start) : -ENOMEM;

	if (!r) {
		back_to_law(start);
		r = iterate(p, start, law, squares);
	}
	gsl_vector_free(start);
	return r;
}

static bool is_law(const struct sgs_usl *law, double squares)
{
	return isfinite(squares) && law->lambda > 0 && isfinite(law->lambda) &&
	       law->sigma >= 0 && law->kappa >= 0;
}

/* The best of all faces of the quadrant in which sigma and kappa lie: where one of them would
 * be negative, the least squares lie on the face where it is 0. */
int sgs_usl_fit(enum sgs_usl_form form, const double *at, const double *rate, size_t n,
	struct sgs_usl *law)
{
	static const struct {
		enum sgs_usl_form form; /* that it belongs to */
		size_t free;
		int which[PARAMETERS];
	} faces[] = {
		{ SGS_USL_LINEAR, 1, { 0 } },
		{ SGS_USL_AMDAHL, 2, { 0, 1 } },
		{ SGS_USL_FULL, 2, { 0, 2 } },
		{ SGS_USL_FULL, 3, { 0, 1, 2 } },
	};
	double least = INFINITY, unit = 0;

	gsl_set_error_handler_off(); /* the handler would end the program */
	for (size_t i = 0; i < n; i++)
		unit = fmax(unit, rate[i]);
	for (size_t i = 0; unit > 0 && i < sizeof faces / sizeof *faces; i++) {
		struct problem p = { at, rate, n, unit, { 0 }, faces[i].free };
		struct sgs_usl found;
		double squares;

		memcpy(p.which, faces[i].which, sizeof p.which);
		if (faces[i].form > form || p.free > n || solve(&p, &found, &squares) ||
			!is_law(&found, squares) || squares >= least)
			continue;
		least = squares;
		*law = found;
	}
	return isfinite(least) ? 0 : -EDOM;
}
