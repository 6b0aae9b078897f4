/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_RUN_DROP_H
#define SGS_RUN_DROP_H

#include "run/cached.h"

/* Empties the page cache of the devices that are held, as far as may be, and says in the result
 * how long it took and what it could not do. Dirty pages of a file stay until the kernel has
 * written them; they are waited for a little. Other files and devices keep their pages. */
void sgs_drop_caches(struct sgs_cached *cached, struct sgs_result *result);

#endif
