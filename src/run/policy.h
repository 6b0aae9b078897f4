/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a command's outcome leads to. The only place that decides on retries.
 */
#ifndef SGS_RUN_POLICY_H
#define SGS_RUN_POLICY_H

#include <stdint.h>

#include "scsi/outcome.h"

enum sgs_action {
	SGS_ACCEPT, /* the data is good: count it */
	SGS_RETRY,  /* issue the same command again after *wait_ns */
	SGS_GIVE_UP,
};

/* attempt counts from 1; retries is how many more the user allows. The wait doubles with each
 * attempt and is bounded; unit attentions are asked again at once. */
enum sgs_action sgs_policy(const struct sgs_outcome *outcome, unsigned attempt,
	unsigned retries, uint64_t *wait_ns);

#endif
