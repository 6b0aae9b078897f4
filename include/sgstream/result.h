/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run found. Bytes are those that the device moved, times are ns of CLOCK_MONOTONIC.
 */
#ifndef SGSTREAM_RESULT_H
#define SGSTREAM_RESULT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/device.h>
#include <sgstream/error.h>

/* How the data of one command reached the reader. */
enum sgs_transfer {
	SGS_MAPPED,	 /* in the driver's reserve buffer, mapped: no copy */
	SGS_DIRECT,	 /* by DMA into the reader's buffer: no copy */
	SGS_COPIED,	 /* copied by the driver */
	SGS_CACHED,	 /* copied out of the page cache */
	SGS_NO_TRANSFER, /* null engine: no data at all; counted nowhere */
	SGS_TRANSFERS = SGS_NO_TRANSFER,
};

/* Why a command did not end as asked. The order is that of the JSON keys. */
enum sgs_fault_class {
	SGS_FAULT_NONE,
	SGS_FAULT_RECOVERED, /* data good, the drive had to work for it */
	SGS_FAULT_MEDIUM,
	SGS_FAULT_HARDWARE,
	SGS_FAULT_TRANSPORT,
	SGS_FAULT_TIMEOUT,
	SGS_FAULT_ABORTED,
	SGS_FAULT_SHORT, /* status good, bytes missing */
	SGS_FAULT_UNIT_ATTENTION,
	SGS_FAULT_DEFERRED, /* sense of an earlier command; this one was not done */
	SGS_FAULT_NOT_READY,
	SGS_FAULT_BUSY,
	SGS_FAULT_TASK_SET_FULL,
	SGS_FAULT_ILLEGAL_REQUEST,
	SGS_FAULT_INVALID_OP,
	SGS_FAULT_DATA_PROTECT,
	SGS_FAULT_RESERVATION,
	SGS_FAULT_GONE, /* the device has left */
	SGS_FAULT_HOST, /* the system call failed: errno */
	SGS_FAULT_OTHER,
	SGS_FAULTS,
};

/* snake_case name, as in JSON: "task_set_full". */
const char *sgs_fault_name(enum sgs_fault_class fault);

struct sgs_errors {
	uint64_t by_class[SGS_FAULTS]; /* attempts that ended so, retried or not */
	uint64_t retried;	       /* attempts issued again */
	uint64_t failed;	       /* commands given up */
};

/* Latency of good commands. histogram[i] counts commands of at most upper_ns[i]. */
struct sgs_latency {
	uint64_t count, min, mean, p50, p90, p99, p99_9, p99_99, max; /* ns */
	uint64_t *upper_ns;
	uint64_t *counts;
	size_t buckets;
};

struct sgs_digest {
	bool valid;
	uint64_t high,
		low;  /* sum mod 2^128 of XXH3-128 per transfer, seeded by its byte offset */
	bool partial; /* what could not be read is not in it */
};

/* Blocks that could not be read, by count from first on. */
struct sgs_bad_range {
	uint64_t first, count;
};

/* Reading in parts what failed as a whole: apart from commands, transfers and latency, so that
 * these stay those of the good parts of a drive. Its bytes are in bytes. */
struct sgs_recovery {
	uint64_t commands; /* good ones; those that failed are in the errors */
	uint64_t bytes;
	uint64_t ns; /* from the first part to the last, of each transfer, added up */
};

/* The keys that a device and the total share. */
struct sgs_figures {
	uint64_t bytes;
	uint64_t commands;   /* good ones */
	uint64_t elapsed_ns; /* start of the run to the last command's end */
	double bytes_per_second;
	double iops;
	uint64_t first_done_ns; /* the first reader to end; since the start */
	uint64_t last_done_ns;
	uint64_t start_spread_ns; /* between the first and the last reader's first command */
	double in_flight_mean;
	unsigned in_flight_max;
	double in_flight_reached; /* of in_flight_mean, what the devices' queues take */
	uint64_t transfer[SGS_TRANSFERS];
	struct sgs_errors errors;
	struct sgs_latency latency;
	struct sgs_digest digest;
	struct sgs_recovery recovery;
	uint64_t bad_blocks;		     /* left out: with --on-error skip */
	uint64_t minor_faults, major_faults; /* page faults of the readers while they read */
};

struct sgs_cpu {
	uint64_t user_ns, system_ns; /* of this process, from start to last done */
	double seconds_per_gib;	     /* -1 when nothing was read */
	double host_busy_percent;    /* of all CPUs; -1 when the span was too short to tell */
};

enum sgs_cache_verdict {
	SGS_CACHE_UNJUDGED, /* nothing went through the page cache */
	SGS_CACHE_UNKNOWN,
	SGS_CACHE_COLD,	 /* the drive's figure: at least 95 % came from it */
	SGS_CACHE_MIXED, /* neither's */
	SGS_CACHE_WARM,	 /* memory's figure: at most 5 % came from the drive */
};

/* "cold"; NULL for SGS_CACHE_UNJUDGED. */
const char *sgs_cache_verdict_name(enum sgs_cache_verdict verdict);

/* Whether a run through the page cache measured the drive or memory, and the evidence. */
struct sgs_cache {
	enum sgs_cache_verdict verdict;
	uint64_t range_bytes;		/* of what was read, once */
	bool resident_known;		/* the kernel tells this caller what is in memory */
	uint64_t sampled_bytes;		/* of the range, looked at before the clock */
	uint64_t resident_before_bytes; /* of these, in memory already */
	bool device_read_known;		/* block nodes only */
	uint64_t device_read_bytes;	/* that the device gave to anybody during the run */
	bool process_read_known;	/* in the total only */
	uint64_t process_read_bytes;	/* that this process had read from devices */
};

