/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/units.h"

#define MB  1e6
#define MIB 1048576.0

char *sgs_word_figure(char buf[SGS_WORD_ROOM], double value)
{
	return sgs_format_figure(buf, SGS_WORD_ROOM, value);
}

char *sgs_word_rate(char buf[SGS_WORD_ROOM], double bytes_per_second)
{
	char exact[SGS_WORD_ROOM], mb[SGS_WORD_ROOM], mib[SGS_WORD_ROOM];
	bool small = bytes_per_second > 0 && bytes_per_second < MB;

	sgs_word_figure(mb, bytes_per_second / MB);
	sgs_word_figure(mib, bytes_per_second / MIB);
	if (small)
		snprintf(buf, SGS_WORD_ROOM, "%.24s B/s = %.24s MB/s (%.24s MiB/s)",
			sgs_word_figure(exact, bytes_per_second), mb, mib);
	else
		snprintf(buf, SGS_WORD_ROOM, "%.24s MB/s (%.24s MiB/s)", mb, mib);
	return buf;
}

char *sgs_word_amount(char buf[SGS_WORD_ROOM], uint64_t bytes)
{
	static const char *const units[] = { "MB", "GB", "TB", "PB", "EB" };
	char figure[SGS_WORD_ROOM];
	double value = (double)bytes / MB;
	size_t unit = 0;

	if (bytes < 1000000) {
		snprintf(buf, SGS_WORD_ROOM, "%.24s %s",
			sgs_format_count(figure, sizeof(figure), bytes),
			bytes == 1 ? "byte" : "bytes");
		return buf;
	}
	for (; value >= 999.5; unit++)
		value /= 1000;
	snprintf(buf, SGS_WORD_ROOM, "%.24s %s", sgs_word_figure(figure, value), units[unit]);
	return buf;
}

char *sgs_word_span(char buf[SGS_WORD_ROOM], uint64_t ns)
{
	uint64_t ms = (ns + 500000) / 1000000;
	char seconds[SGS_WORD_ROOM];

	if (ns < 10000000)
		return sgs_format_time(buf, SGS_WORD_ROOM, ns);
	sgs_format_count(seconds, sizeof(seconds), ms / 1000);
	snprintf(buf, SGS_WORD_ROOM, "%.30s.%03u s", seconds, (unsigned)(ms % 1000));
	return buf;
}

char *sgs_word_utc(char buf[SGS_WORD_ROOM], const struct timespec *at)
{
	char seconds[48] = "";
	struct tm utc;

	if (gmtime_r(&at->tv_sec, &utc))
		strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(buf, SGS_WORD_ROOM, "%s.%03dZ", seconds, (int)(at->tv_nsec / 1000000));
	return buf;
}
