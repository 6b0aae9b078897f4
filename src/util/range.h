/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several values in one argument: "4k,64k,1M", or "4k..1M", which doubles from the first bound
 * on. Both bounds are in a range, also an end that doubling does not meet; lists may hold
 * ranges, and each value is kept once, where it came first. A stepping range goes on in steps
 * from the value before it instead: "0%,10%..100%" has eleven values.
 */
#ifndef SGS_UTIL_RANGE_H
#define SGS_UTIL_RANGE_H

#include <stddef.h>
#include <stdint.h>

enum { SGS_RANGE_MOST = 64, SGS_RANGE_WORD = 32 };

struct sgs_range {
	uint64_t values[SGS_RANGE_MOST];
	size_t n;
	char at_fault[SGS_RANGE_WORD]; /* the part that a reason is about, cut if need be */
};

/* One value: NULL, or the reason as in util/units.h. */
typedef const char *sgs_parse_value(const char *text, uint64_t *value);

/* NULL, or the reason, a phrase to follow range->at_fault in a message. */
const char *sgs_parse_range(const char *text, sgs_parse_value *parse, struct sgs_range *range);

/* The same with stepping ranges. */
const char *sgs_parse_steps(const char *text, sgs_parse_value *parse, struct sgs_range *range);

struct sgs_words {
	char words[SGS_RANGE_MOST][SGS_RANGE_WORD];
	size_t n;
	char at_fault[SGS_RANGE_WORD];
};

/* "a,b,c", each once. The same answer. */
const char *sgs_parse_words(const char *text, struct sgs_words *words);

#endif
