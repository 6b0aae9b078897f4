/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/range.h"

#include <stdbool.h>
#include <string.h>

static const char reason_empty[] = "is empty";
static const char reason_too_many[] = "makes more than 64 values";

/* The first len bytes of text. */
static void cut(char word[SGS_RANGE_WORD], const char *text, size_t len)
{
	if (len >= SGS_RANGE_WORD)
		len = SGS_RANGE_WORD - 1;
	memcpy(word, text, len);
	word[len] = '\0';
}

/* ---- numbers ---- */

static const char *add(struct sgs_range *range, uint64_t value)
{
	for (size_t i = 0; i < range->n; i++)
		if (range->values[i] == value)
			return NULL;
	if (range->n == SGS_RANGE_MOST)
		return reason_too_many;
	range->values[range->n++] = value;
	return NULL;
}

static const char *add_doubling(struct sgs_range *range, uint64_t first, uint64_t last)
{
	const char *why = NULL;

	if (last < first)
		return "ends below its beginning";
	if (!first && last)
		return "begins with 0, which does not double; write 0 beside the range: 0,1..8";
	for (uint64_t v = first; !why && v<last; v = v> last / 2 ? last : 2 * v)
		why = add(range, v);
	return why ? why : add(range, last);
}

static const char *add_stepping(struct sgs_range *range, uint64_t first, uint64_t last)
{
	uint64_t before = range->n ? range->values[range->n - 1] : first;
	const char *why = NULL;

	if (last < first)
		return "ends below its beginning";
	if (first <= before)
		return "has no smaller value before it, which would make its steps: "
		       "0%,10%..100%";
	for (uint64_t v = first; !why && v < last; v += first - before)
		why = add(range, v);
	return why ? why : add(range, last);
}

typedef const char *add_range(struct sgs_range *range, uint64_t first, uint64_t last);

static const char *parse_word(struct sgs_range *range, sgs_parse_value *parse, const char *text,
	size_t len, uint64_t *value)
{
	char word[SGS_RANGE_WORD];

	cut(word, text, len);
	cut(range->at_fault, text, len);
	if (len >= SGS_RANGE_WORD)
		return "is too long";
	return len ? parse(word, value) : reason_empty;
}

/* A value, or a range of them. */
static const char *parse_part(struct sgs_range *range, sgs_parse_value *parse, add_range *fill,
	const char *text, size_t len)
{
	const char *dots = memmem(text, len, "..", 2), *why;
	uint64_t first, last;

	if (!dots) {
		why = parse_word(range, parse, text, len, &first);
		return why ? why : add(range, first);
	}
	why = parse_word(range, parse, text, (size_t)(dots - text), &first);
	if (!why)
		why = parse_word(
			range, parse, dots + 2, len - (size_t)(dots + 2 - text), &last);
	if (!why) {
		cut(range->at_fault, text, len);
		why = fill(range, first, last);
	} else if (!range->at_fault[0]) {
		cut(range->at_fault, text, len);
		why = "has nothing on one side of its dots";
	}
	return why;
}

static const char *parse_list(
	const char *text, sgs_parse_value *parse, add_range *fill, struct sgs_range *range)
{
	*range = (struct sgs_range){ 0 };
	for (;;) {
		size_t len = strcspn(text, ",");
		const char *why = parse_part(range, parse, fill, text, len);

		if (why || !text[len])
			return why;
		text += len + 1;
	}
}

const char *sgs_parse_range(const char *text, sgs_parse_value *parse, struct sgs_range *range)
{
	return parse_list(text, parse, add_doubling, range);
}

const char *sgs_parse_steps(const char *text, sgs_parse_value *parse, struct sgs_range *range)
{
	return parse_list(text, parse, add_stepping, range);
}

/* ---- words ---- */

static bool is_in(const struct sgs_words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->words[i], word))
			return true;
	return false;
}

static const char *add_word(struct sgs_words *words, const char *text, size_t len)
{
	cut(words->at_fault, text, len);
	if (!len)
		return reason_empty;
	if (len >= SGS_RANGE_WORD)
		return "is too long";
	if (is_in(words, words->at_fault))
		return NULL;
	if (words->n == SGS_RANGE_MOST)
		return reason_too_many;
	strcpy(words->words[words->n++], words->at_fault);
	return NULL;
}

const char *sgs_parse_words(const char *text, struct sgs_words *words)
{
	*words = (struct sgs_words){ 0 };
	for (;;) {
		size_t len = strcspn(text, ",");
		const char *why = add_word(words, text, len);

		if (why || !text[len])
			return why;
		text += len + 1;
	}
}
