/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers that look random, and are the same everywhere for the same seed.
 */
#ifndef SGS_UTIL_RANDOM_H
#define SGS_UTIL_RANDOM_H

#include <stdint.h>

/* The next of a sequence that *state, any number at first, goes through. */
uint64_t sgs_random_next(uint64_t *state);

/* A seed of 32 bits that nobody knows beforehand; never 0. */
uint64_t sgs_random_seed(void);

/* A shuffled order of 0 to n - 1 that takes no memory. */
struct sgs_shuffle {
	uint64_t n;
	unsigned half; /* bits of each half of a number below 4^half, the least that is n */
};

struct sgs_shuffle sgs_shuffle_of(uint64_t n);

/* What stands at place i, below n, in the order that key picks. */
uint64_t sgs_shuffle_at(const struct sgs_shuffle *shuffle, uint64_t key, uint64_t i);

#endif
