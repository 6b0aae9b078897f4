/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader: one thread that takes transfers from its device's schedule and reads them through
 * one lane of an engine. All it counts is its own until it has ended; live may be looked at any
 * time.
 */
#ifndef SGS_RUN_READER_H
#define SGS_RUN_READER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "run/gate.h"
#include "run/output.h"
#include "run/policy.h"
#include "run/salvage.h"
#include "run/schedule.h"
#include "util/cpulist.h"
#include "util/histogram.h"

struct sgs_reader {
	/* Set before the thread starts; read-only afterwards. */
	const struct sgs_engine *engine;
	struct sgs_lane_config config;
	struct sgs_schedule *schedule;
	struct sgs_gate *gate;
	int done_fd;	   /* eventfd told when the reader has ended */
	uint64_t deadline; /* in ticks; set before the gate opens */
	struct sgs_rules rules;
	struct sgs_salvage *salvage; /* of the device */
	bool digest, touch;	     /* the data is looked at */
	struct sgs_output *output;   /* or written; NULL: not */
	struct sgs_pace_state *pace; /* NULL: as fast as it goes */
	bool consuming;		     /* any of these */
	size_t device;		     /* index */
	const struct sgs_cpus *cpus; /* where it runs; NULL: anywhere */
	pthread_t thread;

	/* Set by the reader before it arrives at the gate. */
	struct sgs_lane *lane;
	struct sgs_error problem; /* why the lane did not open */
	int astray;		  /* -errno: it does not run on its CPUs */
	uint64_t ready_waited_ns; /* for the device to become ready */

	/* Written per command. */
	_Alignas(128) struct {
		uint64_t bytes, commands;
		uint64_t answers; /* of commands that were not plain successes */
		unsigned in_flight;
		bool waiting; /* not for the device: for its turn, or to try again */
	} live;
	uint64_t transfer[SGS_TRANSFERS + 1];
	uint64_t first_tick, last_tick; /* equal when it read nothing */
	unsigned deepest;		/* most commands it had in flight */
	struct sgs_errors errors;
	struct sgs_recovery recovery; /* its ns are ticks */
	bool capacity_changed;	      /* the device said so */
	struct sgs_digest data_digest;
	uint64_t minor_faults, major_faults;
	struct sgs_histogram latency; /* of good commands, in ticks */

	/* The command that ended the device, if this reader had it. */
	bool failed;
	struct sgs_extent failed_extent;
	struct sgs_outcome failure;

	bool ended; /* atomic: everything above may be read */
};

/* Thread function; arg is the reader. */
void *sgs_reader_main(void *arg);

#endif
