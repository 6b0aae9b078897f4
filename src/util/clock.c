/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/clock.h"

bool sgs_clock_tsc;

static struct sgs_moment origin;

void sgs_clock_init(bool (*tsc_trusted)(void))
{
	if (origin.ns)
		return;
	sgs_clock_tsc = tsc_trusted();
	origin = sgs_clock_moment();
}

const char *sgs_clock_name(void)
{
	return sgs_clock_tsc ? "tsc" : "monotonic";
}

/* The tightest of a few readings: an interruption between the two clocks would bend the rate.
 */
struct sgs_moment sgs_clock_moment(void)
{
	struct sgs_moment best = { 0, 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		uint64_t before = sgs_ticks();
		uint64_t ns = sgs_now_ns();
		uint64_t after = sgs_ticks();

		if (after - before < width) {
			width = after - before;
			best.ticks = before + width / 2;
			best.ns = ns;
		}
	}
	return best;
}

double sgs_clock_rate(struct sgs_moment at)
{
	if (!sgs_clock_tsc || at.ticks <= origin.ticks || at.ns <= origin.ns)
		return 1.0;
	return (double)(at.ns - origin.ns) / (double)(at.ticks - origin.ticks);
}
