/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "report/words.h"
#include "util/units.h"

#define LINE_ROOM     512
#define SHORTEST_BAR  10
#define LONGEST_BAR   40
#define NS_PER_SECOND 1e9

static double span_rate(const struct sgs_progress *now)
{
	return now->span_ns > 0 ? (double)now->span_bytes * NS_PER_SECOND / (double)now->span_ns
				: -1;
}

void sgs_report_interval(FILE *out, const struct sgs_progress *now)
{
	char at[SGS_WORD_ROOM], rate[SGS_WORD_ROOM], amount[SGS_WORD_ROOM],
		commands[SGS_WORD_ROOM];

	fprintf(out, "at %s: %s, %s and %s commands so far\n", sgs_word_span(at, now->at_ns),
		sgs_word_rate(rate, span_rate(now)), sgs_word_amount(amount, now->bytes),
		sgs_format_count(commands, sizeof(commands), now->commands));
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : -1;
}

/* From 0 to 1 by whichever end is nearer; negative when the run has none. */
static double share_done(const struct sgs_progress *now)
{
	double bytes = share_of(now->bytes, now->goal_bytes);
	double runtime = share_of(now->at_ns, now->runtime_ns);
	double share = bytes > runtime ? bytes : runtime;

	return share > 1 ? 1 : share;
}

/* By the mean rate so far. */
static void left_word(char buf[SGS_WORD_ROOM], const struct sgs_progress *now, double share)
{
	char time[SGS_WORD_ROOM];
	double ns;

	buf[0] = '\0';
	if (share <= 0 || share >= 1)
		return;
	ns = (double)now->at_ns * (1 - share) / share;
	if (ns > (double)INT64_MAX)
		return;
	if (ns < 100 * NS_PER_SECOND) /* no finer than can be known */
		snprintf(time, sizeof(time), "%.0f s", ns / NS_PER_SECOND);
	else
		sgs_format_time(time, sizeof(time), (uint64_t)ns);
	snprintf(buf, SGS_WORD_ROOM, ", %.60s left", time);
}

/* "[#####-----] " of at most room columns; nothing when it would be too short to be read. */
static size_t draw_bar(char *buf, double share, int room)
{
	int width = room - 3;
	int full;

	if (width > LONGEST_BAR)
		width = LONGEST_BAR;
	if (width < SHORTEST_BAR)
		return 0;
	width -= width % 10; /* does not twitch with each digit of the rate */
	full = (int)(share * width);
	buf[0] = '[';
	memset(buf + 1, '#', (size_t)full);
	memset(buf + 1 + full, '-', (size_t)(width - full));
	memcpy(buf + 1 + width, "] ", 2);
	return (size_t)width + 3;
}

static void figures_of(char *buf, size_t cap, const struct sgs_progress *now, double share)
{
	char rate[SGS_WORD_ROOM], amount[SGS_WORD_ROOM], left[SGS_WORD_ROOM];

	sgs_word_rate(rate, span_rate(now));
	left_word(left, now, share);
	if (share >= 0)
		snprintf(buf, cap, "%3d %%  %s%s", (int)(share * 100), rate, left);
	else
		snprintf(buf, cap, "%s  %s", sgs_word_amount(amount, now->bytes), rate);
}

void sgs_report_progress(FILE *out, const struct sgs_progress *now, int columns)
{
	int room = columns > 1 ? columns - 1 : 0; /* the last column may wrap the line */
	char line[LINE_ROOM], figures[LINE_ROOM / 2] = "";
	size_t len = 0;

	if (room >= LINE_ROOM)
		room = LINE_ROOM - 1;
	if (now) {
		double share = share_done(now);

		figures_of(figures, sizeof(figures), now, share);
		if (share >= 0)
			len = draw_bar(line, share, room - (int)strlen(figures));
	}
	snprintf(line + len, sizeof(line) - len, "%s", figures);
	fprintf(out, "\r%-*.*s", room, room, line);
	if (!now)
		fputc('\r', out);
	fflush(out);
}
