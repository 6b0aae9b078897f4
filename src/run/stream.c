/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stream.h"

#include <time.h>

#include "run/digest.h"
#include "run/policy.h"
#include "run/refine.h"
#include "run/run.h"
#include "util/clock.h"

enum { CACHE_LINE = 64 };

static void touch(const volatile uint8_t *data, uint32_t len)
{
	for (uint32_t at = 0; at < len; at += CACHE_LINE)
		(void)data[at];
}

void sgs_look_at(struct sgs_reader *r, const void *data, uint32_t len, uint64_t offset)
{
	if (r->digest)
		sgs_digest_add(&r->data_digest, data, len, offset);
	if (r->touch)
		touch(data, len);
}

static void look_at_slot(struct sgs_reader *r, const struct sgs_slot *slot)
{
	if (slot->data && slot->outcome.bytes)
		sgs_look_at(r, slot->data, slot->outcome.bytes,
			slot->extent.lba * r->config.device->block_bytes);
}

static void set_waiting(struct sgs_reader *r, bool waiting)
{
	__atomic_store_n(&r->live.waiting, waiting, __ATOMIC_RELAXED);
}

void sgs_put_out(struct sgs_reader *r, uint64_t index, const void *data, size_t len)
{
	set_waiting(r, true);
	if (!sgs_output_put(r->output, index, data, len))
		sgs_schedule_close(r->schedule);
	set_waiting(r, false);
}

void sgs_consume(struct sgs_reader *r, struct sgs_slot *slot)
{
	if (slot->patch) {
		sgs_patch_consume(r, slot, true);
		return;
	}
	look_at_slot(r, slot);
	if (r->output)
		sgs_put_out(r, slot->extent.index, slot->data, slot->outcome.bytes);
}

void sgs_wait_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	if (ns)
		nanosleep(&t, NULL);
}

void sgs_reader_wait(struct sgs_reader *r, uint64_t ns)
{
	if (!ns)
		return;
	set_waiting(r, true);
	sgs_wait_ns(ns);
	set_waiting(r, false);
}

void sgs_end_device(struct sgs_reader *r, const struct sgs_slot *slot)
{
	sgs_schedule_close(r->schedule);
	if (r->output)
		sgs_output_end(r->output, slot->extent.index);
}

static void note_failure(struct sgs_reader *r, const struct sgs_slot *slot)
{
	r->errors.failed++;
	if (r->failed)
		return;
	r->failed = true;
	r->failure = slot->outcome;
	r->failed_extent = slot->extent;
}

void sgs_give_up(struct sgs_reader *r, struct sgs_slot *slot)
{
	note_failure(r, slot);
	if (slot->patch) {
		sgs_abandon_patch(r, slot);
		return;
	}
	sgs_bump(&r->live.bytes, slot->outcome.bytes);
	sgs_end_device(r, slot);
	look_at_slot(r, slot);
}

void sgs_abandon_patch(struct sgs_reader *r, struct sgs_slot *slot)
{
	sgs_patch_end(r, slot);
	sgs_end_device(r, slot);
	sgs_patch_consume(r, slot, false);
}

enum sgs_action sgs_judge(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *wait_ns)
{
	sgs_bump(&r->live.answers, 1);
	sgs_refine(r, slot);
	r->errors.by_class[slot->outcome.fault]++;
	return sgs_policy(&slot->outcome, &r->rules, &slot->tried, wait_ns);
}

bool sgs_out_of_time(const struct sgs_reader *r)
{
	return sgs_run_stopped() || sgs_ticks() >= r->deadline;
}

/* The outcome was not plain success: tries on until the policy has decided. *start is then when
 * the last attempt was issued. */
static enum sgs_action settle(
	struct sgs_reader *r, struct sgs_slot *slot, uint64_t *start, uint64_t *end)
{
	enum sgs_action action;
	uint64_t wait;

	for (;;) {
		action = sgs_judge(r, slot, &wait);
		if (action != SGS_RETRY)
			return action;
		sgs_reader_wait(r, wait);
		if (sgs_run_stopped())
			return SGS_GIVE_UP;
		r->errors.retried++;
		*start = sgs_ticks();
		r->engine->submit(r->lane, slot);
		*end = sgs_ticks();
		if (slot->outcome.fault == SGS_FAULT_NONE)
			return SGS_ACCEPT;
	}
}

/* Reads the parts of a patch, one after the other. False when the device has to be given up. */
static bool read_parts(struct sgs_reader *r, struct sgs_slot *slot)
{
	uint64_t start, end, wait;

	while (sgs_patch_next(r, slot)) {
		if (sgs_out_of_time(r)) {
			sgs_abandon_patch(r, slot);
			return false;
		}
		r->engine->submit(r->lane, slot);
		if (slot->outcome.fault != SGS_FAULT_NONE &&
			settle(r, slot, &start, &end) == SGS_GIVE_UP) {
			sgs_give_up(r, slot);
			return false;
		}
		if (!sgs_patch_take(r, slot, &wait))
			break;
		sgs_reader_wait(r, wait);
	}
	if (r->salvage->over) {
		sgs_abandon_patch(r, slot);
		return false;
	}
	sgs_patch_end(r, slot);
	return true;
}

/* The transfer failed for good, and the rest is wanted. */
static bool salvage(struct sgs_reader *r, struct sgs_slot *slot)
{
	bool done = false;

	set_waiting(r, true);
	pthread_mutex_lock(&r->salvage->turn);
	set_waiting(r, false);
	if (!r->salvage->over && sgs_patch_begin(r, slot))
		done = read_parts(r, slot);
	else
		r->salvage->over = true;
	pthread_mutex_unlock(&r->salvage->turn);
	if (done)
		sgs_consume(r, slot);
	else
		sgs_end_device(r, slot);
	return done;
}

/* What to do about a transfer whose first attempt was no plain success. After a split the clock
 * begins anew: what it took is not the next command's time. */
static enum sgs_action meet(
	struct sgs_reader *r, struct sgs_slot *slot, uint64_t *start, uint64_t *end)
{
	enum sgs_action action;

	slot->tried = (struct sgs_tried){ 0 };
	action = settle(r, slot, start, end);
	if (action == SGS_GIVE_UP)
		sgs_give_up(r, slot);
	if (action != SGS_SPLIT)
		return action;
	action = salvage(r, slot) ? SGS_SPLIT : SGS_GIVE_UP;
	*start = *end = sgs_ticks();
	return action;
}

/* One look at the clock ends a command and starts the next. */
void sgs_stream(struct sgs_reader *r)
{
	struct sgs_slot *slot = r->lane->slots[0];
	uint64_t start = sgs_ticks(), end = start;

	r->first_tick = start;
	r->deepest = 1;
	sgs_reader_owes(r, 1);
	__atomic_store_n(&r->live.commands, 0, __ATOMIC_RELEASE);
	while (start < r->deadline && sgs_schedule_next(r->schedule, &slot->extent)) {
		r->engine->submit(r->lane, slot);
		end = sgs_ticks();
		if (slot->outcome.fault != SGS_FAULT_NONE) {
			switch (meet(r, slot, &start, &end)) {
			case SGS_ACCEPT:
				break;
			case SGS_SPLIT:
				continue;
			default:
				goto out;
			}
		}
		sgs_account(r, slot, end - start);
		start = end;
		if (r->consuming) {
			sgs_consume(r, slot);
			start = sgs_ticks();
		}
	}
out:
	r->last_tick = end;
}
