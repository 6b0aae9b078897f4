/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes and times as people write them, and back.
 */
#ifndef SGS_UTIL_UNITS_H
#define SGS_UTIL_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* k K KiB = 2^10, kB KB = 10^3, likewise M G T P; a bare number is bytes; hex with 0x. "64blk"
 * or "64b" when blocks is not NULL: *blocks says so and *value counts blocks. A fraction must
 * come to whole bytes. Returns NULL, or the reason: a static phrase such as "is no number" to
 * follow the value in a message. */
const char *sgs_parse_size(const char *text, uint64_t *value, bool *blocks);

/* us ms s m h, bare = seconds, fractions allowed ("1.5s"). */
const char *sgs_parse_time(const char *text, uint64_t *ns);

/* Whole number from min to max. */
const char *sgs_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* "64 KiB", "1.5 GiB", "520 B": exact where it can be. Returns buf. */
char *sgs_format_size(char *buf, size_t cap, uint64_t bytes);

/* "12.3 us", "1.20 s", from 1000 s on "16 min 40 s", "2 h 05 min". Returns buf. */
char *sgs_format_time(char *buf, size_t cap, uint64_t ns);

/* "19,692". Returns buf. */
char *sgs_format_count(char *buf, size_t cap, uint64_t count);

/* Three significant digits, and every digit before the point: "0.0123", "9.70", "13,324"; "-"
 * when it is not finite or negative. Returns buf. */
char *sgs_format_figure(char *buf, size_t cap, double value);

#endif
