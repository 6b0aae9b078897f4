/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/playback.h"

#include <inttypes.h>

#include "report/words.h"
#include "util/units.h"

static void print_pace(FILE *out, const struct sgs_playback *p)
{
	char rate[SGS_WORD_ROOM], frame[SGS_WORD_ROOM], period[SGS_WORD_ROOM],
		deadline[SGS_WORD_ROOM];

	fprintf(out, "playback  %u stream%s of %s: %s every %s, due within %s\n", p->streams,
		p->streams == 1 ? "" : "s", sgs_word_rate(rate, (double)p->rate),
		sgs_format_size(frame, sizeof frame, p->frame_bytes),
		sgs_format_time(period, sizeof period, p->period_ns),
		sgs_format_time(deadline, sizeof deadline, p->deadline_ns));
}

static void print_frames(FILE *out, const struct sgs_playback *p)
{
	const struct sgs_latency *t = &p->time;
	const uint64_t points[] = { t->p50, t->p99, t->p99_9, t->max };
	static const char *const names[] = { "p50", "p99", "p99.9", "max" };
	char word[SGS_WORD_ROOM];

	fprintf(out, "frames    %s read", sgs_format_count(word, sizeof word, p->frames));
	fprintf(out, ", %s late", sgs_format_count(word, sizeof word, p->late));
	if (p->unread)
		fprintf(out, ", %s due and not read",
			sgs_format_count(word, sizeof word, p->unread));
	for (size_t i = 0; p->frames && i < sizeof points / sizeof *points; i++)
		fprintf(out, "   %s %s", names[i],
			sgs_format_time(word, sizeof word, points[i]));
	fputc('\n', out);
}

static void print_stream(FILE *out, const struct sgs_run_result *run, unsigned i)
{
	const struct sgs_stream_result *s = &run->playback->each[i];
	char word[SGS_WORD_ROOM];

	fprintf(out,
		"stream %-3u %s from byte %" PRIu64 ": %" PRIu64 " frames, %" PRIu64 " late",
		i + 1, run->devices[s->device].device.path, s->offset_bytes, s->frames,
		s->late);
	if (s->unread)
		fprintf(out, ", %" PRIu64 " not read", s->unread);
	fprintf(out, ", slowest %s\n", sgs_format_time(word, sizeof word, s->worst_ns));
}

void sgs_text_playback(FILE *out, const struct sgs_run_result *run, int verbose)
{
	if (!run->playback)
		return;
	print_pace(out, run->playback);
	if (!run->started)
		return;
	print_frames(out, run->playback);
	for (unsigned i = 0; verbose && i < run->playback->streams; i++)
		print_stream(out, run, i);
}
