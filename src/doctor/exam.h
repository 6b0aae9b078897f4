/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a check is given, and how it says what it found.
 */
#ifndef SGS_DOCTOR_EXAM_H
#define SGS_DOCTOR_EXAM_H

#include <limits.h>
#include <stdint.h>

#include "device/pair.h"
#include "doctor/doctor.h"

struct sgs_openers;

struct sgs_exam {
	const struct sgs_doctor *doctor;
	struct sgs_findings *findings;
	const char *check; /* that is running */
	/* Of a device; NULL and empty for the host. */
	const struct sgs_device_row *row;
	const struct sgs_device *device;
	struct sgs_folders folders;
	char pci[PATH_MAX];	     /* folder of the controller's PCI function */
	struct sgs_openers *openers; /* who holds nodes, see held.c */
};

/* Appends a finding. */
void sgs_find(struct sgs_exam *exam, enum sgs_severity level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Gives the last finding its command: as it is, or run as root. */
void sgs_mend(struct sgs_exam *exam, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void sgs_mend_as_root(struct sgs_exam *exam, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same: value is written to a file, or to all that a pattern stands for. */
void sgs_mend_write(struct sgs_exam *exam, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A word as a shell takes it. Returns buf; empty when it does not fit. */
char *sgs_shell_word(char *buf, size_t cap, const char *word);

/* Bytes of --bs on the exam's device; on the host, blocks are taken for 512 bytes. */
uint64_t sgs_exam_bs(const struct sgs_exam *exam);

/* "megaraid_sas (0000:03:00.0)". Returns buf. */
char *sgs_exam_controller(const struct sgs_exam *exam, char *buf, size_t cap);

/* Name of the block device in sysfs: "sda". */
const char *sgs_exam_disk(const struct sgs_exam *exam);

/* Warning where the node's default engine goes through the block layer, else info. */
enum sgs_severity sgs_exam_block_level(const struct sgs_exam *exam);

/* The word in brackets of "always [madvise] never", or all of a text without any. False when
 * there is no such attribute. */
bool sgs_exam_choice(char *buf, size_t cap, const char *attribute);

#endif
