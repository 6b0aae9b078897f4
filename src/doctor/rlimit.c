/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits of this process, and of what the same shell starts.
 */
#include "doctor/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/procfs.h"
#include "util/units.h"

enum {
	DEPTH = 32, /* commands in flight per device that should be possible */
	OTHER_FILES = 32,
	CAP_IPC_LOCK_BIT = 14, /* capabilities(7): locked memory without limit */
};

struct limit {
	const char *name; /* as /proc/self/limits has it */
	uint64_t soft, hard;
	bool found;
};

static uint64_t limit_value(const char *text)
{
	return strcmp(text, "unlimited") == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
}

static int match_limit(char *line, void *arg)
{
	struct limit *limit = arg;
	char soft[32], hard[32];
	size_t len = strlen(limit->name);

	if (strncmp(line, limit->name, len) != 0 ||
		sscanf(line + len, "%31s %31s", soft, hard) != 2)
		return 0;
	limit->soft = limit_value(soft);
	limit->hard = limit_value(hard);
	limit->found = true;
	return 1;
}

/* Raises a limit of the shell that the command is given to. */
static void mend_limit(struct sgs_exam *exam, char letter, const char *name, uint64_t in_shell,
	uint64_t in_units, bool hard_allows)
{
	if (hard_allows)
		sgs_mend(exam, "ulimit -%c %" PRIu64, letter, in_shell);
	else
		sgs_mend_as_root(exam, "prlimit --pid $$ --%s=%" PRIu64, name, in_units);
}

void sgs_check_open_files(struct sgs_exam *exam)
{
	struct limit limit = { .name = "Max open files" };
	uint64_t devices = exam->doctor->n ? exam->doctor->n : 1;
	uint64_t needed = devices * DEPTH + OTHER_FILES;

	if (sgs_procfs_lines("self/limits", match_limit, &limit) < 0 || !limit.found)
		return;
	if (limit.soft >= needed) {
		sgs_find(exam, SGS_FOUND_OK, "enough files may be open (ulimit -n)");
		return;
	}
	sgs_find(exam, SGS_FOUND_WARNING,
		"only %" PRIu64
		" files may be open (ulimit -n): the sg engines open one for each "
		"command in flight, so %" PRIu64 " device%s cannot have %d each",
		limit.soft, devices, devices == 1 ? "" : "s", DEPTH);
	mend_limit(exam, 'n', "nofile", needed, needed, limit.hard >= needed);
}

static int match_capabilities(char *line, void *arg)
{
	uint64_t *mask = arg;

	return sscanf(line, "CapEff: %" SCNx64, mask) == 1;
}

static bool may_lock_all(void)
{
	uint64_t mask = 0;

	sgs_procfs_lines("self/status", match_capabilities, &mask);
	return mask >> CAP_IPC_LOCK_BIT & 1;
}

void sgs_check_locked_memory(struct sgs_exam *exam)
{
	struct limit limit = { .name = "Max locked memory" };
	uint64_t devices = exam->doctor->n ? exam->doctor->n : 1;
	uint64_t needed = devices * DEPTH * sgs_exam_bs(exam);
	char have[32], want[32];

	if (sgs_procfs_lines("self/limits", match_limit, &limit) < 0 || !limit.found)
		return;
	if (limit.soft >= needed || may_lock_all()) {
		sgs_find(exam, SGS_FOUND_OK, "memory may be locked as far as it is needed");
		return;
	}
	sgs_find(exam, SGS_FOUND_INFO,
		"only %s of memory may be locked (ulimit -l): io_uring registers its buffers, "
		"and %d "
		"commands in flight on %" PRIu64
		" device%s need %s; the other engines lock none",
		sgs_format_size(have, sizeof(have), limit.soft), DEPTH, devices,
		devices == 1 ? "" : "s", sgs_format_size(want, sizeof(want), needed));
	mend_limit(exam, 'l', "memlock", (needed + 1023) / 1024, needed, limit.hard >= needed);
}
