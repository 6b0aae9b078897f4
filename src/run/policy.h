/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a command's outcome leads to. The only place that decides on retries and on what a bad
 * block ends.
 */
#ifndef SGS_RUN_POLICY_H
#define SGS_RUN_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

/* What the user allows. */
struct sgs_rules {
	unsigned retries;  /* per command; 0: nothing at all is tried again */
	uint64_t busy_ns;  /* how long a device may be busy, or its task set full */
	uint64_t ready_ns; /* how long it may be becoming ready */
	bool skip;	   /* bad blocks are left out, the rest is read */
};

enum sgs_action {
	SGS_ACCEPT, /* the data is good: count it */
	SGS_RETRY,  /* issue the same command again after *wait_ns */
	SGS_SPLIT,  /* read it in parts, to find the bad blocks */
	SGS_GIVE_UP,
};

/* Notes the outcome in tried, which is all zero before the first. What can pass by itself is
 * tried again rules->retries times: unit attentions at once, else after a wait that doubles. A
 * device that is busy is asked for as long as busy_ns, for what it waits for is that other
 * commands end; one that is becoming ready for ready_ns. */
enum sgs_action sgs_policy(const struct sgs_outcome *outcome, const struct sgs_rules *rules,
	struct sgs_tried *tried, uint64_t *wait_ns);

#endif
