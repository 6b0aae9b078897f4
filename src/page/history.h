/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results over time: a series is of one drive, or of the same drives together, read in the same
 * way.
 */
#ifndef SGS_PAGE_HISTORY_H
#define SGS_PAGE_HISTORY_H

#include <stdbool.h>
#include <time.h>

#include "page/look.h"

#define SGS_HISTORY_LEAST 0.03 /* a drop by less than this share of the median is none */

struct sgs_history_point {
	const struct sgs_result_item *item;
	time_t at;
	double rate;
	bool drop;
};

struct sgs_history_series {
	char *key;
	char name[SGS_PAGE_NAME], way[SGS_PAGE_NAME];
	struct sgs_history_point *points;
	size_t n, drops;
	double usual;  /* the median of those that are no drop */
	bool declines; /* it goes down by more than SGS_HISTORY_LEAST, and not by chance */
	double change; /* from first to last, as a share of the first */
};

struct sgs_history {
	struct sgs_history_series *series;
	size_t n;
};

/* Of a set that is in order of time. Series of a single point are left out. NULL when memory is
 * short. */
struct sgs_history *sgs_history_make(const struct sgs_result_set *set);
void sgs_history_free(struct sgs_history *history);

/* A later result stands for it, in a series that is too long to show each. */
bool sgs_history_is_past(const struct sgs_history *history, const struct sgs_result_item *item);

/* The first series whose latest point is a drop, or else one that declines; NULL: none. */
const struct sgs_history_series *sgs_history_news(const struct sgs_history *history);

/* "/dev/sg1 reads 780 MB/s (744 MiB/s), a drop: ..." of a series. */
void sgs_history_say(const struct sgs_history_series *series, char *buf, size_t cap);

#endif