/* --drop-caches on one device. */
struct sgs_cache_drop {
	bool asked;
	bool done;	  /* nothing is left in memory, as far as can be seen */
	uint64_t ns;	  /* it took */
	char reason[160]; /* what stays, and why; or empty */
};

enum sgs_setting_kind {
	SGS_SET_READ_AHEAD,   /* KiB */
	SGS_SET_MAX_TRANSFER, /* KiB */
	SGS_SET_SCHEDULER,
	SGS_SET_ALLOW_DIO, /* 0 or 1, of the host */
	SGS_SETTINGS,
};

/* As in JSON: "read_ahead_kib". */
const char *sgs_setting_name(enum sgs_setting_kind kind);

enum sgs_put_back {
	SGS_NOT_MADE, /* a dry run, or an error came before */
	SGS_PUT_BACK, /* it is as it was before the run */
	SGS_LEFT,     /* it is not; a message says why */
};

/* A setting of the host that the job asked for. */
struct sgs_setting {
	enum sgs_setting_kind kind;
	int device; /* index of the device, -1: the host */
	char from[32];
	char to[32]; /* what the kernel made of the wish */
	enum sgs_put_back put_back;
};

/* Where the readers of a device ran. */
struct sgs_placed {
	const char
		*by; /* "anywhere", "off", "list", "controller", "interrupts"; NULL: not yet */
	int node;    /* NUMA node, -1 none or several */
	char cpus[96]; /* "4-7"; empty: any */
};

/* A link on the way, and how much of it was used. */
struct sgs_ceiling {
	bool known;
	const char *kind;	 /* "sas", "pcie" */
	char name[64];		 /* "port-0:0" */
	double bytes_per_second; /* that it carries */
	double share;
};

/* Interrupts of a controller while the clock ran. */
struct sgs_cpu_interrupts {
	unsigned cpu;
	uint64_t interrupts;
};

struct sgs_completions {
	const struct sgs_controller *controller;
	struct sgs_cpu_interrupts *cpus; /* that took any */
	size_t n_cpus;
};

struct sgs_device_result {
	struct sgs_device device;
	struct sgs_figures figures;
	struct sgs_cache cache;
	struct sgs_cache_drop cache_drop;
	int status; /* exit status of this device */
	const struct sgs_device_result
		*same_unit;  /* the first one that is; NULL: none before */
	uint32_t bs_bytes;   /* bs as this device's block length makes it */
	uint64_t goal_bytes; /* what the job asks of it; UINT64_MAX when only time ends it; 0 of
				a path that helps another (paths) */
	struct sgs_placed placed;
	struct sgs_ceiling ceiling; /* the lowest one on its way */
	unsigned probe_commands;    /* READs issued before the clock, to prove the limits */
	struct sgs_bad_range *bad;  /* in order, never touching one another */
	size_t n_bad;
};

struct sgs_interval {
	uint64_t at_ns, span_ns, bytes, commands;
};

/* The slowest of several devices, when it is far behind the others. */
struct sgs_straggler {
	bool found;
	size_t device; /* index */
	double share;  /* its rate, of the median rate of the others */
};

struct sgs_run_result {
	char engine[16];
	uint64_t bs_bytes;
	unsigned threads;     /* per device */
	unsigned queue_depth; /* per device */
	const char *pattern;
	uint64_t seed;	       /* of a random pattern, else 0 */
	bool skips;	       /* bad blocks are left out */
	unsigned round;	       /* of a comparison, from 1; 0: no part of one */
	bool warmup;	       /* a round that does not count; these are numbered apart */
	const char *paths;     /* "merge" or "each", as the job says; or NULL */
	bool has_output;       /* the data was written out */
	uint64_t output_bytes; /* so many */
	bool started;	       /* the clock ran */
	struct sgs_figures total;
	struct sgs_cpu cpu;
	struct sgs_straggler straggler;
	struct sgs_ceiling ceiling; /* of the link that is nearest to what it carries */
	struct sgs_completions *completions; /* of each controller that has interrupts */
	size_t n_completions;
	struct sgs_device_result *devices;
	size_t n_devices;
	struct sgs_interval *intervals;
	size_t n_intervals;
	struct sgs_cache cache; /* of all devices together */
	struct sgs_setting *settings;
	size_t n_settings;
};

enum sgs_level { SGS_INFO, SGS_WARNING, SGS_ERROR };

struct sgs_message {
	enum sgs_level level;
	char code[32];
	char text[4608];
	char device[PATH_MAX]; /* or empty */
};

struct sgs_result {
	int exit_status;   /* first failure, or 128 + signal, or 0 */
	int signal;	   /* the signal that interrupted, or 0 */
	const char *clock; /* what timed the commands: "tsc" or "monotonic" */
	struct sgs_run_result run;
	struct sgs_message *messages;
	size_t n_messages;
};

/* "ok", "partial", "error" or "interrupted". Partial: a device ended early, and there is data;
 * error: nothing was read. A run that missed an expectation (SGS_EXPECTATION) still ran ok. */
const char *sgs_result_status(const struct sgs_result *result);

/* Appends a message; device may be NULL. */
void sgs_result_message(struct sgs_result *result, enum sgs_level level, const char *device,
	const char *code, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Appends err as an error message and makes its status the result's, unless it has one. */
void sgs_result_error(
	struct sgs_result *result, const char *device, const struct sgs_error *err);

/* The first error that ended it, or what its exit status is. */
void sgs_result_first_error(const struct sgs_result *result, struct sgs_error *err);

void sgs_result_free(struct sgs_result *result);

#endif
