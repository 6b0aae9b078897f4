/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/policy.h"
#include "run/run.h"
#include "run/stream.h"
#include "util/clock.h"

/* A command that has to wait before its next try holds all new ones back: a drive that is full
 * gets to breathe, and no latency counts the wait. */
struct queue {
	struct sgs_slot *idle[SGS_MAX_SLOTS]; /* to be issued: again, or with a new extent */
	unsigned n_idle;
	struct sgs_slot
		*held[SGS_MAX_SLOTS]; /* good data that waits for its turn to be written */
	unsigned n_held;
	unsigned in_flight;
	uint64_t hold_until; /* ns of sgs_now_ns(), 0: no hold */
};

static void free_slot(struct queue *q, struct sgs_slot *slot)
{
	slot->attempt = 0;
	q->idle[q->n_idle++] = slot;
}

/* Good data that others have to be written before. */
static bool hold_back(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot)
{
	if (!r->output || sgs_output_is_turn(r->output, slot->extent.index))
		return false;
	q->held[q->n_held++] = slot;
	return true;
}

static unsigned lowest_held(const struct queue *q)
{
	unsigned lowest = 0;

	for (unsigned i = 1; i < q->n_held; i++)
		if (q->held[i]->extent.index < q->held[lowest]->extent.index)
			lowest = i;
	return lowest;
}

/* Writes what is held as far as the turn goes; with wait, at least one. */
static void release(struct sgs_reader *r, struct queue *q, bool wait)
{
	while (q->n_held) {
		unsigned lowest = lowest_held(q);
		struct sgs_slot *slot = q->held[lowest];

		if (!wait && !sgs_output_is_turn(r->output, slot->extent.index))
			return;
		wait = false;
		q->held[lowest] = q->held[--q->n_held];
		sgs_consume(r, slot);
		free_slot(q, slot);
	}
}

/* The command of slot has ended. */
static void finish(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot, uint64_t now)
{
	uint64_t wait = 0;

	if (slot->outcome.fault != SGS_FAULT_NONE)
		r->errors.by_class[slot->outcome.fault]++;
	switch (sgs_policy(&slot->outcome, slot->attempt, r->retries, &wait)) {
	case SGS_ACCEPT:
		sgs_account(r, slot, now - slot->issued);
		if (hold_back(r, q, slot))
			return;
		if (r->consuming)
			sgs_consume(r, slot);
		free_slot(q, slot);
		return;
	case SGS_GIVE_UP:
		sgs_give_up(r, slot);
		free_slot(q, slot);
		return;
	case SGS_RETRY:
		if (sgs_run_stopped()) {
			sgs_give_up(r, slot);
			free_slot(q, slot);
			return;
		}
		r->errors.retried++;
		q->idle[q->n_idle++] = slot;
		if (wait)
			q->hold_until = sgs_now_ns() + wait;
	}
}

static bool has_work(struct sgs_reader *r, struct sgs_slot *slot)
{
	return slot->attempt ||
	       (slot->issued < r->deadline && sgs_schedule_next(r->schedule, &slot->extent));
}

/* Issues all idle slots, or as many as there is work for. Those that stay idle are dropped: the
 * schedule never has more to give later. */
static void refill(struct sgs_reader *r, struct queue *q)
{
	while (q->n_idle && !q->hold_until) {
		struct sgs_slot *slot = q->idle[--q->n_idle];

		slot->issued = sgs_ticks();
		if (!has_work(r, slot))
			continue;
		slot->attempt++;
		if (r->engine->submit(r->lane, slot) == SGS_DONE)
			finish(r, q, slot, sgs_ticks());
		else
			q->in_flight++;
	}
}

static void wait_for_hold(struct queue *q)
{
	uint64_t now = sgs_now_ns();

	if (q->hold_until > now)
		sgs_wait_ns(q->hold_until - now);
	q->hold_until = 0;
}

void sgs_stream_queued(struct sgs_reader *r)
{
	struct queue q = { .n_idle = r->config.slots };
	struct sgs_slot *slot;

	for (unsigned i = 0; i < r->config.slots; i++)
		q.idle[i] = r->lane->slots[r->config.slots - 1 - i];
	r->first_tick = r->last_tick = sgs_ticks();
	for (;;) {
		refill(r, &q);
		if (q.in_flight > r->deepest)
			r->deepest = q.in_flight;
		if (q.in_flight) {
			slot = r->engine->reap(r->lane, true);
			r->last_tick = sgs_ticks();
			while (slot) {
				q.in_flight--;
				finish(r, &q, slot, r->last_tick);
				slot = q.in_flight ? r->engine->reap(r->lane, false) : NULL;
			}
			release(r, &q, false);
		} else if (q.hold_until) {
			wait_for_hold(&q);
		} else if (q.n_held) {
			release(r, &q, true); /* what comes before it is with other readers */
		} else
			break;
	}
}
