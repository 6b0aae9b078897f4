/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of checks, and what of the host or a device each of them is held against.
 */
#include "doctor/checks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/openers.h"
#include "sys/sysfs.h"

enum applies {
	TO_HOST,
	TO_DEVICE,
	TO_UNIT, /* with a folder of a SCSI unit */
	TO_DISK, /* with a folder of a block device */
	TO_PCI,	 /* behind a PCI function */
};

static const struct check {
	const char *name;
	enum applies applies;
	sgs_check *look;
} checks[] = {
	{ "sg_driver", TO_HOST, sgs_check_sg_driver },
	{ "allow_dio", TO_HOST, sgs_check_allow_dio },
	{ "cpu_affinity", TO_HOST, sgs_check_cpu_affinity },
	{ "cpu_governor", TO_HOST, sgs_check_cpu_governor },
	{ "cgroup_cpu", TO_HOST, sgs_check_cgroup_cpu },
	{ "cgroup_memory", TO_HOST, sgs_check_cgroup_memory },
	{ "open_files", TO_HOST, sgs_check_open_files },
	{ "locked_memory", TO_HOST, sgs_check_locked_memory },
	{ "huge_pages", TO_HOST, sgs_check_huge_pages },
	{ "clocksource", TO_HOST, sgs_check_clocksource },
	{ "virtual_machine", TO_HOST, sgs_check_virtual_machine },
	{ "access", TO_DEVICE, sgs_check_access },
	{ "medium", TO_DEVICE, sgs_check_medium },
	{ "device_state", TO_UNIT, sgs_check_device_state },
	{ "held", TO_DEVICE, sgs_check_held },
	{ "block_length", TO_DEVICE, sgs_check_block_length },
	{ "max_transfer", TO_DEVICE, sgs_check_max_transfer },
	{ "segments", TO_DEVICE, sgs_check_segments },
	{ "reserve_segments", TO_DEVICE, sgs_check_reserve_segments },
	{ "queue_depth", TO_UNIT, sgs_check_queue_depth },
	{ "pcie_link", TO_PCI, sgs_check_pcie_link },
	{ "numa", TO_PCI, sgs_check_numa },
	{ "interrupts", TO_PCI, sgs_check_interrupts },
	{ "error_counters", TO_UNIT, sgs_check_error_counters },
	{ "device_timeout", TO_UNIT, sgs_check_device_timeout },
	{ "read_ahead", TO_DISK, sgs_check_read_ahead },
	{ "scheduler", TO_DISK, sgs_check_scheduler },
	{ "cgroup_io", TO_DISK, sgs_check_cgroup_io },
	{ "read_only", TO_DISK, sgs_check_read_only },
};

static bool applies_to(const struct sgs_exam *exam, enum applies applies)
{
	if (!exam->device || applies == TO_HOST)
		return !exam->device && applies == TO_HOST;
	if (applies == TO_UNIT)
		return exam->folders.unit[0] != '\0';
	if (applies == TO_DISK)
		return exam->folders.disk[0] != '\0';
	if (applies == TO_PCI)
		return exam->pci[0] != '\0';
	return true;
}

static void examine(struct sgs_exam *exam)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		exam->check = checks[i].name;
		if (applies_to(exam, checks[i].applies))
			checks[i].look(exam);
	}
}

/* The part of a device's folder that ends with the PCI address of its controller. */
static void find_pci(struct sgs_exam *exam)
{
	const char *folder = exam->folders.unit[0] ? exam->folders.unit : exam->folders.disk;
	const char *address = exam->device->controller.pci, *at = folder, *last = NULL;
	size_t len = strlen(address);

	while (len > 0 && (at = strstr(at, address)) != NULL) {
		at += len;
		if (*at == '/')
			last = at;
	}
	if (last)
		snprintf(exam->pci, sizeof(exam->pci), "%.*s", (int)(last - folder), folder);
}

/* A listed device may lack its node in /dev; the class has its folder. */
static bool find_place(const struct sgs_device *device, struct sgs_place *place)
{
	struct sgs_error err;

	if (sgs_node_find(device->path, place, &err) == 0)
		return true;
	memset(place, 0, sizeof(*place));
	place->path = device->path;
	place->node = SGS_NODE_SG;
	return device->node == SGS_NODE_SG &&
	       sgs_sysfs_resolve(place->folder, sizeof(place->folder), "class/scsi_generic/%s",
		       sgs_node_name(device->path)) == 0;
}

static void find_folders(struct sgs_exam *exam)
{
	struct sgs_device again = { 0 };
	struct sgs_place place;

	if (!find_place(exam->device, &place))
		return;
	sgs_pair_find(&place, &again, &exam->folders);
	find_pci(exam);
}

/* What is no drive, such as an enclosure, is not held against what a drive needs. */
static bool is_no_drive(const struct sgs_device_row *row)
{
	return strcmp(row->problem.code, "wrong_device_type") == 0;
}

static void examine_device(const struct sgs_doctor *doctor, const struct sgs_device_row *row,
	struct sgs_openers *openers, struct sgs_findings *findings)
{
	struct sgs_exam exam = {
		.doctor = doctor,
		.findings = findings,
		.row = row,
		.device = &row->device,
		.openers = openers,
	};

	if (is_no_drive(row)) {
		exam.check = "access";
		sgs_find(&exam, SGS_FOUND_INFO, "%s", row->problem.text);
		return;
	}
	find_folders(&exam);
	examine(&exam);
}

int sgs_doctor_examine(const struct sgs_doctor *doctor, struct sgs_findings *findings)
{
	struct sgs_exam host = { .doctor = doctor, .findings = findings };
	struct sgs_openers openers = { 0 };

	examine(&host);
	if (doctor->n > 0)
		sgs_openers_find(&openers);
	for (size_t i = 0; i < doctor->n; i++)
		examine_device(doctor, &doctor->rows[i], &openers, findings);
	sgs_openers_free(&openers);
	return findings->lost ? -ENOMEM : 0;
}
