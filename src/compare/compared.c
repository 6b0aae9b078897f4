/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/compared.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIB_PER_GIB (1u << 20)
#define OUTLIER	    0.05 /* less is no outlier, however quiet the others are */

bool sgs_series_is_cached(const struct sgs_series *s)
{
	return s->contender->engine->transfer == SGS_CACHED;
}

bool sgs_series_is_zero_copy(const struct sgs_series *s)
{
	if (!s->contender->engine->zero_copy || sgs_series_is_cached(s))
		return false;
	for (size_t i = 0; i < s->rounds; i++) {
		const uint64_t *transfer = s->runs[i]->run.total.transfer;

		if (transfer[SGS_COPIED] || transfer[SGS_CACHED])
			return false;
	}
	return true;
}

/* ---- which rounds, and which contenders ---- */

static bool counts(const struct sgs_comparison *of, unsigned round)
{
	for (size_t i = 0; i < of->n_contenders; i++) {
		const struct sgs_result *run = sgs_comparison_run(of, i, round);

		if (!of->contenders[i].out && (!run || run->run.total.bytes_per_second <= 0))
			return false;
	}
	return true;
}

static int find_rounds(struct sgs_compared *out)
{
	out->numbers = calloc(out->of->whole + 1, sizeof *out->numbers);
	if (!out->numbers)
		return -ENOMEM;
	for (unsigned round = 1; round <= out->of->whole; round++)
		if (counts(out->of, round))
			out->numbers[out->rounds++] = round;
	return 0;
}

static int add_series(struct sgs_compared *out, size_t index)
{
	struct sgs_series *s = &out->series[out->n++];

	s->contender = &out->of->contenders[index];
	s->rounds = out->rounds;
	s->runs = calloc(out->rounds, sizeof *s->runs);
	s->rates = calloc(out->rounds, sizeof *s->rates);
	s->costs = calloc(out->rounds, sizeof *s->costs);
	s->outliers = calloc(out->rounds, sizeof *s->outliers);
	if (!s->runs || !s->rates || !s->costs || !s->outliers)
		return -ENOMEM;
	for (size_t i = 0; i < out->rounds; i++) {
		const struct sgs_result *run =
			sgs_comparison_run(out->of, index, out->numbers[i]);
		double cost = run->run.cpu.seconds_per_gib;

		s->runs[i] = run;
		s->rates[i] = run->run.total.bytes_per_second;
		s->costs[i] = cost >= 0 ? cost : NAN;
	}
	return 0;
}

static int find_series(struct sgs_compared *out)
{
	int r = 0;

	out->series = calloc(out->of->n_contenders + 1, sizeof *out->series);
	if (!out->series)
		return -ENOMEM;
	for (size_t i = 0; i < out->of->n_contenders && out->rounds && !r; i++)
		if (!out->of->contenders[i].out)
			r = add_series(out, i);
	return r;
}

/* ---- figures ---- */

/* The values that are known; returns how many. */
static size_t known(const double *values, size_t n, double out[SGS_STATS_MOST])
{
	size_t m = 0;

	for (size_t i = 0; i < n && m < SGS_STATS_MOST; i++)
		if (!isnan(values[i]))
			out[m++] = values[i];
	return m;
}

struct sgs_estimate sgs_series_cost_difference(
	const struct sgs_series *a, const struct sgs_series *b)
{
	double differences[SGS_STATS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < a->rounds && n < SGS_STATS_MOST; i++)
		if (!isnan(a->costs[i]) && !isnan(b->costs[i]))
			differences[n++] = a->costs[i] - b->costs[i];
	return sgs_estimate_median(differences, n);
}

static void estimate(struct sgs_series *s, const struct sgs_series *baseline)
{
	double costs[SGS_STATS_MOST];
	size_t rounds = s->rounds;

	s->rate = sgs_estimate_median(s->rates, rounds);
	s->cost = sgs_estimate_median(costs, known(s->costs, rounds, costs));
	s->ratio = sgs_pair_ratio(s->rates, baseline->rates, rounds);
	s->drift = sgs_trend(s->rates, rounds);
	sgs_outliers(s->rates, rounds, OUTLIER, s->outliers);
}

static void estimate_copy(struct sgs_compared *out)
{
	struct sgs_copy_cost *copy = &out->copy;
	struct sgs_estimate *e = &copy->ns_per_kib;
	const double ns_per_kib = 1e9 / KIB_PER_GIB; /* of a second per GiB */

	for (size_t i = 0; i < out->n; i++) {
		const struct sgs_series *s = &out->series[i];

		if (!copy->cached && sgs_series_is_cached(s) &&
			!s->contender->engine->zero_copy)
			copy->cached = s;
		if (!copy->other && sgs_series_is_zero_copy(s))
			copy->other = s;
	}
	copy->core_percent = NAN;
	if (!copy->cached || !copy->other)
		return;
	*e = sgs_series_cost_difference(copy->cached, copy->other);
	e->median *= ns_per_kib;
	e->low *= ns_per_kib;
	e->high *= ns_per_kib;
	copy->core_percent = e->median * copy->cached->rate.median / 1024 / 1e9 * 100;
}

const struct sgs_series *sgs_compared_best_other(
	const struct sgs_compared *compared, const struct sgs_series *than)
{
	const struct sgs_series *best = NULL;

	for (size_t i = 0; i < compared->n; i++) {
		const struct sgs_series *s = &compared->series[i];

		if (s == than || s->contender->engine->transfer == SGS_NO_TRANSFER)
			continue;
		if (!best || s->rate.median > best->rate.median)
			best = s;
	}
	return best;
}

int sgs_compared_make(const struct sgs_comparison *comparison, struct sgs_compared *out)
{
	int r;

	*out = (struct sgs_compared){ .of = comparison };
	r = find_rounds(out);
	if (!r)
		r = find_series(out);
	if (r) {
		sgs_compared_free(out);
		out->of = comparison;
		strcpy(out->verdict, "no memory to judge by");
		return r;
	}
	for (size_t i = 0; i < out->n; i++)
		estimate(&out->series[i], &out->series[0]);
	estimate_copy(out);
	sgs_compared_judge(out);
	return 0;
}

void sgs_compared_free(struct sgs_compared *compared)
{
	for (size_t i = 0; i < compared->n; i++) {
		free(compared->series[i].runs);
		free(compared->series[i].rates);
		free(compared->series[i].costs);
		free(compared->series[i].outliers);
	}
	free(compared->series);
	free(compared->numbers);
	memset(compared, 0, sizeof *compared);
}
