/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened to one command, as data: how much arrived, what kind of error, how the data
 * came. Engines fill it; what to do about it is decided in src/run/policy.c.
 */
#ifndef SGS_SCSI_OUTCOME_H
#define SGS_SCSI_OUTCOME_H

#include <scsi/sg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sgstream/result.h>

/* <scsi/sg.h> of the C library lacks these of the kernel's include/scsi/sg.h. */
#ifndef SG_FLAG_MMAP_IO
#define SG_FLAG_MMAP_IO 4
#endif
#ifndef SG_FLAG_Q_AT_TAIL
#define SG_FLAG_Q_AT_TAIL 0x10
#endif

enum { SGS_SENSE_BYTES = 64 };

struct sgs_outcome {
	uint32_t bytes;		    /* arrived, and good */
	enum sgs_fault_class fault; /* NONE, or why this is not plain success */
	enum sgs_transfer transfer;
	/* The rest is filled when fault is not NONE. */
	int host_errno; /* of a failed system call, else 0 */
	uint8_t status, host_status, driver_status;
	uint8_t sense_len;
	uint8_t sense[SGS_SENSE_BYTES];
	uint64_t was_bytes, is_bytes; /* of a file that became shorter; else was_bytes is 0 */
};

/* Success is: status good, or a recovered error; host_status 0; no driver error; all bytes
 * there. A residual is subtracted whatever the status. requested is in bytes; h as SG_IO
 * returned it. Fills everything but transfer. */
void sgs_outcome_from_sg(
	struct sgs_outcome *out, const struct sg_io_hdr *h, uint32_t requested);

/* The same of the v4 header that bsg takes. */
struct sg_io_v4;
void sgs_outcome_from_v4(struct sgs_outcome *out, const struct sg_io_v4 *h, uint32_t requested);

/* For a system call that failed: -errno. */
void sgs_outcome_from_errno(struct sgs_outcome *out, int negative_errno);

/* For a file that ended before what was to be read of it: it is gone. */
void sgs_outcome_from_shorter(struct sgs_outcome *out, uint64_t was_bytes, uint64_t is_bytes);

/* For a read(2) of requested bytes that returned n, which may be -errno. A read of 0 bytes
 * inside the capacity is a device that has left. */
void sgs_outcome_from_read(struct sgs_outcome *out, ssize_t n, uint32_t requested);

/* Kind of a command that ended with these; never SGS_FAULT_NONE unless all is good. */
enum sgs_fault_class sgs_fault_from_sense(const uint8_t *sense, size_t len);
enum sgs_fault_class sgs_fault_from_host(unsigned host_status);

/* "DID_TIME_OUT" */
const char *sgs_host_status_name(unsigned host_status);

/* What its sense data says beyond the class. */
bool sgs_outcome_is_becoming_ready(const struct sgs_outcome *out);  /* 2/04/01 */
bool sgs_outcome_is_protection(const struct sgs_outcome *out);	    /* B/10: a block's PI */
bool sgs_outcome_is_capacity_change(const struct sgs_outcome *out); /* 6/2a/09 */

/* The block that a medium error names, also a wrong one: a drive may name any. */
bool sgs_outcome_names_block(const struct sgs_outcome *out, uint64_t *lba);

/* Exit status for a command given up with this outcome. */
int sgs_outcome_status(const struct sgs_outcome *out);

/* One phrase: "Medium error, Unrecovered read error (3/11/00), the drive names block 4660". */
char *sgs_outcome_describe(const struct sgs_outcome *out, char *buf, size_t cap);

#endif
