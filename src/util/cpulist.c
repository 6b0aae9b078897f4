/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/cpulist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct sgs_cpus *cpus, unsigned cpu)
{
	return cpu < SGS_CPUS_MAX && (cpus->bits[cpu / 64] >> (cpu % 64) & 1);
}

void sgs_cpus_add(struct sgs_cpus *cpus, unsigned first, unsigned last)
{
	for (unsigned cpu = first; cpu <= last && cpu < SGS_CPUS_MAX; cpu++)
		cpus->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static bool take_number(const char **at, unsigned *value)
{
	char *end;
	unsigned long number;

	if (!isdigit((unsigned char)**at))
		return false;
	number = strtoul(*at, &end, 10);
	if (number >= SGS_CPUS_MAX)
		return false;
	*value = (unsigned)number;
	*at = end;
	return true;
}

static bool take_range(const char **at, struct sgs_cpus *cpus)
{
	unsigned first, last;

	if (!take_number(at, &first))
		return false;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!take_number(at, &last) || last < first)
			return false;
	}
	sgs_cpus_add(cpus, first, last);
	return true;
}

static bool parse(struct sgs_cpus *cpus, const char *at)
{
	for (;; at++) {
		if (!take_range(&at, cpus))
			return false;
		if (*at != ',')
			return at[strspn(at, "\n")] == '\0';
	}
}

bool sgs_cpus_parse(struct sgs_cpus *cpus, const char *list)
{
	memset(cpus, 0, sizeof(*cpus));
	list += strspn(list, " \t\n");
	if (!*list || parse(cpus, list))
		return true;
	memset(cpus, 0, sizeof(*cpus));
	return false;
}

unsigned sgs_cpus_count(const struct sgs_cpus *cpus)
{
	unsigned count = 0;

	for (size_t i = 0; i < SGS_CPUS_MAX / 64; i++)
		count += (unsigned)__builtin_popcountll(cpus->bits[i]);
	return count;
}

void sgs_cpus_and(struct sgs_cpus *cpus, const struct sgs_cpus *with)
{
	for (size_t i = 0; i < SGS_CPUS_MAX / 64; i++)
		cpus->bits[i] &= with->bits[i];
}

void sgs_cpus_or(struct sgs_cpus *cpus, const struct sgs_cpus *with)
{
	for (size_t i = 0; i < SGS_CPUS_MAX / 64; i++)
		cpus->bits[i] |= with->bits[i];
}

static void append(char *buf, size_t cap, size_t *used, unsigned first, unsigned last)
{
	const char *comma = *used ? "," : "";
	int n;

	if (*used >= cap)
		return;
	if (first == last)
		n = snprintf(buf + *used, cap - *used, "%s%u", comma, first);
	else
		n = snprintf(buf + *used, cap - *used, "%s%u-%u", comma, first, last);
	*used += (size_t)n;
}

char *sgs_cpus_format(char *buf, size_t cap, const struct sgs_cpus *cpus)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned cpu = 0; cpu < SGS_CPUS_MAX; cpu++) {
		unsigned first = cpu;

		if (!has(cpus, cpu))
			continue;
		while (has(cpus, cpu + 1))
			cpu++;
		append(buf, cap, &used, first, cpu);
	}
	if (used >= cap && cap > 3)
		memcpy(buf + cap - 4, "...", 4);
	return buf;
}
