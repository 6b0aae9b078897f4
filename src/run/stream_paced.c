/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>

#include "run/pace.h"
#include "run/policy.h"
#include "run/run.h"
#include "run/stream.h"
#include "util/clock.h"

#define NAP_NS 50000000u /* so that a stop is heard */

static void sleep_until(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* False: the stream ends before that frame is due, or has no time left for it. */
static bool wait_for(const struct sgs_pace_state *p, uint64_t due)
{
	for (;;) {
		uint64_t now = sgs_now_ns();

		if (sgs_run_stopped() || due >= p->end_ns || now >= p->end_ns)
			return false;
		if (now >= due)
			return true;
		sleep_until(due - now < NAP_NS ? due : now + NAP_NS);
	}
}

/* One try. Returns how long it took, in ticks. Between commands the device owes nothing. */
static uint64_t issue(struct sgs_reader *r, struct sgs_slot *slot)
{
	uint64_t start = sgs_ticks();

	sgs_reader_owes(r, 1);
	if (r->engine->submit(r->lane, slot) == SGS_QUEUED)
		r->engine->reap(r->lane, true);
	r->last_tick = sgs_ticks();
	sgs_reader_owes(r, 0);
	return r->last_tick - start;
}

static enum sgs_action try_command(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *wait)
{
	uint64_t ticks = issue(r, slot);
	enum sgs_action action =
		slot->outcome.fault == SGS_FAULT_NONE ? SGS_ACCEPT : sgs_judge(r, slot, wait);

	if (action == SGS_ACCEPT)
		sgs_account(r, slot, ticks);
	return action;
}

/* False: it failed for good. */
static bool read_command(struct sgs_reader *r, struct sgs_slot *slot)
{
	enum sgs_action action;
	uint64_t wait = 0;

	slot->tried = (struct sgs_tried){ 0 };
	while ((action = try_command(r, slot, &wait)) == SGS_RETRY) {
		sgs_reader_wait(r, wait);
		if (sgs_run_stopped())
			break;
		r->errors.retried++;
	}
	if (action != SGS_ACCEPT)
		sgs_give_up(r, slot);
	else if (r->consuming)
		sgs_consume(r, slot);
	return action == SGS_ACCEPT;
}

static bool read_frame(struct sgs_reader *r, const struct sgs_extent *frame)
{
	struct sgs_slot *slot = r->lane->slots[0];
	uint32_t most = r->pace->bs_blocks;

	for (uint32_t done = 0; done < frame->blocks; done += slot->extent.blocks) {
		uint32_t left = frame->blocks - done;

		slot->extent = (struct sgs_extent){ .index = frame->index,
			.lba = frame->lba + done,
			.blocks = left < most ? left : most };
		if (!read_command(r, slot))
			return false;
	}
	return true;
}

static void count_frame(struct sgs_pace_state *p, uint64_t ns)
{
	p->frames++;
	p->late += ns > p->deadline_ns;
	sgs_hist_add(&p->time, ns);
}

/* Frames that were due before the end and were not read */
static uint64_t count_unread(const struct sgs_pace_state *p, uint64_t read)
{
	uint64_t now = sgs_now_ns(), end = now < p->end_ns ? now : p->end_ns;
	uint64_t due;

	if (end < p->begin_ns)
		return 0;
	due = (end - p->begin_ns + p->period_ns - 1) / p->period_ns;
	return due > read ? due - read : 0;
}

void sgs_stream_paced(struct sgs_reader *r)
{
	struct sgs_pace_state *p = r->pace;
	struct sgs_extent frame;
	uint64_t due = p->begin_ns;

	bool goes_on = wait_for(p, due);

	r->first_tick = r->last_tick = sgs_ticks();
	r->deepest = 1;
	for (; goes_on; goes_on = wait_for(p, due += p->period_ns)) {
		if (!sgs_schedule_next(r->schedule, &frame) || !read_frame(r, &frame))
			return;
		count_frame(p, sgs_now_ns() - due);
	}
	p->unread = count_unread(p, p->frames);
}
