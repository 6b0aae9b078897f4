/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a device that could not be read, as ranges in order.
 */
#ifndef SGS_RUN_BAD_H
#define SGS_RUN_BAD_H

#include <stdbool.h>
#include <stddef.h>

#include <sgstream/result.h>

struct sgs_bad {
	struct sgs_bad_range *ranges; /* none touches the next */
	size_t n, room;
	uint64_t blocks; /* in all of them */
};

/* Adds a range; parts of it may be there already. False when memory is short. */
bool sgs_bad_add(struct sgs_bad *bad, uint64_t first, uint64_t count);

void sgs_bad_free(struct sgs_bad *bad);

#endif
