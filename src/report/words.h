/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures as text for people, the same in every report. Each function returns buf.
 */
#ifndef SGS_REPORT_WORDS_H
#define SGS_REPORT_WORDS_H

#include <stdint.h>
#include <time.h>

/* Enough for any of them. */
#define SGS_WORD_ROOM 96

/* Three significant digits, thousands apart: "1,290", "67.1", "0.00512". "-" for what is
 * negative or not finite. */
char *sgs_word_figure(char buf[SGS_WORD_ROOM], double value);

/* "1,290 MB/s (1,230 MiB/s)"; what is below 1 MB/s has its bytes before it. */
char *sgs_word_rate(char buf[SGS_WORD_ROOM], double bytes_per_second);

/* "67.1 MB"; below one megabyte exact: "65,536 bytes". */
char *sgs_word_amount(char buf[SGS_WORD_ROOM], uint64_t bytes);

/* "0.052 s", "850 us", "1,234.5 s": seconds, so that they can be compared. */
char *sgs_word_span(char buf[SGS_WORD_ROOM], uint64_t ns);

/* RFC 3339 in UTC, to the millisecond: "2023-11-14T22:13:20.007Z". */
char *sgs_word_utc(char buf[SGS_WORD_ROOM], const struct timespec *at);

#endif
