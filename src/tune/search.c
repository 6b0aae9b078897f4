/* SPDX-License-Identifier: BSD-2-Clause */
#include "tune/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST_ROUNDS = 3, /* when all of them are clear */
	MOST_ROUNDS = 11,
};

#define CLEAR 0.1 /* a ratio so far from the share needs no more rounds */

struct search {
	const struct sgs_tune_probe *probe;
	struct sgs_tuned *tuned;
	size_t n_bs, n_qd;
	bool ended;
};

/* ---- measuring ---- */

static double measure(struct search *s, struct sgs_tune_point at)
{
	double rate = s->ended ? -1 : s->probe->measure(s->probe->arg, at);

	s->ended |= rate < 0;
	if (!s->ended)
		s->tuned->steps[s->tuned->n_steps++] = (struct sgs_tune_step){ at, rate };
	return s->ended ? 0 : rate;
}

static bool is_same(struct sgs_tune_point a, struct sgs_tune_point b)
{
	return a.bs == b.bs && a.qd == b.qd;
}

static void look(struct search *s, struct sgs_tune_point at)
{
	struct sgs_tuned *t = s->tuned;
	double rate = measure(s, at);

	if (rate <= t->best_rate)
		return;
	t->found = true;
	t->best = at;
	t->best_rate = rate;
}

/* Every other depth, and the deepest in any case. */
static void scan(struct search *s)
{
	for (size_t bs = 0; bs < s->n_bs; bs++)
		for (size_t back = 0; back < s->n_qd; back += 2)
			look(s, (struct sgs_tune_point){ bs, s->n_qd - 1 - back });
}

/* ---- deciding ---- */

struct duel {
	double candidate[MOST_ROUNDS], best[MOST_ROUNDS];
	size_t n;
};

/* In turn, and the first of a round in turn as well. */
static bool fight(struct search *s, struct sgs_tune_point at, struct duel *d)
{
	struct sgs_tune_point best = s->tuned->best;
	double first = measure(s, d->n % 2 ? at : best);
	double second = measure(s, d->n % 2 ? best : at);

	d->candidate[d->n] = d->n % 2 ? first : second;
	d->best[d->n] = d->n % 2 ? second : first;
	if (d->candidate[d->n] <= 0 || d->best[d->n] <= 0)
		return false;
	d->n++;
	return true;
}

/* 1 the share is reached, -1 it is not, 0 it takes more rounds. */
static int judge(const struct duel *d)
{
	struct sgs_estimate ratio = sgs_pair_ratio(d->candidate, d->best, d->n);
	size_t above = 0, below = 0;

	for (size_t i = 0; i < d->n; i++) {
		above += d->candidate[i] > (SGS_TUNE_SHARE + CLEAR) * d->best[i];
		below += d->candidate[i] < (SGS_TUNE_SHARE - CLEAR) * d->best[i];
	}
	if (d->n >= LEAST_ROUNDS && (above == d->n || below == d->n))
		return above ? 1 : -1;
	if (d->n < MOST_ROUNDS)
		return sgs_estimate_side(&ratio, SGS_TUNE_SHARE);
	return ratio.median >= SGS_TUNE_SHARE ? 1 : -1;
}

/* One that beats the best by as much as would be forgiven takes its place: chance, or depth
 * that hurts, had made the other one the best. */
static void crown(struct sgs_tuned *t)
{
	t->best = t->at;
	t->best_rate = t->rate;
	t->share = (struct sgs_estimate){ .n = 0 };
}

static void accept(struct sgs_tuned *t, struct sgs_tune_point at, const struct duel *d)
{
	t->at = at;
	t->rate = sgs_estimate_median(d->candidate, d->n).median;
	t->best_rate = sgs_estimate_median(d->best, d->n).median;
	t->share = sgs_pair_ratio(d->candidate, d->best, d->n);
	if (t->share.median > 1 / SGS_TUNE_SHARE)
		crown(t);
}

static bool reaches(struct search *s, struct sgs_tune_point at)
{
	struct duel duel = { .n = 0 };
	int verdict = 0;

	if (is_same(at, s->tuned->best))
		return true;
	while (!verdict && fight(s, at, &duel))
		verdict = judge(&duel);
	if (verdict > 0)
		accept(s->tuned, at, &duel);
	return verdict > 0;
}

/* ---- searching ---- */

/* One measurement of each may have met a slow moment where the best is: the largest size that
 * runs, at its deepest, gets its chance. */
static void challenge(struct search *s)
{
	const struct sgs_tune_step *steps = s->tuned->steps;
	struct sgs_tune_point largest = s->tuned->best;

	for (size_t i = 0; i < s->tuned->n_steps; i++)
		if (steps[i].rate > 0 && steps[i].at.bs > largest.bs)
			largest = (struct sgs_tune_point){ steps[i].at.bs, s->n_qd - 1 };
	largest.qd = s->n_qd - 1;
	reaches(s, largest);
	s->tuned->at = s->tuned->best;
	s->tuned->share.n = 0;
}

/* At the deepest, or as deep as the best when more depth hurts. */
static bool size_reaches(struct search *s, size_t bs, size_t *qd)
{
	struct sgs_tune_point at = { bs, s->n_qd - 1 };

	*qd = at.qd;
	if (reaches(s, at))
		return true;
	*qd = at.qd = s->tuned->best.qd;
	return at.qd != s->n_qd - 1 && reaches(s, at);
}

/* The best one's own size is the largest that is needed. */
static struct sgs_tune_point smallest_size(struct search *s)
{
	struct sgs_tune_point found = s->tuned->best;
	size_t low = 0;

	while (low < found.bs && !s->ended) {
		size_t middle = low + (found.bs - low) / 2, qd;

		if (size_reaches(s, middle, &qd))
			found = (struct sgs_tune_point){ middle, qd };
		else
			low = middle + 1;
	}
	return found;
}

static void smallest_depth(struct search *s, struct sgs_tune_point from)
{
	size_t low = 0, high = from.qd;

	while (low < high && !s->ended) {
		struct sgs_tune_point at = { from.bs, low + (high - low) / 2 };

		if (reaches(s, at))
			high = at.qd;
		else
			low = at.qd + 1;
	}
}

static size_t halvings(size_t n)
{
	size_t steps = 0;

	for (; n > 1; n = (n + 1) / 2)
		steps++;
	return steps;
}

size_t sgs_tune_most_steps(size_t n_bs, size_t n_qd)
{
	size_t duels = 1 + 2 * halvings(n_bs) + halvings(n_qd);

	return n_bs * ((n_qd + 1) / 2) + duels * 2 * MOST_ROUNDS;
}

int sgs_tune_search(
	size_t n_bs, size_t n_qd, const struct sgs_tune_probe *probe, struct sgs_tuned *tuned)
{
	struct search search = { probe, tuned, n_bs, n_qd, false };

	memset(tuned, 0, sizeof *tuned);
	tuned->steps = calloc(sgs_tune_most_steps(n_bs, n_qd), sizeof *tuned->steps);
	if (!tuned->steps)
		return -ENOMEM;
	scan(&search);
	if (tuned->found) {
		challenge(&search);
		tuned->rate = tuned->best_rate;
		smallest_depth(&search, smallest_size(&search));
	}
	return search.ended ? -EINTR : 0;
}

void sgs_tuned_free(struct sgs_tuned *tuned)
{
	free(tuned->steps);
	memset(tuned, 0, sizeof *tuned);
}
