/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

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
	struct sgs_slot *parked[SGS_MAX_SLOTS]; /* failed for good, to be read in parts */
	unsigned n_parked;
	struct sgs_slot *patched; /* the one whose parts are being read, or NULL */
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

/* Good data goes where it is wanted, now or in its turn. */
static void deliver(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot)
{
	if (hold_back(r, q, slot))
		return;
	if (r->consuming || slot->patch)
		sgs_consume(r, slot);
	free_slot(q, slot);
}

static void hold(struct queue *q, uint64_t wait)
{
	if (wait)
		q->hold_until = sgs_now_ns() + wait;
}

static void retry(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot, uint64_t wait)
{
	r->errors.retried++;
	q->idle[q->n_idle++] = slot;
	hold(q, wait);
}

static enum sgs_action judge(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *wait)
{
	enum sgs_action action;

	if (slot->attempt == 1)
		slot->tried = (struct sgs_tried){ 0 };
	action = sgs_judge(r, slot, wait);
	return action == SGS_RETRY && sgs_run_stopped() ? SGS_GIVE_UP : action;
}

/* The turn to work on a patch ends. */
static void leave_patch(struct sgs_reader *r, struct queue *q)
{
	q->patched = NULL;
	pthread_mutex_unlock(&r->salvage->turn);
}

/* The device has ended before all parts were read. */
static void abandon(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot)
{
	sgs_abandon_patch(r, slot);
	leave_patch(r, q);
	free_slot(q, slot);
}

/* The patch goes on with its next part, or has ended. */
static void next_part(struct sgs_reader *r, struct queue *q)
{
	struct sgs_slot *slot = q->patched;
	bool more = sgs_patch_next(r, slot);

	if (r->salvage->over || (more && sgs_out_of_time(r))) {
		abandon(r, q, slot);
	} else if (more) {
		slot->attempt = 1;
		q->idle[q->n_idle++] = slot;
	} else {
		sgs_patch_end(r, slot);
		leave_patch(r, q);
		deliver(r, q, slot);
	}
}

/* A part of the patch was read, or failed for good. */
static void take_part(struct sgs_reader *r, struct queue *q)
{
	uint64_t wait;

	sgs_patch_take(r, q->patched, &wait);
	hold(q, wait);
	next_part(r, q);
}

static void give_up(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot)
{
	sgs_give_up(r, slot);
	if (slot == q->patched)
		leave_patch(r, q);
	free_slot(q, slot);
}

/* The first of those that wait takes its turn, unless another reader has it. With wait, it is
 * waited for. */
static void start_patch(struct sgs_reader *r, struct queue *q, bool wait)
{
	struct sgs_slot *slot;

	if (wait)
		pthread_mutex_lock(&r->salvage->turn);
	else if (pthread_mutex_trylock(&r->salvage->turn))
		return;
	slot = q->patched = q->parked[0];
	memmove(q->parked, q->parked + 1, --q->n_parked * sizeof *q->parked);
	if (!r->salvage->over && !sgs_run_stopped() && sgs_patch_begin(r, slot)) {
		next_part(r, q);
		return;
	}
	r->salvage->over |= !sgs_run_stopped();
	sgs_end_device(r, slot);
	leave_patch(r, q);
	free_slot(q, slot);
}

/* The command of slot has ended. */
static void finish(struct sgs_reader *r, struct queue *q, struct sgs_slot *slot, uint64_t now)
{
	enum sgs_action action = SGS_ACCEPT;
	uint64_t wait = 0;

	if (slot->outcome.fault != SGS_FAULT_NONE)
		action = judge(r, slot, &wait);
	if (action == SGS_RETRY) {
		retry(r, q, slot, wait);
	} else if (action == SGS_GIVE_UP) {
		give_up(r, q, slot);
	} else if (slot == q->patched) {
		take_part(r, q);
	} else if (action == SGS_SPLIT) {
		q->parked[q->n_parked++] = slot;
	} else {
		sgs_account(r, slot, now - slot->issued);
		deliver(r, q, slot);
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

static void wait_for_hold(struct sgs_reader *r, struct queue *q)
{
	uint64_t now = sgs_now_ns();

	if (q->hold_until > now)
		sgs_reader_wait(r, q->hold_until - now);
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
		if (q.n_parked && !q.patched)
			start_patch(r, &q, false);
		refill(r, &q);
		if (q.in_flight > r->deepest)
			r->deepest = q.in_flight;
		sgs_reader_owes(r, q.in_flight);
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
			wait_for_hold(r, &q);
		} else if (q.n_parked && !q.patched) {
			start_patch(r, &q, true);
		} else if (q.n_held) {
			release(r, &q, true); /* what comes before it is with other readers */
		} else
			break;
	}
}
