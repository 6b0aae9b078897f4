/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "run/refine.h"
#include "run/run.h"

#define DRAIN_NS 10000000000u /* how long a stopped run waits for commands in flight */
#define LOOK_NS	 1000000000u  /* how often the watchdog looks */
#define STALL_NS 5000000000u  /* no answer for so long is worth a line; then twice that, ... */

static int stop_signal, poked, event_fd = -1; /* atomic */

static void knock(void)
{
	int fd = __atomic_load_n(&event_fd, __ATOMIC_ACQUIRE);
	uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof one) < 0)
		return; /* only when the counter is full, and then it is awake */
}

void sgs_stop(int signum)
{
	__atomic_store_n(&stop_signal, signum, __ATOMIC_RELEASE);
	knock();
}

void sgs_poke(void)
{
	__atomic_store_n(&poked, 1, __ATOMIC_RELEASE);
	knock();
}

int sgs_run_stopped(void)
{
	return __atomic_load_n(&stop_signal, __ATOMIC_ACQUIRE);
}

/* The first call after a stop begins the wait. */
bool sgs_run_drained(void)
{
	static uint64_t since;

	if (!sgs_run_stopped())
		return false;
	if (!since)
		since = sgs_now_ns();
	return sgs_now_ns() - since >= DRAIN_NS;
}

int sgs_run_event_fd(void)
{
	int fd = __atomic_load_n(&event_fd, __ATOMIC_ACQUIRE);

	if (fd >= 0)
		return fd;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	__atomic_store_n(&event_fd, fd, __ATOMIC_RELEASE);
	return fd;
}

