/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for bad blocks under a drive that names any block, over any set of bad ones. */
#include "run/bad.h"
#include "run/split.h"

#include "fuzz.h"

enum { BLOCKS = 64 };

static bool any(uint64_t bad, uint64_t at, uint32_t n)
{
	for (; n; n--, at++)
		if (bad >> at & 1)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct sgs_bad list = { 0 };
	struct sgs_split s;
	uint64_t bad = 0, found = 0, good = 0;
	uint32_t n;
	unsigned reads = 0;

	for (int i = 0; i < 8; i++)
		bad = bad << 8 | take_byte(&in);
	sgs_split_begin(&s, 0, BLOCKS, 1, take_byte(&in) & 1, take_byte(&in));
	while ((n = sgs_split_next(&s))) {
		uint64_t at = s.at, mask = (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1)
					   << at;

		must(++reads < 20 * BLOCKS && at + n <= BLOCKS);
		if (!any(bad, at, n)) {
			good |= mask;
			sgs_split_good(&s, n);
		} else if (sgs_split_failed(&s, 0, n, take_byte(&in))) {
			must(n == 1);
			found |= mask;
			must(sgs_bad_add(&list, at, n));
		}
	}
	must(found == bad && good == ~bad);
	must(list.blocks == (uint64_t)__builtin_popcountll(bad));
	sgs_bad_free(&list);
	return 0;
}
