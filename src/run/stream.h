/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops of a reader: one command after the other, or many in flight. What both do with a
 * command that has ended is here.
 */
#ifndef SGS_RUN_STREAM_H
#define SGS_RUN_STREAM_H

#include "run/reader.h"

/* The hot path of engines that wait in submit(). */
void sgs_stream(struct sgs_reader *r);

/* For engines that queue: every slot of the lane in flight. */
void sgs_stream_queued(struct sgs_reader *r);

/* One writer, many lookers-on: a plain add with a store that cannot tear. */
static inline void sgs_bump(uint64_t *counter, uint64_t by)
{
	__atomic_store_n(counter, *counter + by, __ATOMIC_RELAXED);
}

/* For the watchdog: commands that the device has. */
static inline void sgs_reader_owes(struct sgs_reader *r, unsigned n)
{
	__atomic_store_n(&r->live.in_flight, n, __ATOMIC_RELAXED);
}

/* A good command that took ticks. */
static inline void sgs_account(
	struct sgs_reader *r, const struct sgs_slot *slot, uint64_t ticks)
{
	r->transfer[slot->outcome.transfer]++;
	sgs_hist_add(&r->latency, ticks);
	sgs_bump(&r->live.bytes, slot->outcome.bytes);
	/* Last, and a release: what is above can be looked at when the reader is left
	 * behind. */
	__atomic_store_n(&r->live.commands, r->live.commands + 1, __ATOMIC_RELEASE);
}

/* What the job wants done with the data of a good command; outside of its latency. With an
 * output it waits for the transfer's turn. */
void sgs_consume(struct sgs_reader *r, struct sgs_slot *slot);

/* The parts of that: digest and touch, and the output. */
void sgs_look_at(struct sgs_reader *r, const void *data, uint32_t len, uint64_t offset);
void sgs_put_out(struct sgs_reader *r, uint64_t index, const void *data, size_t len);

/* Counts an outcome that is no plain success, finds out more where that can be, and asks the
 * policy. */
enum sgs_action sgs_judge(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *wait_ns);

/* Nothing more is asked of the device, nothing written from this transfer on. */
void sgs_end_device(struct sgs_reader *r, const struct sgs_slot *slot);

/* A command that failed for good ends its device. What part of it arrived still counts. */
void sgs_give_up(struct sgs_reader *r, struct sgs_slot *slot);

/* The parts that are left are not read, and the device ends. */
void sgs_abandon_patch(struct sgs_reader *r, struct sgs_slot *slot);

/* A signal or the end of --runtime: nothing new is issued. */
bool sgs_out_of_time(const struct sgs_reader *r);

void sgs_wait_ns(uint64_t ns);

/* The same, and the watchdog knows that it is no device that is waited for. */
void sgs_reader_wait(struct sgs_reader *r, uint64_t ns);

#endif
