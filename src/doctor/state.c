/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the SCSI layer says of a unit: drivers/scsi/scsi_sysfs.c.
 */
#include "doctor/checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sys/sysfs.h"

enum {
	SHORT_TIMEOUT = 10, /* seconds: less than a drive takes for a bad sector */
	LONG_TIMEOUT = 120,
	MANY_ERRORS = 16, /* being looked at leaves some: unit attentions, unknown pages */
	ERRORS_PER_CENT = 1,
};

#define UNIT "/sys/class/scsi_device/%s/device"

void sgs_check_device_state(struct sgs_exam *exam)
{
	char state[32];

	if (sgs_sysfs_text(state, sizeof(state), "%s/state", exam->folders.unit) <= 0)
		return;
	if (strcmp(state, "running") == 0) {
		sgs_find(exam, SGS_FOUND_OK, "its state is running");
		return;
	}
	sgs_find(exam, SGS_FOUND_PROBLEM,
		"its state is %s, not running: no command reaches it; look for the reason in "
		"dmesg",
		state);
	if (strcmp(state, "offline") == 0)
		sgs_mend_write(exam, "running", UNIT "/state", exam->device->hctl);
}

/* "0x1f" */
static int hex_attribute(const struct sgs_exam *exam, const char *name, uint64_t *value)
{
	char text[32], *end;
	int n = sgs_sysfs_text(text, sizeof(text), "%s/%s", exam->folders.unit, name);

	if (n <= 0)
		return -ENOENT;
	*value = strtoull(text, &end, 16);
	return *end ? -EINVAL : 0;
}

/* What a drive does not know (a VPD page, READ CAPACITY(16)) counts as failed, too, and it is
 * asked each time that it is looked at: so failures alone prove nothing. */
static enum sgs_severity error_level(uint64_t done, uint64_t failed, uint64_t late)
{
	if (late > 0)
		return SGS_FOUND_WARNING;
	return failed >= MANY_ERRORS && failed * 100 > done * ERRORS_PER_CENT ? SGS_FOUND_INFO
									      : SGS_FOUND_OK;
}

static void say_errors(struct sgs_exam *exam, enum sgs_severity level, uint64_t done,
	uint64_t failed, uint64_t late)
{
	char path[1024];

	sgs_find(exam, level,
		"%" PRIu64 " of %" PRIu64 " commands failed and %" PRIu64
		" timed out since it was found (ioerr_cnt, iotmo_cnt): %s",
		failed, done, late,
		late ? "the drive, its cable or its slot may be failing, and each timeout "
		       "stalls "
		       "the stream for seconds"
		     : "the drive may be failing, or was asked much that it does not know");
	if (sgs_shell_word(path, sizeof(path), exam->device->path)[0])
		sgs_mend_as_root(exam, "smartctl -x %s", path);
}

void sgs_check_error_counters(struct sgs_exam *exam)
{
	uint64_t done = 0, failed = 0, late = 0;
	enum sgs_severity level;

	if (hex_attribute(exam, "ioerr_cnt", &failed) < 0 ||
		hex_attribute(exam, "iodone_cnt", &done) < 0)
		return;
	hex_attribute(exam, "iotmo_cnt", &late); /* since Linux 5.19 */
	level = error_level(done, failed, late);
	if (level == SGS_FOUND_OK)
		sgs_find(exam, level,
			"%" PRIu64 " of %" PRIu64 " commands failed, none timed out", failed,
			done);
	else
		say_errors(exam, level, done, failed, late);
}

void sgs_check_device_timeout(struct sgs_exam *exam)
{
	int64_t seconds;

	if (sgs_sysfs_number(&seconds, "%s/timeout", exam->folders.unit) < 0)
		return;
	if (seconds >= SHORT_TIMEOUT && seconds <= LONG_TIMEOUT) {
		sgs_find(exam, SGS_FOUND_OK,
			"the block layer waits %" PRId64 " s for a command", seconds);
		return;
	}
	sgs_find(exam, seconds < SHORT_TIMEOUT ? sgs_exam_block_level(exam) : SGS_FOUND_INFO,
		"the block layer waits %" PRId64
		" s for a command: %s; the SCSI engines have --timeout "
		"instead",
		seconds,
		seconds < SHORT_TIMEOUT
			? "a drive that works at a bad sector is reset meanwhile"
			: "a block engine notices a drive that hangs only then");
	sgs_mend_write(exam, "30", UNIT "/timeout", exam->device->hctl);
}
