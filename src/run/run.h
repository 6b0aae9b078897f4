/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run under way, shared by the files that start it, watch it and collect its result.
 */
#ifndef SGS_RUN_RUN_H
#define SGS_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/job.h>
#include <sgstream/result.h>

#include "measure/cpu.h"
#include "run/cached.h"
#include "run/gate.h"
#include "run/guard.h"
#include "run/plan.h"
#include "run/reader.h"
#include "run/way.h"
#include "util/clock.h"

/* What the watchdog has seen of a device. */
struct sgs_stall {
	uint64_t answers;
	uint64_t since, next; /* ns of sgs_now_ns(): the last answer; when to speak */
	uint64_t longest;     /* that was spoken of */
};

struct sgs_run {
	const struct sgs_job *job;
	const struct sgs_device *devices;
	size_t n_devices;
	const struct sgs_observer *observer; /* may be NULL */
	struct sgs_plan plan;
	struct sgs_device_plan *device_plans; /* n_devices */
	struct sgs_salvage *salvages;	      /* n_devices */
	struct sgs_stall *stalls;	      /* n_devices */
	uint64_t next_look;		      /* of the watchdog, ns of sgs_now_ns() */
	struct sgs_reader **readers;	      /* device by device, plan.threads each */
	size_t n_readers;
	struct sgs_gate gate;
	struct sgs_output output; /* when job->output_fd is one */
	struct sgs_guard guard;	  /* of the host's settings */
	struct sgs_device
		*own_devices; /* instead of the caller's, after a setting changed limits */
	struct sgs_cached cached;
	struct sgs_way way;
	int event_fd;
	struct sgs_moment begin, end;
	struct sgs_cpu_mark cpu_begin, cpu_end;
	uint64_t last_interval_ns, last_interval_bytes, last_interval_commands;
	uint64_t *last_device_bytes; /* at the last interval; NULL with one device */
	bool abandoned;		     /* a command never came back: its reader is left behind */
};

/* aftermath.c: what a device had to say beside its figures. */
void sgs_run_aftermath(const struct sgs_run *run, size_t device, struct sgs_result *result);

/* watch.c: waits for the readers, keeps intervals, answers sgs_stop() and sgs_poke(). */
void sgs_run_watch(struct sgs_run *run, struct sgs_result *result);

/* The same watchdog while the readers open their lanes: call it often. */
void sgs_run_watch_start(struct sgs_run *run);

/* Whether the device has left, and the engine need not meet an error. */
bool sgs_run_left_unseen(const struct sgs_run *run, size_t device);

/* Whether a stopped run has waited long enough for what is in flight. */
bool sgs_run_drained(void);

/* The signal that asked the run to stop, or 0. */
int sgs_run_stopped(void);

/* Where readers, sgs_stop() and sgs_poke() knock: one for the life of the process, so that none
 * of them can meet a descriptor that has become another's. -errno when there is none to be had.
 */
int sgs_run_event_fd(void);

/* What is asked of a device; UINT64_MAX when only time ends it. */
uint64_t sgs_run_goal(const struct sgs_run *run, size_t device);

/* collect.c: figures of every device and of all, from readers that have ended. */
void sgs_run_collect(const struct sgs_run *run, struct sgs_result *result);

/* straggler.c: names the device that is far behind the others. */
void sgs_run_straggler(struct sgs_result *result);
/* The same of a histogram in nanoseconds. */
void sgs_run_fill_latency(const struct sgs_histogram *h, struct sgs_latency *out);

/* warn.c: what a reader of the result should know before trusting it. */
void sgs_run_warn(const struct sgs_run *run, struct sgs_result *result);

#endif
