/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest block size, and for it the smallest depth, that reach SGS_TUNE_SHARE of the best
 * rate, in a bounded number of noisy measurements. Whoever measures gives rates; nothing here
 * knows of devices.
 *
 * First every block size is measured once at every other depth. The fastest point is the
 * reference, and candidates are measured in turn with it, because what disturbs a machine then
 * disturbs both: the median of the paired ratios decides. Rates may not fall when size or depth
 * grow, or else what is found is a point that reaches the share, and not the smallest.
 */
#ifndef SGS_TUNE_SEARCH_H
#define SGS_TUNE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

#define SGS_TUNE_SHARE 0.98

/* A place on the two axes, by index. */
struct sgs_tune_point {
	size_t bs, qd;
};

struct sgs_tune_probe {
	/* Bytes per second; 0 when it cannot run so; negative to end the search. */
	double (*measure)(void *arg, struct sgs_tune_point at);
	void *arg;
};

struct sgs_tune_step {
	struct sgs_tune_point at;
	double rate;
};

struct sgs_tuned {
	bool found; /* else nothing could run */
	struct sgs_tune_point at, best;
	double rate, best_rate;	   /* medians, or of the one measurement that there is */
	struct sgs_estimate share; /* at against best, paired; n is 0 when they are one */
	struct sgs_tune_step *steps;
	size_t n_steps;
};

/* Steps that a search over so many values takes at the most. */
size_t sgs_tune_most_steps(size_t n_bs, size_t n_qd);

/* 0; -ENOMEM; or -EINTR, when measure() ended it. sgs_tuned_free() frees *tuned in any case. */
int sgs_tune_search(
	size_t n_bs, size_t n_qd, const struct sgs_tune_probe *probe, struct sgs_tuned *tuned);
void sgs_tuned_free(struct sgs_tuned *tuned);

#endif
