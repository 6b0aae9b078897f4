/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 128 }; /* adjacent lines are fetched in pairs */

void *sgs_lane_alloc(size_t size, struct sgs_error *err)
{
	size_t whole = (size + LINES - 1) / LINES * LINES;
	void *p = aligned_alloc(LINES, whole);

	if (!p) {
		sgs_fail(err, sgs_status_from_errno(ENOMEM), "no_memory",
			"no memory for a reader");
		return NULL;
	}
	return memset(p, 0, whole);
}
