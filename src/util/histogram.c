/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/histogram.h"

#include <math.h>
#include <string.h>

void sgs_hist_init(struct sgs_histogram *h)
{
	memset(h, 0, sizeof *h);
	h->min = UINT64_MAX;
}

void sgs_hist_merge(struct sgs_histogram *into, const struct sgs_histogram *from)
{
	for (unsigned i = 0; i < SGS_HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

uint64_t sgs_hist_upper(unsigned index)
{
	unsigned shift;

	if (index < SGS_HIST_SUB)
		return index;
	shift = (index >> SGS_HIST_SUB_BITS) - 1;
	return ((uint64_t)(SGS_HIST_SUB + (index & (SGS_HIST_SUB - 1))) << shift) +
	       ((uint64_t)1 << shift) - 1;
}

uint64_t sgs_hist_quantile(const struct sgs_histogram *h, double fraction)
{
	uint64_t need = (uint64_t)ceil(fraction * (double)h->count), seen = 0;

	if (!h->count)
		return 0;
	for (unsigned i = 0; i < SGS_HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= need && seen)
			return sgs_hist_upper(i) < h->max ? sgs_hist_upper(i) : h->max;
	}
	return h->max;
}
