/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/random.h"

#include <sys/random.h>
#include <time.h>

enum { ROUNDS = 4 };

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Vigna's splitmix64 */
uint64_t sgs_random_next(uint64_t *state)
{
	return mix(*state += 0x9e3779b97f4a7c15);
}

uint64_t sgs_random_seed(void)
{
	uint32_t seed = 0;

	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
		seed = (uint32_t)time(NULL);
	return seed ? seed : 1;
}

struct sgs_shuffle sgs_shuffle_of(uint64_t n)
{
	struct sgs_shuffle s = { .n = n, .half = 1 };

	while (s.half < 32 && (uint64_t)1 << 2 * s.half < n)
		s.half++;
	return s;
}

/* Luby and Rackoff: four rounds of Feistel's network permute the numbers of 2 * half bits,
 * whatever the function of a round is. */
static uint64_t permute(unsigned half, uint64_t key, uint64_t i)
{
	uint64_t mask = ((uint64_t)1 << half) - 1, left = i >> half, right = i & mask;

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		uint64_t next = left ^ (mix(key + round * 0x9e3779b97f4a7c15 + right) & mask);

		left = right;
		right = next;
	}
	return left << half | right;
}

/* A number that is too large is permuted again, which ends below n: the cycle it is on began
 * there (Black and Rogaway, "cycle walking"). Fewer than four rounds on the average. */
uint64_t sgs_shuffle_at(const struct sgs_shuffle *s, uint64_t key, uint64_t i)
{
	do
		i = permute(s->half, key, i);
	while (i >= s->n);
	return i;
}
