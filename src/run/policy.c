/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/policy.h"

#include <stdbool.h>

#define FIRST_WAIT_NS	1000000u /* a busy unit: 1 ms, 2 ms, 4 ms ... */
#define LONGEST_WAIT_NS 500000000u

/* Worth another try: the reason can pass by itself, and a READ does no harm twice. */
static bool passes(enum sgs_fault_class fault)
{
	switch (fault) {
	case SGS_FAULT_UNIT_ATTENTION:
	case SGS_FAULT_DEFERRED:
	case SGS_FAULT_ABORTED:
	case SGS_FAULT_BUSY:
	case SGS_FAULT_TASK_SET_FULL:
	case SGS_FAULT_TRANSPORT:
		return true;
	default:
		return false;
	}
}

static uint64_t back_off(enum sgs_fault_class fault, unsigned attempt)
{
	uint64_t wait = FIRST_WAIT_NS;

	if (fault == SGS_FAULT_UNIT_ATTENTION || fault == SGS_FAULT_DEFERRED)
		return 0;
	while (--attempt && wait < LONGEST_WAIT_NS)
		wait *= 2;
	return wait < LONGEST_WAIT_NS ? wait : LONGEST_WAIT_NS;
}

enum sgs_action sgs_policy(const struct sgs_outcome *outcome, unsigned attempt,
	unsigned retries, uint64_t *wait_ns)
{
	*wait_ns = 0;
	if (outcome->fault == SGS_FAULT_NONE || outcome->fault == SGS_FAULT_RECOVERED)
		return SGS_ACCEPT;
	if (!passes(outcome->fault) || attempt > retries)
		return SGS_GIVE_UP;
	*wait_ns = back_off(outcome->fault, attempt);
	return SGS_RETRY;
}
