/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPUs: their clock, the clock that they tell time by, and whether they are real.
 */
#include "doctor/checks.h"

#include <stdio.h>
#include <string.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"
#include "util/clock.h"

#define CPUFREQ	    "devices/system/cpu/cpufreq"
#define CLOCKSOURCE "devices/system/clocksource/clocksource0"

struct governors {
	unsigned all, slow;
	char name[32]; /* of the first slow one */
};

static int look_at_policy(const char *name, void *arg)
{
	struct governors *governors = arg;
	char text[32];

	if (strncmp(name, "policy", 6) != 0 ||
		sgs_sysfs_text(text, sizeof(text), CPUFREQ "/%s/scaling_governor", name) <= 0)
		return 0;
	governors->all++;
	if (strcmp(text, "performance") != 0 && governors->slow++ == 0)
		strcpy(governors->name, text);
	return 0;
}

void sgs_check_cpu_governor(struct sgs_exam *exam)
{
	struct governors found = { 0 };

	sgs_sysfs_each(CPUFREQ, look_at_policy, &found);
	if (found.all == 0)
		return;
	if (found.slow == 0) {
		sgs_find(exam, SGS_FOUND_OK, "the CPU governor is performance");
		return;
	}
	sgs_find(exam, SGS_FOUND_WARNING,
		"the CPU governor is %s on %u of %u CPU groups: a CPU that waits for a drive "
		"is "
		"clocked down, so latencies rise and figures differ from run to run",
		found.name, found.slow, found.all);
	sgs_mend_write(exam, "performance", "/sys/" CPUFREQ "/policy*/scaling_governor");
}

/* Those that a program reads without entering the kernel (vdso). */
static bool is_fast_clock(const char *name)
{
	static const char *const fast[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
		"arch_sys_counter" };

	for (size_t i = 0; i < sizeof(fast) / sizeof(fast[0]); i++) {
		if (strcmp(name, fast[i]) == 0)
			return true;
	}
	return false;
}

static bool tsc_is_offered(void)
{
	char text[256], *word, *rest = NULL;

	if (sgs_sysfs_text(text, sizeof(text), CLOCKSOURCE "/available_clocksource") <= 0)
		return false;
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (strcmp(word, "tsc") == 0)
			return true;
	}
	return false;
}

void sgs_check_clocksource(struct sgs_exam *exam)
{
	char name[64];

	if (!sgs_exam_choice(name, sizeof(name), CLOCKSOURCE "/current_clocksource"))
		return;
	if (is_fast_clock(name)) {
		sgs_find(exam, SGS_FOUND_OK, "the clock source is %s", name);
		return;
	}
	if (strcmp(sgs_clock_name(), "tsc") == 0) {
		sgs_find(exam, SGS_FOUND_INFO,
			"the clock source is %s, a system call for each look at it; sgstream "
			"times "
			"commands by the time stamp counter instead, other programs do not",
			name);
	} else {
		sgs_find(exam, SGS_FOUND_WARNING,
			"the clock source is %s: each command is timed by two system calls, "
			"which "
			"costs CPU time and blurs latencies by about a microsecond",
			name);
	}
	if (tsc_is_offered())
		sgs_mend_write(exam, "tsc", "/sys/" CLOCKSOURCE "/current_clocksource");
}

static int look_at_cpu(char *line, void *arg)
{
	const char **kind = arg;

	if (strstr(line, "User Mode Linux"))
		*kind = "User-Mode Linux";
	else if (strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor"))
		*kind = "a virtual machine";
	else
		return 0;
	return 1;
}

void sgs_check_virtual_machine(struct sgs_exam *exam)
{
	char vendor[64] = "", product[64] = "";
	const char *kind = NULL;

	if (sgs_procfs_lines("cpuinfo", look_at_cpu, &kind) < 0)
		return;
	if (!kind) {
		sgs_find(exam, SGS_FOUND_OK, "no hypervisor is seen");
		return;
	}
	if (sgs_sysfs_text(vendor, sizeof(vendor), "class/dmi/id/sys_vendor") > 0)
		sgs_sysfs_text(product, sizeof(product), "class/dmi/id/product_name");
	sgs_find(exam, SGS_FOUND_INFO,
		"this is %s%s%s%s%s%s: figures are also those of its host, whose other load "
		"and "
		"page cache cannot be seen from here",
		kind, vendor[0] ? " (" : "", vendor, product[0] ? " " : "", product,
		vendor[0] ? ")" : "");
}
