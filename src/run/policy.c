/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/policy.h"

#define FIRST_WAIT_NS	1000000u /* 1 ms, 2 ms, 4 ms ... */
#define LONGEST_WAIT_NS 500000000u
#define LONGEST_BUSY_NS 50000000u /* a place in the queue is free as soon as a command ends */

/* Worth another try: the reason can pass by itself, and a READ does no harm twice. */
static bool passes(enum sgs_fault_class fault)
{
	switch (fault) {
	case SGS_FAULT_UNIT_ATTENTION:
	case SGS_FAULT_DEFERRED:
	case SGS_FAULT_ABORTED:
	case SGS_FAULT_TRANSPORT:
		return true;
	default:
		return false;
	}
}

/* What belongs to a block rather than to the way to it. */
static bool is_of_a_block(const struct sgs_outcome *outcome)
{
	return outcome->fault == SGS_FAULT_MEDIUM || outcome->fault == SGS_FAULT_SHORT ||
	       sgs_outcome_is_protection(outcome);
}

static uint64_t back_off(unsigned nth, uint64_t longest)
{
	uint64_t wait = FIRST_WAIT_NS;

	while (--nth && wait < longest)
		wait *= 2;
	return wait < longest ? wait : longest;
}

/* How long such an outcome may go on; 0: it is not one that time mends. */
static uint64_t time_for(const struct sgs_outcome *outcome, const struct sgs_rules *rules)
{
	if (outcome->fault == SGS_FAULT_BUSY || outcome->fault == SGS_FAULT_TASK_SET_FULL)
		return rules->busy_ns;
	if (outcome->fault == SGS_FAULT_NOT_READY && sgs_outcome_is_becoming_ready(outcome))
		return rules->ready_ns;
	return 0;
}

static enum sgs_action wait_more(
	uint64_t longest, uint64_t time, struct sgs_tried *tried, uint64_t *wait_ns)
{
	if (tried->waited_ns >= time)
		return SGS_GIVE_UP;
	if (tried->waits < UINT32_MAX)
		tried->waits++;
	*wait_ns = back_off(tried->waits, longest);
	if (*wait_ns > time - tried->waited_ns)
		*wait_ns = time - tried->waited_ns;
	tried->waited_ns += *wait_ns;
	return SGS_RETRY;
}

static enum sgs_action end(const struct sgs_outcome *outcome, const struct sgs_rules *rules)
{
	return rules->skip && is_of_a_block(outcome) ? SGS_SPLIT : SGS_GIVE_UP;
}

enum sgs_action sgs_policy(const struct sgs_outcome *outcome, const struct sgs_rules *rules,
	struct sgs_tried *tried, uint64_t *wait_ns)
{
	enum sgs_fault_class fault = outcome->fault;
	uint64_t time;

	*wait_ns = 0;
	if (fault == SGS_FAULT_NONE || fault == SGS_FAULT_RECOVERED)
		return SGS_ACCEPT;
	if (!rules->retries)
		return end(outcome, rules);
	time = time_for(outcome, rules);
	if (time)
		return wait_more(
			fault == SGS_FAULT_NOT_READY ? LONGEST_WAIT_NS : LONGEST_BUSY_NS, time,
			tried, wait_ns);
	if (!passes(fault) || tried->times >= rules->retries)
		return end(outcome, rules);
	tried->times++;
	if (fault != SGS_FAULT_UNIT_ATTENTION && fault != SGS_FAULT_DEFERRED)
		*wait_ns = back_off(tried->times, LONGEST_WAIT_NS);
	return SGS_RETRY;
}
