/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What on this host keeps sgstream from its best, and the command that mends it. Looks only:
 * at sysfs, /proc, and what is known of the devices; nothing is changed.
 *
 * What costs the engine that a node is read with by default is a warning, or a problem when it
 * cannot run at all; what costs another engine, or cannot be mended here, is an info.
 */
#ifndef SGS_DOCTOR_DOCTOR_H
#define SGS_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <sgstream/device.h>
#include <sgstream/job.h>

enum sgs_severity { SGS_FOUND_OK, SGS_FOUND_INFO, SGS_FOUND_WARNING, SGS_FOUND_PROBLEM };
enum { SGS_SEVERITIES = SGS_FOUND_PROBLEM + 1 };

struct sgs_finding {
	const char *check;		 /* snake_case name of the check */
	const struct sgs_device *device; /* NULL: of the host */
	enum sgs_severity level;
	char text[480]; /* what was found, with its value, and what it costs */
	char fix[1024]; /* a command for a shell, or empty */
};

struct sgs_findings {
	struct sgs_finding *rows; /* the host's, then the devices' in their order */
	size_t n, room;
	bool lost; /* no memory for one */
};

struct sgs_doctor {
	struct sgs_size bs;		   /* per command, that is wanted */
	bool root;			   /* else commands begin with sudo */
	const struct sgs_device_row *rows; /* the devices; findings point to them */
	size_t n;
};

/* "ok", "info", "warning", "problem" */
const char *sgs_severity_name(enum sgs_severity level);

/* Appends a finding for each thing that was looked at. 0, or -ENOMEM when one was lost. */
int sgs_doctor_examine(const struct sgs_doctor *doctor, struct sgs_findings *findings);

void sgs_findings_free(struct sgs_findings *findings);

#endif
