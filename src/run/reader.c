/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/reader.h"

#include <time.h>
#include <unistd.h>

#include "run/digest.h"
#include "run/policy.h"
#include "util/clock.h"

/* One writer, many lookers-on: a plain add with a store that cannot tear. */
static inline void bump(uint64_t *counter, uint64_t by)
{
	__atomic_store_n(counter, *counter + by, __ATOMIC_RELAXED);
}

static inline void account(struct sgs_reader *r, const struct sgs_slot *slot, uint64_t ticks)
{
	bump(&r->live.bytes, slot->outcome.bytes);
	bump(&r->live.commands, 1);
	r->transfer[slot->outcome.transfer]++;
	sgs_hist_add(&r->latency, ticks);
}

static void digest(struct sgs_reader *r, const struct sgs_slot *slot)
{
	if (slot->data && slot->outcome.bytes)
		sgs_digest_add(&r->digest, slot->data, slot->outcome.bytes,
			slot->extent.lba * r->config.device->block_bytes);
}

static void wait_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	if (ns)
		nanosleep(&t, NULL);
}

/* Data of a command that came short is still data; the rest of the device is not read. */
static void give_up(struct sgs_reader *r, struct sgs_slot *slot)
{
	r->errors.failed++;
	r->failed = true;
	r->failure = slot->outcome;
	r->failed_extent = slot->extent;
	bump(&r->live.bytes, slot->outcome.bytes);
	if (r->digesting)
		digest(r, slot);
	sgs_schedule_close(r->schedule);
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
			give_up(r, slot);
			return false;
		case SGS_RETRY:
			break;
		}
		r->errors.retried++;
		wait_ns(wait);
		*start = sgs_ticks();
		r->engine->submit(r->lane, slot);
		*end = sgs_ticks();
		if (slot->outcome.fault == SGS_FAULT_NONE)
			return true;
	}
}

/* The hot path. One look at the clock ends a command and starts the next. */
static void stream(struct sgs_reader *r)
{
	struct sgs_slot *slot = r->lane->slots[0];
	uint64_t start = sgs_ticks(), end = start;

	r->first_tick = start;
	while (start < r->deadline && sgs_schedule_next(r->schedule, &slot->extent)) {
		r->engine->submit(r->lane, slot);
		end = sgs_ticks();
		if (slot->outcome.fault != SGS_FAULT_NONE && !settle(r, slot, &start, &end))
			break;
		account(r, slot, end - start);
		start = end;
		if (r->digesting) {
			digest(r, slot);
			start = sgs_ticks();
		}
	}
	r->last_tick = end;
}

void *sgs_reader_main(void *arg)
{
	struct sgs_reader *r = arg;
	uint64_t one = 1;

	r->engine->open(&r->config, &r->lane, &r->problem);
	if (sgs_gate_wait(r->gate))
		stream(r);
	__atomic_store_n(&r->ended, true, __ATOMIC_RELEASE);
	while (write(r->done_fd, &one, sizeof one) < 0)
		;
	return NULL;
}
