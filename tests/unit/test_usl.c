/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/usl.h"

#define COUNT(list)   (sizeof(list) / sizeof *(list))
#define NEAR(a, b, e) assert_true(fabs((a) - (b)) <= (e))

/* The data sets, and the coefficients with their rounding, are those that the R package usl
 * 3.0.3 ships and prints (S. Moeding, N. J. Gunther; data/, tests/ and its vignette,
 * https://cran.r-project.org/package=usl). They are of Gunther's Guerrilla Capacity Planning:
 * the ray tracer of BRL-CAD on an SGI Origin 2000, and SPEC SDM91 on a SPARCcenter 2000. */
static const double cpus[] = { 1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64 };
static const double rays[] = { 20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310 };
static const double users[] = { 1, 18, 36, 72, 108, 144, 216 };
static const double scripts[] = { 64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2 };

static void published_raytracer(void **state)
{
	struct sgs_usl law;

	(void)state;
	assert_int_equal(sgs_usl_fit(SGS_USL_FULL, cpus, rays, COUNT(cpus), &law), 0);
	NEAR(law.sigma, 0.057771, 5e-7);
	NEAR(law.kappa, 0, 5e-7);
	NEAR(law.lambda, 21.848843, 5e-7);
	NEAR(sgs_usl_highest(&law), 378, 0.5);
	assert_true(isinf(sgs_usl_peak(&law)));
}

static void published_raytracer_to_20_cpus(void **state)
{
	struct sgs_usl law;

	(void)state;
	assert_int_equal(sgs_usl_fit(SGS_USL_FULL, cpus, rays, 6, &law), 0);
	NEAR(law.sigma, 0.02444, 5e-6);
	NEAR(law.kappa, 0.00163, 5e-6);
	NEAR(law.lambda, 20.85605, 5e-6);
}

static void published_sdm91(void **state)
{
	static const double expected[] = { 90, 1078, 1541, 1850, 1879, 1822, 1646 };
	struct sgs_usl law;

	(void)state;
	assert_int_equal(sgs_usl_fit(SGS_USL_FULL, users, scripts, COUNT(users), &law), 0);
	NEAR(law.sigma, 0.0277285, 5e-8);
	NEAR(law.kappa, 0.0001044, 5e-8);
	NEAR(law.lambda, 89.9952,
		5e-5); /* its later digits differ between their own two runs */
	NEAR(sgs_usl_peak(&law), 96.51956, 96.52 * 0.0001);
	NEAR(sgs_usl_highest(&law), 1884, 0.5);
	for (size_t i = 0; i < COUNT(users); i++)
		NEAR(sgs_usl_at(&law, users[i]), expected[i], 0.5);
}

/* Also of that package: a table with known coefficients. */
static void published_nls(void **state)
{
	static const double load[] = { 1, 2, 4, 6, 8, 10 };
	static const double rate[] = { 1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557 };
	struct sgs_usl law;

	(void)state;
	assert_int_equal(sgs_usl_fit(SGS_USL_FULL, load, rate, COUNT(load), &law), 0);
	NEAR(law.sigma, 0.02, 5e-5);
	NEAR(law.kappa, 0.02, 5e-5);
	NEAR(law.lambda, 1, 5e-4);
}

static void exact_laws(void **state)
{
	static const struct sgs_usl laws[] = { { 250e6, 0, 0 }, { 250e6, 0.03, 0 },
		{ 250e6, 0, 0.002 }, { 105e6, 0.01, 0.0005 }, { 1, 0.5, 0.1 } };
	static const double at[] = { 1, 2, 3, 4, 6, 8, 12 };

	(void)state;
	for (size_t i = 0; i < COUNT(laws); i++) {
		double rate[COUNT(at)];
		struct sgs_usl law;

		for (size_t k = 0; k < COUNT(at); k++)
			rate[k] = sgs_usl_at(&laws[i], at[k]);
		assert_int_equal(sgs_usl_fit(SGS_USL_FULL, at, rate, COUNT(at), &law), 0);
		NEAR(law.lambda / laws[i].lambda, 1, 1e-6);
		NEAR(law.sigma, laws[i].sigma, 1e-6);
		NEAR(law.kappa, laws[i].kappa, 1e-6);
	}
}

/* More than linear is not believed, and nothing becomes negative. */
static void faster_than_linear(void **state)
{
	static const double at[] = { 1, 2, 4, 8 }, rate[] = { 1, 2.1, 4.4, 9.2 };
	struct sgs_usl law;

	(void)state;
	assert_int_equal(sgs_usl_fit(SGS_USL_FULL, at, rate, COUNT(at), &law), 0);
	assert_true(law.sigma >= 0 && law.kappa >= 0);
	NEAR(law.sigma, 0, 1e-9);
	NEAR(law.kappa, 0, 1e-9);
	NEAR(law.lambda, (1 + 4.2 + 17.6 + 73.6) / 85, 1e-9);
}

static void forms(void **state)
{
	static const double at[] = { 1, 2, 4, 8 }, rate[] = { 1, 1.8, 3, 4 };
	struct sgs_usl line, amdahl;

	(void)state;
	assert_int_equal(sgs_usl_fit(SGS_USL_LINEAR, at, rate, COUNT(at), &line), 0);
	NEAR(line.lambda, (1 + 3.6 + 12 + 32) / 85, 1e-9);
	assert_true(line.sigma == 0 && line.kappa == 0);
	assert_int_equal(sgs_usl_fit(SGS_USL_AMDAHL, at, rate, COUNT(at), &amdahl), 0);
	assert_true(amdahl.sigma > 0 && amdahl.kappa == 0);
}

static void no_law(void **state)
{
	static const double at[] = { 1 }, rate[] = { 5 }, nothing[] = { 0 };
	struct sgs_usl law;

	(void)state;
	assert_int_not_equal(sgs_usl_fit(SGS_USL_LINEAR, at, nothing, 1, &law), 0);
	assert_int_not_equal(sgs_usl_fit(SGS_USL_FULL, at, rate, 0, &law), 0);
	assert_int_equal(sgs_usl_fit(SGS_USL_FULL, at, rate, 1, &law), 0);
	NEAR(law.lambda, 5, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_raytracer),
		cmocka_unit_test(published_raytracer_to_20_cpus),
		cmocka_unit_test(published_sdm91),
		cmocka_unit_test(published_nls),
		cmocka_unit_test(exact_laws),
		cmocka_unit_test(faster_than_linear),
		cmocka_unit_test(forms),
		cmocka_unit_test(no_law),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
