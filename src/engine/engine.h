/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine is one way to the data: a const table of operations. It opens nodes and moves data,
 * and says what happened to each command; it does not print, sleep, retry or look at options.
 *
 * A lane is what one reader thread holds of an engine; a slot is room for one command in flight
 * and owns its descriptor and buffer.
 */
#ifndef SGS_ENGINE_ENGINE_H
#define SGS_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/device.h>
#include <sgstream/job.h>

#include "scsi/outcome.h"

enum { SGS_MAX_SLOTS = 1024 }; /* in one lane */

struct sgs_extent {
	uint64_t index;	 /* of the transfer in the order of the stream */
	uint64_t lba;	 /* logical blocks of the device */
	uint32_t blocks; /* at least 1 */
};

/* What the reader has been through with an extent since it was first issued. */
struct sgs_tried {
	unsigned times;	    /* tries again that count */
	unsigned waits;	    /* for a device that was busy or becoming ready */
	uint64_t waited_ns; /* in these */
};

struct sgs_slot {
	struct sgs_extent extent;   /* what to read; the reader sets it before submit */
	struct sgs_outcome outcome; /* what came of it; the engine sets it */
	const void *data; /* outcome.bytes of it are good after a command; NULL: no data */
	uint64_t issued;  /* the reader's: when, in ticks */
	unsigned attempt; /* the reader's: how often this extent was issued, 0: none is held */
	struct sgs_tried tried;	 /* the reader's: valid once a command of the extent failed */
	struct sgs_patch *patch; /* the reader's: the extent is being read in parts, or NULL */
};

enum sgs_submitted {
	SGS_DONE,   /* the outcome is in the slot */
	SGS_QUEUED, /* reap() will give the slot back */
};

struct sgs_lane_config {
	const struct sgs_device *device;
	uint32_t bs_bytes; /* largest command */
	enum sgs_cdb cdb;
	unsigned timeout_ms; /* per command */
	unsigned iovecs; /* vectors per read; 0: one plain buffer. Engines with vectored only */
	unsigned slots;	 /* commands in flight in this lane */
	struct sgs_extent trial; /* a first command, so that a limit shows before the clock
				    runs; blocks 0: none */
};

struct sgs_lane {
	struct sgs_slot **slots;	  /* config.slots of them */
	unsigned trials;		  /* READs that open() issued */
	enum sgs_fault_class trial_fault; /* how the last of them ended */
};

struct sgs_engine {
	const char *name;
	const char *summary; /* one line for list --engines */
	enum sgs_node node;  /* SG, BLOCK, or NONE when it opens no node */
	bool vectored;	     /* knows iovecs */
	unsigned max_slots;  /* commands one lane can have in flight; 1: submit() waits */
	enum sgs_transfer transfer; /* what every good command should be */
	bool zero_copy;		    /* and then nothing is copied */
	/* Whether it can run on the device here. 0, or a status with the reason and the remedy.
	 * With 0, a filled why->text is a caveat: "would be copied, because". */
	int (*probe)(const struct sgs_device *device, struct sgs_error *why);
	/* Opens descriptors, maps and buffers, and tries the trial command. A limit in the way
	 * of bs_bytes is named with its value and what raises it. */
	int (*open)(const struct sgs_lane_config *config, struct sgs_lane **lane,
		struct sgs_error *err);
	/* Takes any slot of the lane that is not queued; a command that cannot even be queued
	 * is done, and its outcome says why. */
	enum sgs_submitted (*submit)(struct sgs_lane *lane, struct sgs_slot *slot);
	/* Next finished slot; waits for one when wait is true. NULL: none. Only with max_slots
	 * > 1. */
	struct sgs_slot *(*reap)(struct sgs_lane *lane, bool wait);
	void (*close)(struct sgs_lane *lane); /* NULL lane is fine */
};

/* All engines in the order of the documentation. */
extern const struct sgs_engine *const sgs_engines[];
extern const size_t sgs_engine_count;

/* NULL when there is none of that name. */
const struct sgs_engine *sgs_engine_find(const char *name);

/* sg-mmap for SCSI generic nodes, buffered for block nodes and files. */
const struct sgs_engine *sgs_engine_default(enum sgs_node node);

#endif
