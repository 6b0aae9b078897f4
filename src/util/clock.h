/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two clocks. sgs_now_ns() is CLOCK_MONOTONIC, for spans and deadlines. sgs_ticks() times
 * single commands: the time stamp counter where it is trusted, else CLOCK_MONOTONIC again;
 * ticks become nanoseconds only after the run, by the rate measured over the whole of it.
 */
#ifndef SGS_UTIL_CLOCK_H
#define SGS_UTIL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

extern bool sgs_clock_tsc; /* set once by sgs_clock_init() */

static inline uint64_t sgs_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t sgs_ticks(void)
{
#if defined(__x86_64__)
	if (sgs_clock_tsc)
		return __rdtsc();
#endif
	return sgs_now_ns();
}

/* One moment on both clocks. */
struct sgs_moment {
	uint64_t ticks, ns;
};

/* Takes ticks by the counter when trusted. Only the first call counts and asks, and it is the
 * origin of the rate: make it early in the program. */
void sgs_clock_init(bool (*tsc_trusted)(void));

/* "tsc" or "monotonic". */
const char *sgs_clock_name(void);

struct sgs_moment sgs_clock_moment(void);

/* Nanoseconds per tick between the first sgs_clock_init() and a moment; the more milliseconds
 * lie between them, the more exact. */
double sgs_clock_rate(struct sgs_moment at);

#endif
