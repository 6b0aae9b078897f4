/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The axes of a sweep, from what the user writes.
 */
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "run/sweep.h"
#include "util/units.h"

#define MOST_SMALL (1u << 20) /* as --threads and --qd of a single run */

static const char default_bs[] = "4k..1M";
static const char default_bs_of_zones[] = "256k"; /* what they differ in is the drive */

static const char *parse_bytes(const char *text, uint64_t *value)
{
	const char *why = sgs_parse_size(text, value, NULL);

	return !why && !*value ? "is no size; give more than 0" : why;
}

static const char *parse_blocks(const char *text, uint64_t *value)
{
	bool blocks;
	const char *why = sgs_parse_size(text, value, &blocks);

	if (!why && !blocks)
		why = "is in bytes, and the others are in blocks; write all alike";
	return !why && !*value ? "is no size; give more than 0" : why;
}

static const char *parse_small(const char *text, uint64_t *value)
{
	return sgs_parse_count(text, 1, MOST_SMALL, value);
}

/* The kernel keeps 32 bits of it. */
static const char *parse_kib(const char *text, uint64_t *value)
{
	uint64_t bytes = 0;
	const char *why = sgs_parse_size(text, &bytes, NULL);

	if (!why && bytes % 1024)
		why = "is no multiple of 1 KiB";
	if (!why && bytes / 1024 > UINT32_MAX)
		why = "is too large";
	*value = bytes / 1024;
	return why;
}

static const char *parse_percent(const char *text, uint64_t *value)
{
	size_t len = strlen(text);
	char digits[8] = "";

	if (len < 2 || len > sizeof digits || text[len - 1] != '%')
		return "is no per cent of the capacity; write 0% to 100%";
	memcpy(digits, text, len - 1);
	return sgs_parse_count(digits, 0, 100, value);
}

static const struct {
	const char *option;
	sgs_parse_value *parse; /* NULL: words */
} kinds[SGS_AXES] = {
	[SGS_AXIS_ENGINE] = { "engines", NULL },
	[SGS_AXIS_SCHEDULER] = { "scheduler", NULL },
	[SGS_AXIS_READ_AHEAD] = { "read-ahead", parse_kib },
	[SGS_AXIS_OFFSET] = { "offsets", parse_percent },
	[SGS_AXIS_DEVICES] = { "devices", parse_small },
	[SGS_AXIS_THREADS] = { "threads", parse_small },
	[SGS_AXIS_BS] = { "bs", parse_bytes },
	[SGS_AXIS_QD] = { "qd", parse_small },
};

const char *sgs_axis_option(enum sgs_axis_kind kind)
{
	return kinds[kind].option;
}

static int bad_axis(const char *option, const char *text, const char *at_fault, const char *why,
	struct sgs_error *err)
{
	if (!strcmp(text, at_fault))
		return sgs_fail(
			err, SGS_USAGE, "bad_value", "--%s: '%s' %s", option, text, why);
	return sgs_fail(err, SGS_USAGE, "bad_value", "--%s: '%s': '%s' %s", option, text,
		at_fault, why);
}

static int read_numbers(const char *option, sgs_parse_value *parse, const char *text,
	struct sgs_axis *axis, struct sgs_error *err)
{
	struct sgs_range range;
	bool steps = parse == parse_percent;
	const char *why = steps ? sgs_parse_steps(text, parse, &range)
				: sgs_parse_range(text, parse, &range);

	if (why)
		return bad_axis(option, text, range.at_fault, why, err);
	memcpy(axis->numbers, range.values, sizeof range.values);
	axis->n = range.n;
	return 0;
}

static int read_words(
	const char *option, const char *text, struct sgs_axis *axis, struct sgs_error *err)
{
	struct sgs_words words;
	const char *why = sgs_parse_words(text, &words);

	if (why)
		return bad_axis(option, text, words.at_fault, why, err);
	memcpy(axis->words, words.words, sizeof words.words);
	axis->n = words.n;
	return 0;
}

static int check_engines(const char *text, const struct sgs_axis *axis, struct sgs_error *err)
{
	char known[160] = "";
	size_t at = 0;

	for (size_t i = 0; i < axis->n; i++) {
		if (sgs_engine_find(axis->words[i]))
			continue;
		for (size_t e = 0; e < sgs_engine_count && at < sizeof known; e++)
			at += (size_t)snprintf(known + at, sizeof known - at, "%s%s",
				e ? ", " : "", sgs_engines[e]->name);
		return sgs_fail(err, SGS_USAGE, "unknown_engine",
			"--engines: '%s': there is no engine '%s'; there are %s", text,
			axis->words[i], known);
	}
	return 0;
}

static int parse_axis(enum sgs_axis_kind kind, sgs_parse_value *parse, const char *text,
	struct sgs_axis *axis, struct sgs_error *err)
{
	const char *option = kinds[kind].option;

	*axis = (struct sgs_axis){ .given = text != NULL, .n = 1 };
	if (!text)
		return 0;
	return parse ? read_numbers(option, parse, text, axis, err)
		     : read_words(option, text, axis, err);
}

int sgs_axes_parse(
	struct sgs_sweep_wish *wish, struct sgs_axis axes[SGS_AXES], struct sgs_error *err)
{
	const char *bs = wish->axes[SGS_AXIS_BS]       ? wish->axes[SGS_AXIS_BS]
			 : wish->axes[SGS_AXIS_OFFSET] ? default_bs_of_zones
						       : default_bs;
	int status = 0;

	wish->bs_in_blocks = strchr(bs, 'b') != NULL; /* no unit of bytes has one */
	for (unsigned i = 0; !status && i < SGS_AXES; i++) {
		sgs_parse_value *parse = kinds[i].parse;
		bool blocks = i == SGS_AXIS_BS && wish->bs_in_blocks;

		status = parse_axis((enum sgs_axis_kind)i, blocks ? parse_blocks : parse,
			i == SGS_AXIS_BS ? bs : wish->axes[i], &axes[i], err);
	}
	if (!status && axes[SGS_AXIS_ENGINE].given)
		status =
			check_engines(wish->axes[SGS_AXIS_ENGINE], &axes[SGS_AXIS_ENGINE], err);
	return status;
}
