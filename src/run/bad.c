/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/bad.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* The first range that ends at or behind lba. */
static size_t find(const struct sgs_bad *bad, uint64_t lba)
{
	size_t low = 0, high = bad->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (bad->ranges[middle].first + bad->ranges[middle].count < lba)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct sgs_bad *bad)
{
	size_t room = bad->room ? 2 * bad->room : FIRST_ROOM;
	struct sgs_bad_range *grown;

	if (bad->n < bad->room)
		return true;
	grown = reallocarray(bad->ranges, room, sizeof *grown);
	if (!grown)
		return false;
	bad->ranges = grown;
	bad->room = room;
	return true;
}

static void replace(struct sgs_bad *bad, size_t at, size_t old, struct sgs_bad_range new)
{
	memmove(bad->ranges + at + 1, bad->ranges + at + old,
		(bad->n - at - old) * sizeof *bad->ranges);
	bad->ranges[at] = new;
	bad->n = bad->n + 1 - old;
}

bool sgs_bad_add(struct sgs_bad *bad, uint64_t first, uint64_t count)
{
	uint64_t end = first + count;
	size_t at = find(bad, first), old = 0;

	if (!make_room(bad))
		return false;
	for (; at + old < bad->n && bad->ranges[at + old].first <= end; old++) {
		const struct sgs_bad_range *r = &bad->ranges[at + old];

		bad->blocks -= r->count;
		if (r->first < first)
			first = r->first;
		if (r->first + r->count > end)
			end = r->first + r->count;
	}
	replace(bad, at, old, (struct sgs_bad_range){ first, end - first });
	bad->blocks += end - first;
	return true;
}

void sgs_bad_free(struct sgs_bad *bad)
{
	free(bad->ranges);
	*bad = (struct sgs_bad){ 0 };
}
