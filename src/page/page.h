/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results as one page of HTML that needs nothing from anywhere: no script, no font, no image.
 */
#ifndef SGS_PAGE_PAGE_H
#define SGS_PAGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "results/result_set.h"

struct sgs_page {
	FILE *out;
	unsigned plots; /* so far, drawn or not */
	unsigned drawn;
	char news[1200]; /* a drop or a decline over time, in a sentence; or empty */
	int trouble; /* -errno of the first plot that could not be drawn; -ENOENT: no gnuplot */
};

/* Writes the page of what is in set, which is in order of time and not empty. */
void sgs_page_write(struct sgs_page *page, const struct sgs_result_set *set);

#endif
