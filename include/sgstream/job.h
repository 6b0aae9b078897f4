/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job: what to read, how, and for how long. sgs_run() executes it.
 */
#ifndef SGSTREAM_JOB_H
#define SGSTREAM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/device.h>
#include <sgstream/error.h>
#include <sgstream/result.h>

/* READ CDB length; AUTO is READ(10) unless the last LBA or the count needs READ(16). */
enum sgs_cdb {
	SGS_CDB_AUTO = 0,
	SGS_CDB_6 = 6,
	SGS_CDB_10 = 10,
	SGS_CDB_12 = 12,
	SGS_CDB_16 = 16
};

/* In which order a device's transfers come. */
enum sgs_pattern {
	SGS_SEQ,      /* one after the other, whichever reader is free takes the next */
	SGS_SEGMENTS, /* each reader has its own share of the range, and reads that in order */
	SGS_RANDOM,   /* shuffled by a seed: each transfer of the range once in each pass */
};

/* "seq" */
const char *sgs_pattern_name(enum sgs_pattern pattern);

/* What to do with devices that are paths to one logical unit. */
enum sgs_paths {
	SGS_PATHS_UNSAID, /* each is read, with a warning */
	SGS_PATHS_MERGE,  /* the unit is read once, over all of them from one cursor */
	SGS_PATHS_EACH,	  /* each is read */
};

/* "merge", "each" or NULL */
const char *sgs_paths_name(enum sgs_paths paths);

/* A size as the user may give it: in bytes, or in logical blocks of each device. */
struct sgs_size {
	uint64_t value;
	bool in_blocks;
};

/* A setting in the unit of the kernel's file. */
struct sgs_kib {
	bool given;
	uint64_t kib;
};

/* Settings of the host for the time of a run: made before anything is opened, put back at its
 * end, whatever that end is. All zero: nothing is touched. */
struct sgs_host_settings {
	struct sgs_kib read_ahead;   /* of the block node, 0 is none */
	struct sgs_kib max_transfer; /* max_sectors_kb: caps sg's reserve buffer, too */
	const char *scheduler;	     /* NULL: as it is */
	bool allow_dio;		     /* sg may do direct I/O */
};

/* A place on the device, in per cent of its capacity. It begins there, or where it just ends at
 * the capacity; it is job.size or job.count long, else a hundredth of the capacity. */
struct sgs_zone {
	bool given;
	unsigned percent;
};

/* Reading at a pace, as players do: streams that each read a frame every so often. */
struct sgs_pace {
	uint64_t rate;	       /* bytes per second of each stream; 0: as fast as it goes */
	struct sgs_size frame; /* read at once; 0: one command */
	unsigned streams;      /* over all devices; 0: one on each */
	uint64_t deadline_ns;  /* for a frame, from when it is due; 0: until the next is, and
				  late ones are no failure */
};

struct sgs_job {
	const char *engine;	/* name, or NULL: by the first device's node */
	struct sgs_size bs;	/* per command */
	struct sgs_size offset; /* first byte */
	struct sgs_zone zone;	/* takes the place of offset */
	uint64_t count;		/* transfers per device, 0 no limit */
	struct sgs_size size;	/* per device, 0 no limit */
	uint64_t runtime_ns;	/* 0 no limit */
	bool loop;		/* start again at the end of the range */
	enum sgs_pattern pattern;
	enum sgs_paths paths;
	uint64_t seed;	      /* of SGS_RANDOM; 0: one is picked */
	unsigned threads;     /* reader threads per device, 0: as the depth asks */
	unsigned queue_depth; /* commands in flight per device, 0: as many as threads */
	struct sgs_pace pace;
	enum sgs_cdb cdb;
	uint64_t timeout_ns;	   /* per command */
	unsigned retries;	   /* per command */
	uint64_t ready_timeout_ns; /* for a unit that is becoming ready */
	bool skip;		   /* leave bad blocks out and read the rest */
	uint64_t max_bad_blocks;   /* per device, that may be left out; more end it */
	unsigned iovecs;	   /* vectors per read, 0: one plain buffer */
	bool digest;
	bool touch;	      /* read every cache line of the data, as a consumer would */
	int output_fd;	      /* the data goes here in device order; -1: nowhere */
	bool output_replaces; /* and takes the place of what the file holds */
	bool require_zero_copy;
	uint64_t interval_ns; /* progress and kept intervals; 0: none */
	struct sgs_host_settings settings;
	const char *cpus; /* where readers run, as "0-3,8"; NULL: beside the controller */
	bool numa_off;	  /* or anywhere */
	bool drop_caches; /* empty the page cache of the devices before the clock runs */
};

/* The defaults of the command line: 64 KiB, whole device, 60 s, 5 retries, 30 s to become
 * ready, and 65536 bad blocks at most where they are skipped. */
void sgs_job_init(struct sgs_job *job);

/* Live view for progress lines; every value is a snapshot of running counters. */
struct sgs_progress {
	uint64_t at_ns;	     /* since the start of the run */
	uint64_t span_ns;    /* since the last progress */
	uint64_t bytes;	     /* so far */
	uint64_t span_bytes; /* in the span */
	uint64_t commands;
	uint64_t goal_bytes; /* 0 when the run has no end in bytes */
	uint64_t runtime_ns; /* 0 when it has none in time */
};

/* What the caller wants to hear while it runs. Called in the thread that called sgs_run(),
 * every job.interval_ns and after sgs_poke(). */
struct sgs_observer {
	void (*progress)(const struct sgs_progress *now, void *arg);
	/* commands of a device have been in flight for ns, and none has come back; may be NULL.
	 * Called after five seconds, ten, twenty, and so on. */
	void (*stalled)(const char *device, unsigned commands, uint64_t ns, void *arg);
	void *arg;
};

/* Runs job over n devices and fills *result, which the caller frees with sgs_result_free(),
 * also after a failure: what was read before an error is in it. Returns the exit status. */
int sgs_run(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	const struct sgs_observer *observer, struct sgs_result *result);

/* Checks job against the devices without reading: engine, sizes, range, depth. What --dry-run
 * does. Fills result->run with what would be done; its goal_bytes says how much. */
int sgs_plan(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_result *result);

/* Asks sgs_run(), now or later, to issue nothing more, drain and return; signum is recorded.
 * Safe from any thread and from a signal handler. */
void sgs_stop(int signum);

/* Asks a running sgs_run() for one progress report. */
void sgs_poke(void);

#endif
