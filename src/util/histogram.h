/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log-linear histogram: 64 buckets in each power of two, so that a bucket's upper bound is at
 * most 1/64 (1.6 %) above any value in it; exact below 64. Values of 2^48 and more share the
 * last bucket. One writer; others may look on.
 */
#ifndef SGS_UTIL_HISTOGRAM_H
#define SGS_UTIL_HISTOGRAM_H

#include <stdint.h>

enum {
	SGS_HIST_SUB_BITS = 6,
	SGS_HIST_SUB = 1 << SGS_HIST_SUB_BITS,
	SGS_HIST_MAX_BITS = 48,
	SGS_HIST_BUCKETS = (SGS_HIST_MAX_BITS - SGS_HIST_SUB_BITS + 1) * SGS_HIST_SUB,
};

struct sgs_histogram {
	uint64_t count, sum, min, max; /* min is UINT64_MAX while empty */
	uint64_t bucket[SGS_HIST_BUCKETS];
};

/* The leading one of a value stands for the bucket of its power of two, the bits behind it for
 * the place therein; what has no bit above the sub-bits is its own index. */
static inline unsigned sgs_hist_index(uint64_t value)
{
	unsigned shift;

	if (value >> SGS_HIST_MAX_BITS)
		return SGS_HIST_BUCKETS - 1;
	shift = 63u - SGS_HIST_SUB_BITS - (unsigned)__builtin_clzll(value | SGS_HIST_SUB);
	return (shift << SGS_HIST_SUB_BITS) + (unsigned)(value >> shift);
}

static inline void sgs_hist_add(struct sgs_histogram *h, uint64_t value)
{
	h->bucket[sgs_hist_index(value)]++;
	h->count++;
	h->sum += value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void sgs_hist_init(struct sgs_histogram *h);
void sgs_hist_merge(struct sgs_histogram *into, const struct sgs_histogram *from);

/* Largest value of a bucket. */
uint64_t sgs_hist_upper(unsigned index);

/* Smallest bucket bound that at least fraction (0 to 1) of the values do not exceed, never
 * above the true maximum; 0 while empty. */
uint64_t sgs_hist_quantile(const struct sgs_histogram *h, double fraction);

#endif
