/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statuses and errors. One positive number space serves the library, the program and its exit
 * status: the table of sg3_utils(8), so that scripts written for the sg tools keep working.
 */
#ifndef SGSTREAM_ERROR_H
#define SGSTREAM_ERROR_H

enum sgs_status {
	SGS_OK = 0,
	SGS_USAGE = 1,		 /* bad option, value or combination with the device */
	SGS_NOT_READY = 2,	 /* sense key 2h */
	SGS_MEDIUM_HARD = 3,	 /* sense key 3h, 4h or 8h; also short transfers */
	SGS_ILLEGAL_REQUEST = 5, /* sense key 5h */
	SGS_UNIT_ATTENTION = 6,	 /* sense key 6h, after the retries */
	SGS_DATA_PROTECT = 7,	 /* sense key 7h */
	SGS_INVALID_OP = 9,	 /* 5/20/00: the drive does not know the opcode */
	SGS_ABORTED = 11,	 /* sense key Bh, after the retries */
	SGS_FILE = 15,		 /* the node cannot be opened, or is the wrong kind */
	SGS_RESERVATION = 24,
	SGS_BUSY = 26,
	SGS_TASK_SET_FULL = 27,
	SGS_CONTRADICT = 31, /* two options that exclude one another */
	SGS_INTERNAL = 32,
	SGS_TIMEOUT = 33,
	SGS_TRANSPORT = 35,   /* host or driver status */
	SGS_EXPECTATION = 36, /* ran well, but an expectation is not met */
	SGS_OS_BASE = 50,     /* 50 + errno */
	SGS_MALFORMED = 97,   /* the device's answer makes no sense */
	SGS_OTHER = 99,
	SGS_SIGNAL_BASE = 128, /* 128 + signal number */
};

/* What went wrong: one sentence for a person, one word for a program. */
struct sgs_error {
	int status;	 /* enum sgs_status, or SGS_OS_BASE + errno */
	char code[32];	 /* stable snake_case word, such as "not_aligned" */
	char text[4608]; /* names the value and the way out; no newline */
};

/* Fills err (which may be NULL) and returns status, so that a caller can write
 * "return sgs_fail(err, SGS_USAGE, "bad_size", "...")". Control characters are made printable.
 */
int sgs_fail(struct sgs_error *err, int status, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* SGS_OS_BASE + errno number (at most 125); what a host error exits with. */
int sgs_status_from_errno(int errnum);

#endif
