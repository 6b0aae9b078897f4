/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stream.h"

#include <time.h>

#include "run/digest.h"
#include "run/policy.h"
#include "run/run.h"
#include "util/clock.h"

enum { CACHE_LINE = 64 };

static void touch(const volatile uint8_t *data, uint32_t len)
{
	for (uint32_t at = 0; at < len; at += CACHE_LINE)
		(void)data[at];
}

static void look_at(struct sgs_reader *r, const struct sgs_slot *slot)
{
	if (!slot->data || !slot->outcome.bytes)
		return;
	if (r->digest)
		sgs_digest_add(&r->data_digest, slot->data, slot->outcome.bytes,
			slot->extent.lba * r->config.device->block_bytes);
	if (r->touch)
		touch(slot->data, slot->outcome.bytes);
}

void sgs_consume(struct sgs_reader *r, const struct sgs_slot *slot)
{
	look_at(r, slot);
	if (r->output &&
		!sgs_output_put(r->output, slot->extent.index, slot->data, slot->outcome.bytes))
		sgs_schedule_close(r->schedule);
}

void sgs_wait_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	if (ns)
		nanosleep(&t, NULL);
}

void sgs_give_up(struct sgs_reader *r, const struct sgs_slot *slot)
{
	r->errors.failed++;
	if (!r->failed) {
		r->failed = true;
		r->failure = slot->outcome;
		r->failed_extent = slot->extent;
	}
	sgs_bump(&r->live.bytes, slot->outcome.bytes);
	sgs_schedule_close(r->schedule);
	look_at(r, slot);
	if (r->output)
		sgs_output_end(r->output, slot->extent.index);
}

/* The outcome was not plain success. True when the command is good in the end; *start is then
 * when the good attempt was issued. */
static bool settle(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *start, uint64_t *end)
{
	uint64_t wait;

	for (unsigned attempt = 1;; attempt++) {
		r->errors.by_class[slot->outcome.fault]++;
		switch (sgs_policy(&slot->outcome, attempt, r->retries, &wait)) {
		case SGS_ACCEPT:
			return true;
		case SGS_GIVE_UP:
			sgs_give_up(r, slot);
			return false;
		case SGS_RETRY:
			break;
		}
		sgs_wait_ns(wait);
		if (sgs_run_stopped()) {
			sgs_give_up(r, slot);
			return false;
		}
		r->errors.retried++;
		*start = sgs_ticks();
		r->engine->submit(r->lane, slot);
		*end = sgs_ticks();
		if (slot->outcome.fault == SGS_FAULT_NONE)
			return true;
	}
}

/* One look at the clock ends a command and starts the next. */
void sgs_stream(struct sgs_reader *r)
{
	struct sgs_slot *slot = r->lane->slots[0];
	uint64_t start = sgs_ticks(), end = start;

	r->first_tick = start;
	r->deepest = 1;
	__atomic_store_n(&r->live.commands, 0, __ATOMIC_RELEASE);
	while (start < r->deadline && sgs_schedule_next(r->schedule, &slot->extent)) {
		r->engine->submit(r->lane, slot);
		end = sgs_ticks();
		if (slot->outcome.fault != SGS_FAULT_NONE && !settle(r, slot, &start, &end))
			break;
		sgs_account(r, slot, end - start);
		start = end;
		if (r->consuming) {
			sgs_consume(r, slot);
			start = sgs_ticks();
		}
	}
	r->last_tick = end;
}
