/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a path is, before anything is opened.
 */
#ifndef SGS_DEVICE_NODE_H
#define SGS_DEVICE_NODE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include <sgstream/device.h>
#include <sgstream/error.h>

struct sgs_place {
	const char *path; /* as the caller gave it */
	enum sgs_node node;
	struct stat st;	       /* of what the path leads to */
	char folder[PATH_MAX]; /* of a device: its canonical folder below the sysfs root, such
				* as "devices/.../0:0:0:0/block/sda"; empty when sysfs does not
				* know it */
};

/* Follows links. Returns 0, or SGS_FILE with a sentence that says what the path is instead and
 * what to give. */
int sgs_node_find(const char *path, struct sgs_place *place, struct sgs_error *err);

/* Turns -errno of an open(2) of place into a status and a sentence. */
int sgs_node_open_failed(const struct sgs_place *place, int error, struct sgs_error *err);

/* Last component of a path. */
const char *sgs_node_name(const char *path);

/* Whether name is a SCSI address such as "0:0:0:0". */
bool sgs_node_is_hctl(const char *name);

#endif
