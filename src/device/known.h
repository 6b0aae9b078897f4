/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel remembers of a device: enough for one that may not be opened.
 */
#ifndef SGS_DEVICE_KNOWN_H
#define SGS_DEVICE_KNOWN_H

#include <sgstream/device.h>

#include "device/pair.h"

/* Fills identity from sysfs: vendor, model, rev, type and the VPD pages of a SCSI device, model
 * and serial of another. identity.valid stays false. */
void sgs_known_identity(struct sgs_device *dev, const struct sgs_folders *folders);

/* Fills block_bytes, physical_block_bytes and blocks from the whole block device, if there is
 * one. */
void sgs_known_capacity(struct sgs_device *dev, const struct sgs_folders *folders);

#endif
