/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel lets one command, one queue and one host adapter do.
 */
#ifndef SGS_DEVICE_LIMITS_H
#define SGS_DEVICE_LIMITS_H

#include <sgstream/device.h>

#include "device/pair.h"

/* Fills limits and read_only of dev from the block queue and the SCSI device in sysfs. */
void sgs_limits_from_sysfs(struct sgs_device *dev, const struct sgs_folders *folders);

/* Reads again what a setting of the block queue may have changed. */
void sgs_limits_again(struct sgs_device *dev);

/* Asks an open sg descriptor for its segments, its default reserve, and, where there is no
 * block queue to tell, its largest transfer. */
void sgs_limits_from_sg(struct sgs_device *dev, int fd);

/* Fills controller from sysfs: the host above a SCSI device, the PCI device above any. */
void sgs_controller_find(struct sgs_device *dev, const struct sgs_folders *folders);

#endif
