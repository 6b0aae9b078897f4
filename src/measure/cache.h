/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether data came from the drive or from memory: evidence from before and after a run, and
 * the verdict.
 */
#ifndef SGS_MEASURE_CACHE_H
#define SGS_MEASURE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sgstream/result.h>

/* At most 1024 windows of 1 MiB: all of a range up to 1 GiB. Over a larger one the windows lie
 * the closer, the nearer to its beginning, so that a run that reads only the first part of it
 * is judged by many of them. */
struct sgs_cache_window {
	uint64_t start, len;	/* bytes of the device */
	uint64_t stands_for;	/* bytes up to the next window */
	uint64_t before, after; /* resident */
};

struct sgs_cache_sample {
	uint64_t first; /* byte of the range */
	struct sgs_cache_window *windows;
	size_t n;
	bool before_known, after_known;
};

/* 0 or -ENOMEM. */
int sgs_cache_sample_plan(struct sgs_cache_sample *sample, uint64_t first, uint64_t range);

/* Looks at all windows through fd; false when the kernel does not tell. */
bool sgs_cache_sample_before(struct sgs_cache_sample *sample, int fd);
bool sgs_cache_sample_after(struct sgs_cache_sample *sample, int fd);

/* What the windows say of the first bytes of the range. */
struct sgs_cache_shares {
	uint64_t sampled, before_bytes, after_bytes;
	double before, after; /* 0 to 1 of the bytes asked about */
};

void sgs_cache_sample_shares(
	const struct sgs_cache_sample *sample, uint64_t bytes, struct sgs_cache_shares *out);

void sgs_cache_sample_free(struct sgs_cache_sample *sample);

/* Bytes that a block device has given so far, to anybody; from its stat in sysfs. False when it
 * does not count. */
bool sgs_cache_device_read(dev_t rdev, uint64_t *bytes);

/* Bytes that this process has had read from block devices; from /proc/self/io. */
bool sgs_cache_process_read(uint64_t *bytes);

struct sgs_cache_evidence {
	uint64_t bytes; /* that were read in all */
	uint64_t range; /* that these cover, once */
	bool resident_known;
	double before, after; /* share of the range in memory */
	bool drive_known;
	uint64_t drive_read; /* bytes, at least those that came from the drive for the run */
	bool of_others;	     /* and maybe those that others had read in the meantime */
	uint64_t slack;	     /* read-ahead beyond the range: so much says nothing */
};

/* Share of bytes that came from the drive, 0 to 1; -1 when there is no evidence. */
double sgs_cache_drive_share(const struct sgs_cache_evidence *evidence);

/* Never cold against the evidence: when almost all was in memory before, or when the drive gave
 * others more than the run read. */
enum sgs_cache_verdict sgs_cache_judge(const struct sgs_cache_evidence *evidence);

/* Of all devices together. */
enum sgs_cache_verdict sgs_cache_sum_up(enum sgs_cache_verdict a, enum sgs_cache_verdict b);

#endif