static bool all_ended(const struct sgs_run *run)
{
	for (size_t i = 0; i < run->n_readers; i++)
		if (!__atomic_load_n(&run->readers[i]->ended, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

static uint64_t goal_bytes(const struct sgs_run *run)
{
	uint64_t goal = 0;

	for (size_t i = 0; i < run->n_devices; i++) {
		uint64_t bytes = sgs_run_goal(run, i);

		if (bytes == UINT64_MAX || __builtin_add_overflow(goal, bytes, &goal))
			return 0;
	}
	return goal;
}

static struct sgs_progress look(const struct sgs_run *run)
{
	struct sgs_progress p = { .goal_bytes = goal_bytes(run),
		.runtime_ns = run->job->runtime_ns };

	for (size_t i = 0; i < run->n_readers; i++) {
		p.bytes += __atomic_load_n(&run->readers[i]->live.bytes, __ATOMIC_RELAXED);
		p.commands +=
			__atomic_load_n(&run->readers[i]->live.commands, __ATOMIC_RELAXED);
	}
	p.at_ns = sgs_now_ns() - run->begin.ns;
	p.span_ns = p.at_ns - run->last_interval_ns;
	p.span_bytes = p.bytes - run->last_interval_bytes;
	return p;
}

static void show(const struct sgs_run *run, const struct sgs_progress *p)
{
	if (run->observer && run->observer->progress)
		run->observer->progress(p, run->observer->arg);
}

static uint64_t device_bytes(const struct sgs_run *run, size_t device)
{
	struct sgs_reader *const *readers = run->readers + device * run->plan.threads;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < run->plan.threads; i++)
		bytes += __atomic_load_n(&readers[i]->live.bytes, __ATOMIC_RELAXED);
	return bytes;
}

/* The row of each device's bytes in the interval that is kept next. */
static void keep_device_bytes(struct sgs_run *run, struct sgs_run_result *out)
{
	uint64_t *row = out->interval_bytes + out->n_intervals * run->n_devices;

	for (size_t i = 0; i < run->n_devices; i++) {
		uint64_t bytes = device_bytes(run, i);

		row[i] = bytes - run->last_device_bytes[i];
		run->last_device_bytes[i] = bytes;
	}
}

/* Room for one more; the arrays grow at the powers of two of their length. */
static bool room_for_interval(struct sgs_run *run, struct sgs_run_result *out)
{
	size_t n = out->n_intervals, room = n ? 2 * n : 1, devices = run->n_devices;
	struct sgs_interval *grown;
	uint64_t *rows;

	if (n & (n - 1))
		return true;
	grown = reallocarray(out->intervals, room, sizeof *grown);
	if (!grown)
		return false;
	out->intervals = grown;
	if (devices < 2)
		return true;
	if (!run->last_device_bytes)
		run->last_device_bytes = calloc(devices, sizeof *rows);
	rows = reallocarray(out->interval_bytes, room * devices, sizeof *rows);
	if (rows)
		out->interval_bytes = rows;
	return rows && run->last_device_bytes;
}

static void keep_interval(
	struct sgs_run *run, struct sgs_run_result *out, const struct sgs_progress *p)
{
	if (room_for_interval(run, out)) {
		if (run->n_devices > 1)
			keep_device_bytes(run, out);
		out->intervals[out->n_intervals++] = (struct sgs_interval){
			.at_ns = p->at_ns,
			.span_ns = p->span_ns,
			.bytes = p->span_bytes,
			.commands = p->commands - run->last_interval_commands,
		};
	}
	run->last_interval_ns = p->at_ns;
	run->last_interval_bytes = p->bytes;
	run->last_interval_commands = p->commands;
}

static void close_device(struct sgs_run *run, size_t device)
{
	for (unsigned i = 0; i < run->plan.threads; i++)
		sgs_schedule_close(run->readers[device * run->plan.threads + i]->schedule);
}

static void close_all(struct sgs_run *run)
{
	for (size_t i = 0; i < run->n_devices; i++)
		close_device(run, i);
}

/* Sleeps until a reader ends, somebody knocks, or the moment comes (ns of sgs_now_ns(), 0
 * never). */
static void sleep_until(int fd, uint64_t moment)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = moment ? sgs_now_ns() : 0, ms = 0, count;

	if (moment > now)
		ms = (moment - now + 999999) / 1000000;
	if (poll(&p, 1, moment ? (int)(ms < 60000 ? ms : 60000) : -1) > 0 &&
		read(fd, &count, sizeof count) < 0)
		return; /* somebody else took it */
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

/* Answers of a device so far, and the commands that it owes. */
static uint64_t answers_of(const struct sgs_run *run, size_t device, unsigned *owed)
{
	uint64_t answers = 0;

	*owed = 0;
	for (unsigned i = 0; i < run->plan.threads; i++) {
		const struct sgs_reader *r = run->readers[device * run->plan.threads + i];

		if (__atomic_load_n(&r->ended, __ATOMIC_ACQUIRE))
			continue;
		answers += __atomic_load_n(&r->live.commands, __ATOMIC_RELAXED) +
			   __atomic_load_n(&r->live.answers, __ATOMIC_RELAXED) +
			   __atomic_load_n(&r->live.bytes, __ATOMIC_RELAXED);
		if (!__atomic_load_n(&r->live.waiting, __ATOMIC_RELAXED))
			*owed += __atomic_load_n(&r->live.in_flight, __ATOMIC_RELAXED);
	}
	return answers;
}

static void look_after(struct sgs_run *run, size_t device, uint64_t now)
{
	struct sgs_stall *stall = &run->stalls[device];
	unsigned owed;
	uint64_t answers = answers_of(run, device, &owed);

	if (answers != stall->answers || !owed || !stall->since) {
		*stall = (struct sgs_stall){ answers, now, now + STALL_NS, stall->longest };
		return;
	}
	if (now < stall->next)
		return;
	stall->next = now + (now - stall->since);
	stall->longest = now - stall->since;
	if (run->observer && run->observer->stalled)
		run->observer->stalled(run->devices[device].path, owed, now - stall->since,
			run->observer->arg);
}

/* What is in memory is given on after the device has left, without an error. */
bool sgs_run_left_unseen(const struct sgs_run *run, size_t device)
{
	return run->plan.engine->transfer == SGS_CACHED && sgs_has_left(&run->devices[device]);
}

static void watch_over(struct sgs_run *run)
{
	uint64_t now = sgs_now_ns();

	if (now < run->next_look)
		return;
	for (size_t i = 0; i < run->n_devices; i++) {
		look_after(run, i, now);
		if (sgs_run_left_unseen(run, i))
			close_device(run, i);
	}
	run->next_look = now + LOOK_NS;
}

void sgs_run_watch_start(struct sgs_run *run)
{
	watch_over(run);
}

void sgs_run_watch(struct sgs_run *run, struct sgs_result *result)
{
	uint64_t every = run->job->interval_ns;
	uint64_t next = every ? run->begin.ns + every : 0, drained_by = 0;

	while (!all_ended(run)) {
		if (!drained_by && sgs_run_stopped()) {
			close_all(run);
			drained_by = sgs_now_ns() + DRAIN_NS;
		}
		if (drained_by && sgs_now_ns() >= drained_by) {
			run->abandoned = true;
			break;
		}
		watch_over(run);
		sleep_until(run->event_fd, sooner(sooner(next, drained_by), run->next_look));
		if (__atomic_exchange_n(&poked, 0, __ATOMIC_ACQ_REL)) {
			struct sgs_progress p = look(run);

			show(run, &p);
		}
		if (next && sgs_now_ns() >= next && !all_ended(run)) {
			struct sgs_progress p = look(run);

			show(run, &p);
			keep_interval(run, &result->run, &p);
			next += every;
			if (next < sgs_now_ns()) /* it stood still: no burst of empty ones */
				next = sgs_now_ns() + every;
		}
	}
	if (every) { /* the rest, so that the intervals add up to the total */
		struct sgs_progress p = look(run);

		if (p.commands > run->last_interval_commands ||
			p.bytes > run->last_interval_bytes)
			keep_interval(run, &result->run, &p);
	}
}
