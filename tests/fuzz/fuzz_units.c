/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes, times, counts, ranges, words and CPU lists as a user may write them. */
#include "util/cpulist.h"
#include "util/range.h"
#include "util/units.h"

#include "fuzz.h"

static const char *parse_size(const char *text, uint64_t *value)
{
	bool blocks;

	return sgs_parse_size(text, value, &blocks);
}

static void check_reason(const char *why)
{
	if (!why)
		return;
	must(*why);
	check_shown(why);
}

/* What is shown without loss can be read again. */
static void check_sizes(const char *text)
{
	char shown[32], byte_text[32];
	uint64_t value = 0, again = 0;
	bool blocks = false;
	const char *why = sgs_parse_size(text, &value, &blocks);

	check_reason(why);
	if (why)
		return;
	must(sgs_format_size(shown, sizeof shown, value)[0]);
	snprintf(byte_text, sizeof byte_text, "%llu", (unsigned long long)value);
	must(!sgs_parse_size(byte_text, &again, &blocks) && again == value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sgs_range range;
	static struct sgs_words words;
	struct sgs_cpus cpus;
	char *text = malloc(size + 1), shown[64];
	uint64_t value = 0;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	check_sizes(text);
	check_reason(sgs_parse_time(text, &value));
	must(sgs_format_time(shown, sizeof shown, value)[0]);
	check_reason(sgs_parse_count(text, 3, 1000, &value));
	check_reason(sgs_parse_range(text, parse_size, &range));
	must(range.n <= SGS_RANGE_MOST);
	check_reason(sgs_parse_words(text, &words));
	must(words.n <= SGS_RANGE_MOST);
	if (sgs_cpus_parse(&cpus, text))
		must(sgs_cpus_count(&cpus) <= SGS_CPUS_MAX);
	free(text);
	return 0;
}
