/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a comparison shows: figures over its rounds, the verdict, and what to know before
 * believing it. Like src/stats, on which it stands, it is part of the program and not of the
 * library.
 */
#ifndef SGS_COMPARE_COMPARED_H
#define SGS_COMPARE_COMPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/compare.h"
#include "stats/stats.h"

enum { SGS_VERDICT_ROOM = 640 };

/* A contender over the rounds that count. */
struct sgs_series {
	const struct sgs_contender *contender;
	size_t rounds;
	const struct sgs_result **runs;
	double *rates; /* bytes per second */
	double *costs; /* CPU seconds per GiB; NaN unknown */
	bool *outliers;
	struct sgs_estimate rate, cost;
	struct sgs_estimate ratio; /* of its rate to the baseline's, paired by round */
	struct sgs_trend drift;	   /* of the rate */
};

/* What the copy out of the page cache costs: the CPU time that a page-cache contender needs
 * more than the first one whose data is not copied. */
struct sgs_copy_cost {
	const struct sgs_series *cached, *other; /* NULL: there are no two such */
	struct sgs_estimate ns_per_kib;
	double core_percent; /* at the cached one's rate; NaN unknown */
};

/* Rounds count when every contender ended them well, and read something. */
struct sgs_compared {
	const struct sgs_comparison *of;
	size_t rounds;
	unsigned *numbers;	   /* of these rounds */
	struct sgs_series *series; /* those that took part; the first one is the baseline */
	size_t n;
	struct sgs_copy_cost copy;
	char verdict[SGS_VERDICT_ROOM]; /* one sentence */
};

/* comparison must outlive *out, which the caller frees in any case. 0 or -ENOMEM. */
int sgs_compared_make(const struct sgs_comparison *comparison, struct sgs_compared *out);
void sgs_compared_free(struct sgs_compared *compared);

/* Of CPU seconds per GiB, a's less b's, paired by round; of the rounds in which both are known.
 */
struct sgs_estimate sgs_series_cost_difference(
	const struct sgs_series *a, const struct sgs_series *b);

bool sgs_series_is_cached(const struct sgs_series *s);	  /* through the page cache */
bool sgs_series_is_zero_copy(const struct sgs_series *s); /* no run of it was copied */

/* The fastest other one that moves data; NULL when there is none. */
const struct sgs_series *sgs_compared_best_other(
	const struct sgs_compared *compared, const struct sgs_series *than);

/* verdict.c: one sentence into verdict. */
void sgs_compared_judge(struct sgs_compared *compared);

/* verdict.c: the expectation that the baseline is at least so many times as fast as the best
 * other one. It is not met when the whole interval is below; when only a part of it is, that is
 * a warning. Into the sum's messages and exit status. */
void sgs_compared_expect(
	const struct sgs_compared *compared, double least, struct sgs_result *sum);

/* warn.c: each with its remedy, into the sum's messages. */
void sgs_compared_warn(const struct sgs_compared *compared, struct sgs_result *sum);

#endif
