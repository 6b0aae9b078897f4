/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/split.h"

enum { GROWTH = 4 };

void sgs_split_begin(struct sgs_split *s, uint64_t lba, uint32_t blocks, uint32_t grain,
	bool certain, uint64_t hint)
{
	*s = (struct sgs_split){
		.at = lba,
		.end = lba + blocks,
		.suspect_end = certain ? lba + blocks : lba,
		.hint = hint,
		.step = certain ? grain : blocks,
		.grain = grain,
	};
}

/* End of the blocks that cannot be read apart from the one at lba. */
static uint64_t unit_end(const struct sgs_split *s, uint64_t lba)
{
	uint64_t end = lba - lba % s->grain + s->grain;

	return end < s->end ? end : s->end;
}

static bool has_hint(const struct sgs_split *s)
{
	return !s->distrust && s->at <= s->hint && s->hint < s->suspect_end;
}

/* Where the next part should end; anywhere behind at. */
static uint64_t wish(const struct sgs_split *s)
{
	if (s->suspect_end <= s->at)
		return s->step < s->end - s->at ? s->at + s->step : s->end;
	if (has_hint(s))
		return s->hint;
	return s->at + (s->suspect_end - s->at) / 2;
}

uint32_t sgs_split_next(const struct sgs_split *s)
{
	uint64_t to;

	if (s->at >= s->end)
		return 0;
	to = wish(s);
	if (to < s->end)
		to -= to % s->grain;
	if (to <= s->at)
		to = unit_end(s, s->at);
	return (uint32_t)(to - s->at);
}

void sgs_split_good(struct sgs_split *s, uint32_t blocks)
{
	bool suspect = s->at < s->suspect_end;

	if (suspect && s->hint != SGS_NO_HINT && s->at <= s->hint && s->hint < s->at + blocks)
		s->distrust = true;
	s->at += blocks;
	if (s->at >= s->suspect_end && s->step < s->end - s->at)
		s->step *= GROWTH;
}

bool sgs_split_failed(struct sgs_split *s, uint32_t good, uint32_t blocks, uint64_t hint)
{
	if (!good && s->at + blocks <= unit_end(s, s->at)) {
		s->at += blocks;
		s->suspect_end = s->at;
		s->step = s->grain;
		return true;
	}
	if (has_hint(s) && s->hint == s->at + blocks) /* there was a bad one before it */
		s->distrust = true;
	s->suspect_end = s->at + blocks;
	s->hint = good ? s->at : hint;
	return false;
}
