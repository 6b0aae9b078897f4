/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host and a drive for the tests of src/doctor: doctor.tree, the trees that a test lays over
 * it, and what sgs_doctor_examine() then finds.
 */
#ifndef DOCTOR_PATIENT_H
#define DOCTOR_PATIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "device/open.h"
#include "doctor/doctor.h"
#include "fake_sg.h"
#include "fake_sysfs.h"
#include "sys/procfs.h"

#define HBA  "devices/pci0000:80/0000:80:03.0/0000:83:00.0"
#define UNIT HBA "/host0/target0:0:0/0:0:0:0"
#define DISK UNIT "/block/sda"

static struct fake_sysfs tree;
static struct sgs_device_row row;
static struct sgs_findings findings;
static struct sgs_doctor doctor;

/* Lays a tree over the one that is there. */
static inline void overlay(const char *name)
{
	char path[512], line[2048];
	FILE *file;

	snprintf(path, sizeof(path), "tests/data/sysfs/%s", name);
	file = fopen(path, "r");
	if (!file)
		fake_sysfs_die(path);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] && line[0] != '#')
			fake_sysfs_entry(tree.root, line);
	}
	fclose(file);
}

/* The same of one entry. */
static inline void put(const char *entry)
{
	char line[2048];

	snprintf(line, sizeof(line), "%s", entry);
	fake_sysfs_entry(tree.root, line);
}

static inline void drop(const char *entry)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", tree.root, entry);
	if (remove(path) < 0)
		fake_sysfs_die(path);
}

static inline void move(const char *from, const char *to)
{
	char old[1024], new[1024];

	snprintf(old, sizeof(old), "%s/%s", tree.root, from);
	snprintf(new, sizeof(new), "%s/%s", tree.root, to);
	if (rename(old, new) < 0)
		fake_sysfs_die(new);
}

static inline int set_up_patient(void **state)
{
	char proc[128];

	(void)state;
	fake_reset(NULL);
	fake_sysfs_make(&tree, "doctor.tree");
	snprintf(proc, sizeof(proc), "%s/proc", tree.root);
	sgs_procfs_set_root(proc);
	fake_sg("/dev/sg0", 0);
	memset(&row, 0, sizeof(row));
	doctor =
		(struct sgs_doctor){ .bs.value = 64 << 10, .root = true, .rows = &row, .n = 1 };
	return 0;
}

static inline int tear_down_patient(void **state)
{
	(void)state;
	sgs_findings_free(&findings);
	sgs_procfs_set_root(NULL);
	fake_sysfs_remove(&tree);
	return 0;
}

/* Fills the row as sgs_device_open() does, but for what the drive itself is asked. */
static inline void describe(const char *path)
{
	struct sgs_folders folders;
	struct sgs_place place;
	struct sgs_error err;

	if (sgs_node_find(path, &place, &err))
		fail_msg("%s: %s", path, err.text);
	snprintf(row.device.path, sizeof(row.device.path), "%s", path);
	sgs_device_describe(&place, &row.device, &folders);
	row.device.block_bytes = 512;
	row.device.limits.sg_tablesize = 128;
}

/* The same of a node that did not open or answer. */
static inline void describe_with_problem(int status, const char *code)
{
	describe("/dev/sg0");
	sgs_fail(&row.problem, status, code, "it is %s", code);
}

/* What there is to say of the row, or of /dev/sg0 when it is empty. */
static inline void examine(void)
{
	if (!row.device.path[0])
		describe("/dev/sg0");
	sgs_findings_free(&findings);
	assert_int_equal(sgs_doctor_examine(&doctor, &findings), 0);
}

static inline const struct sgs_finding *finding_of(const char *check)
{
	for (size_t i = 0; i < findings.n; i++) {
		if (strcmp(findings.rows[i].check, check) == 0)
			return &findings.rows[i];
	}
	return NULL;
}

/* One finding of a check, at a level, with words in its text, and its command. */
static inline void assert_found(
	const char *check, enum sgs_severity level, const char *words, const char *fix)
{
	const struct sgs_finding *found = finding_of(check);

	if (!found)
		fail_msg("%s found nothing", check);
	if (found->level != level || !strstr(found->text, words))
		fail_msg("%s: not so: %s: %s", check, sgs_severity_name(found->level),
			found->text);
	assert_string_equal(found->fix, fix);
}

static inline void assert_nothing_found(const char *check)
{
	if (finding_of(check))
		fail_msg("%s: %s", check, finding_of(check)->text);
}

#endif
