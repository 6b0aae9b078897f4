/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/digest.h"

#include <xxhash.h>

static void add(struct sgs_digest *digest, uint64_t high, uint64_t low)
{
	digest->low += low;
	digest->high += high + (digest->low < low);
	digest->valid = true;
}

void sgs_digest_add(struct sgs_digest *digest, const void *data, size_t len, uint64_t offset)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(data, len, offset);

	add(digest, h.high64, h.low64);
}

void sgs_digest_merge(struct sgs_digest *into, const struct sgs_digest *from)
{
	if (from->valid)
		add(into, from->high, from->low);
	into->partial |= from->partial;
}
