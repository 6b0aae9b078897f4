/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_ENGINE_LANE_H
#define SGS_ENGINE_LANE_H

#include <stddef.h>

#include <sgstream/error.h>

/* Zeroed memory on cache lines of its own, so that no other reader's writes slow this one;
 * free() it. NULL with err filled when there is none. */
void *sgs_lane_alloc(size_t size, struct sgs_error *err);

#endif
