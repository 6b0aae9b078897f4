/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/sweep.h"

#include <string.h>

#include "report/words.h"
#include "util/units.h"

#define NS_PER_SECOND 1000000000u

enum { LINE = 512 };

/* No finer than can be known */
static void left_word(char buf[SGS_WORD_ROOM], uint64_t ns)
{
	char time[SGS_WORD_ROOM];

	buf[0] = '\0';
	if (ns == UINT64_MAX)
		return;
	if (ns < 100ull * NS_PER_SECOND)
		snprintf(time, sizeof time, "%u s",
			(unsigned)((ns + NS_PER_SECOND / 2) / NS_PER_SECOND));
	else
		sgs_format_time(time, sizeof time, ns);
	snprintf(buf, SGS_WORD_ROOM, ", %.60s left", time);
}

static void rate_word(char buf[2 * SGS_WORD_ROOM], const struct sgs_progress *now)
{
	char rate[SGS_WORD_ROOM];

	buf[0] = '\0';
	if (now && now->span_ns)
		snprintf(buf, 2 * SGS_WORD_ROOM, ": %s",
			sgs_word_rate(rate, (double)now->span_bytes * NS_PER_SECOND /
						    (double)now->span_ns));
}

/* What has to be seen on a narrow terminal comes first. */
static void describe(
	char buf[LINE], const struct sgs_sweep_step *step, const struct sgs_progress *now)
{
	char left[SGS_WORD_ROOM], rate[2 * SGS_WORD_ROOM], name[SGS_CELL_NAME];

	left_word(left, step->left_ns);
	rate_word(rate, now);
	snprintf(buf, LINE, "cell %zu of %zu%s, %s%s", step->number, step->of, left,
		sgs_cell_name(step->sweep, step->cell, name), rate);
}

void sgs_report_sweep_progress(FILE *out, const struct sgs_sweep_step *step,
	const struct sgs_progress *now, int columns)
{
	int room = columns > 1 ? columns - 1 : 0; /* the last column may wrap the line */
	char line[LINE] = "";

	if (room >= LINE)
		room = LINE - 1;
	if (step)
		describe(line, step, now);
	fprintf(out, "\r%-*.*s", room, room, line);
	if (!step)
		fputc('\r', out);
	fflush(out);
}

void sgs_report_sweep_line(
	FILE *out, const struct sgs_sweep_step *step, const struct sgs_progress *now)
{
	char line[LINE];

	describe(line, step, now);
	fprintf(out, "%s\n", line);
}
