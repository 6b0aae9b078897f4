/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sys/sysfs.h"
#include "util/units.h"

#define LITTLE_READ_AHEAD (128u << 10)
#define GOOD_READ_AHEAD	  (1u << 20)
#define GOOD_DEPTH	  32u

static void mend_queue_depth(struct sgs_exam *exam)
{
	uint32_t most = exam->device->controller.can_queue;
	char value[16];

	if (most < 2)
		return;
	snprintf(value, sizeof(value), "%u", most < GOOD_DEPTH ? most : GOOD_DEPTH);
	sgs_mend_write(exam, value, "/sys/class/scsi_device/%s/device/queue_depth",
		exam->device->hctl);
}

void sgs_check_queue_depth(struct sgs_exam *exam)
{
	uint32_t depth = exam->device->limits.queue_depth;

	if (depth == 0)
		return;
	if (depth > 1) {
		sgs_find(exam, SGS_FOUND_OK, "%u commands can be in flight", depth);
		return;
	}
	sgs_find(exam, SGS_FOUND_WARNING,
		"its queue depth is 1: each command waits until the one before has come back, "
		"so "
		"--qd and --threads gain nothing and the drive idles between them%s",
		exam->device->controller.can_queue == 1 ? "; the adapter takes no more" : "");
	mend_queue_depth(exam);
}

static enum sgs_severity read_ahead_level(const struct sgs_exam *exam, uint64_t bs)
{
	uint32_t now = exam->device->limits.read_ahead;

	return now >= LITTLE_READ_AHEAD && now >= bs ? SGS_FOUND_OK
						     : sgs_exam_block_level(exam);
}

void sgs_check_read_ahead(struct sgs_exam *exam)
{
	uint64_t bs = sgs_exam_bs(exam),
		 good = 2 * bs > GOOD_READ_AHEAD ? 2 * bs : GOOD_READ_AHEAD;
	enum sgs_severity level = read_ahead_level(exam, bs);
	char size[32], value[32];

	sgs_format_size(size, sizeof(size), exam->device->limits.read_ahead);
	if (!sgs_sysfs_exists("%s/queue/read_ahead_kb", exam->folders.disk))
		return;
	if (level == SGS_FOUND_OK) {
		sgs_find(exam, level, "%s are read ahead", size);
		return;
	}
	sgs_find(exam, level,
		"only %s are read ahead: buffered and mmap wait for the drive at each of them; "
		"the "
		"other engines do not use it",
		size);
	snprintf(value, sizeof(value), "%" PRIu64, (good + 1023) / 1024);
	sgs_mend_write(exam, value, "/sys/block/%s/queue/read_ahead_kb", sgs_exam_disk(exam));
}

/* The schedulers that hand requests on as they come, or merge and sort them a little. */
static bool is_light(const char *scheduler)
{
	static const char *const light[] = { "none", "noop", "mq-deadline", "deadline" };

	for (size_t i = 0; i < sizeof(light) / sizeof(light[0]); i++) {
		if (strcmp(scheduler, light[i]) == 0)
			return true;
	}
	return false;
}

static bool offers(const struct sgs_exam *exam, const char *scheduler)
{
	char text[256];

	return sgs_sysfs_text(text, sizeof(text), "%s/queue/scheduler", exam->folders.disk) >
		       0 &&
	       strstr(text, scheduler) != NULL;
}

static const char *advised(const struct sgs_exam *exam)
{
	int64_t rotational = 0;

	sgs_sysfs_number(&rotational, "%s/queue/rotational", exam->folders.disk);
	return rotational && offers(exam, "mq-deadline") ? "mq-deadline" : "none";
}

void sgs_check_scheduler(struct sgs_exam *exam)
{
	const char *now = exam->device->limits.scheduler, *better = advised(exam);

	if (!now[0])
		return;
	if (is_light(now)) {
		sgs_find(exam, SGS_FOUND_OK, "the I/O scheduler is %s", now);
		return;
	}
	sgs_find(exam, sgs_exam_block_level(exam),
		"the I/O scheduler is %s, which shares a drive out among programs at a cost in "
		"CPU "
		"time and depth; %s streams better, and the SCSI engines go past either",
		now, better);
	sgs_mend_write(exam, better, "/sys/block/%s/queue/scheduler", sgs_exam_disk(exam));
}
