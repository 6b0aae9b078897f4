/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nodes of one logical unit, found through sysfs whichever of them was given.
 */
#ifndef SGS_DEVICE_PAIR_H
#define SGS_DEVICE_PAIR_H

#include <limits.h>

#include <sgstream/device.h>

#include "device/node.h"

/* Canonical sysfs folders of a device, below the root; empty where there is none. */
struct sgs_folders {
	char unit[PATH_MAX]; /* SCSI device: "devices/.../target0:0:0/0:0:0:0" */
	char disk[PATH_MAX]; /* whole block device: "devices/.../block/sda" */
};

/* Fills node, sg_path, block_path, bsg_path, hctl, is_scsi, is_partition and whole_disk of dev,
 * and folders. A partition gets no sg and bsg node: commands to them would read from the start
 * of the whole disk. What sysfs does not know stays empty. */
void sgs_pair_find(
	const struct sgs_place *place, struct sgs_device *dev, struct sgs_folders *folders);

#endif
