/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control groups, version 2: a limit of any group above this process holds for it, and the
 * tightest counts (Documentation/admin-guide/cgroup-v2.rst).
 */
#include "doctor/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"
#include "util/cpulist.h"
#include "util/units.h"

#define LITTLE_MEMORY (256u << 20)

static int match_own(char *line, void *arg)
{
	if (strncmp(line, "0::/", 4) != 0 || strstr(line, "/.."))
		return 0;
	snprintf(arg, PATH_MAX, "%s", line + 4);
	return 1;
}

/* The folder of the hierarchy below /sys: alone, or beside those of version 1. */
static const char *hierarchy(void)
{
	static const char *const places[] = { "fs/cgroup", "fs/cgroup/unified" };

	for (size_t i = 0; i < 2; i++) {
		if (sgs_sysfs_exists("%s/cgroup.controllers", places[i]))
			return places[i];
	}
	return NULL;
}

/* Calls visit with the folder of this process's group and of each above it. */
static bool each_group(void (*visit)(const char *folder, void *arg), void *arg)
{
	const char *base = hierarchy();
	char own[PATH_MAX] = "", folder[2 * PATH_MAX];

	if (!base || sgs_procfs_lines("self/cgroup", match_own, own) != 1)
		return false;
	snprintf(folder, sizeof(folder), own[0] ? "%s/%s" : "%s", base, own);
	while (strlen(folder) >= strlen(base)) {
		char *slash = strrchr(folder, '/');

		visit(folder, arg);
		*slash = '\0';
	}
	return true;
}

/* Names of groups may have what a shell takes for its own. */
static void mend(struct sgs_exam *exam, const char *value, const char *folder, const char *file)
{
	char path[2 * PATH_MAX], word[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/%s/%s", folder, file);
	sgs_mend_write(exam, value, "%s", sgs_shell_word(word, sizeof(word), path));
}

struct tightest {
	double value; /* negative: no limit */
	char folder[PATH_MAX];
};

static void keep_lower(struct tightest *tightest, double value, const char *folder)
{
	if (tightest->value >= 0 && tightest->value <= value)
		return;
	tightest->value = value;
	snprintf(tightest->folder, sizeof(tightest->folder), "%s", folder);
}

static void look_at_cpu_max(const char *folder, void *arg)
{
	unsigned long long quota, period;
	char text[64];

	if (sgs_sysfs_text(text, sizeof(text), "%s/cpu.max", folder) > 0 &&
		sscanf(text, "%llu %llu", &quota, &period) == 2 && period > 0)
		keep_lower(arg, (double)quota / (double)period, folder);
}

static unsigned online_cpus(void)
{
	static struct sgs_cpus cpus;
	char text[1024];

	if (sgs_sysfs_text(text, sizeof(text), "devices/system/cpu/online") <= 0 ||
		!sgs_cpus_parse(&cpus, text))
		return 0;
	return sgs_cpus_count(&cpus);
}

void sgs_check_cgroup_cpu(struct sgs_exam *exam)
{
	struct tightest found = { .value = -1 };
	unsigned online = online_cpus();

	if (!each_group(look_at_cpu_max, &found))
		return;
	if (found.value < 0 || (online > 0 && found.value >= online)) {
		sgs_find(exam, SGS_FOUND_OK, "cpu.max of its cgroups limits nothing");
		return;
	}
	sgs_find(exam, SGS_FOUND_WARNING,
		"cpu.max of /sys/%s is %.3g CPUs of %u: readers that use more are stopped for "
		"the rest of each period, and rates are the quota's",
		found.folder, found.value, online);
	mend(exam, "max", found.folder, "cpu.max");
}

static void look_at_memory_max(const char *folder, void *arg)
{
	int64_t value;

	if (sgs_sysfs_number(&value, "%s/memory.max", folder) == 0 && value >= 0)
		keep_lower(arg, (double)value, folder);
}

void sgs_check_cgroup_memory(struct sgs_exam *exam)
{
	struct tightest found = { .value = -1 };
	char size[32];

	if (!each_group(look_at_memory_max, &found))
		return;
	if (found.value < 0) {
		sgs_find(exam, SGS_FOUND_OK, "memory.max of its cgroups limits nothing");
		return;
	}
	sgs_find(exam, found.value < LITTLE_MEMORY ? SGS_FOUND_WARNING : SGS_FOUND_INFO,
		"memory.max of /sys/%s is %s: buffers, and the page cache that buffered reads "
		"through, must fit in it",
		found.folder, sgs_format_size(size, sizeof(size), (uint64_t)found.value));
	mend(exam, "max", found.folder, "memory.max");
}

struct io_limit {
	char number[32]; /* of the device, and a space: "8:16 " */
	struct tightest bytes, commands;
};

static void look_at_io_line(struct io_limit *limit, char *line, const char *folder)
{
	char *word, *rest = NULL;

	if (strncmp(line, limit->number, strlen(limit->number)) != 0)
		return;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		unsigned long long value;

		if (sscanf(word, "rbps=%llu", &value) == 1)
			keep_lower(&limit->bytes, (double)value, folder);
		if (sscanf(word, "riops=%llu", &value) == 1)
			keep_lower(&limit->commands, (double)value, folder);
	}
}

static void look_at_io_max(const char *folder, void *arg)
{
	char text[4096 + 1], *line, *rest = NULL;
	int n = sgs_sysfs_bytes(text, sizeof(text) - 1, "%s/io.max", folder);

	if (n <= 0)
		return;
	text[n] = '\0';
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		look_at_io_line(arg, line, folder);
}

static void say_io_limit(struct sgs_exam *exam, const struct io_limit *limit)
{
	bool bytes = limit->bytes.value >= 0;
	const struct tightest *found = bytes ? &limit->bytes : &limit->commands;
	char value[64];

	snprintf(value, sizeof(value), "%srbps=max riops=max", limit->number);
	sgs_find(exam, sgs_exam_block_level(exam),
		"io.max of /sys/%s lets through %.0f %s per second of %s: the block engines "
		"are held to that; the SCSI engines go past it",
		found->folder, found->value, bytes ? "bytes" : "reads", sgs_exam_disk(exam));
	mend(exam, value, found->folder, "io.max");
}

void sgs_check_cgroup_io(struct sgs_exam *exam)
{
	struct io_limit limit = { .bytes.value = -1, .commands.value = -1 };
	char number[24];

	if (sgs_sysfs_text(number, sizeof(number), "%s/dev", exam->folders.disk) <= 0)
		return;
	snprintf(limit.number, sizeof(limit.number), "%s ", number);
	if (!each_group(look_at_io_max, &limit))
		return;
	if (limit.bytes.value >= 0 || limit.commands.value >= 0)
		say_io_limit(exam, &limit);
	else
		sgs_find(exam, SGS_FOUND_OK, "io.max of its cgroups does not limit %s",
			sgs_exam_disk(exam));
}
