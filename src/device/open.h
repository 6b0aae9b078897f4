/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two halves of opening a device, apart so that a list can keep the first when the second
 * fails.
 */
#ifndef SGS_DEVICE_OPEN_H
#define SGS_DEVICE_OPEN_H

#include <sgstream/device.h>

#include "device/node.h"
#include "device/pair.h"

/* Fills dev with what sysfs tells without opening the node: nodes, limits, controller. */
void sgs_device_describe(
	const struct sgs_place *place, struct sgs_device *dev, struct sgs_folders *folders);

/* Opens the node and asks the device: identity and capacity. 0 or a status. */
int sgs_device_ask(const struct sgs_place *place, struct sgs_device *dev,
	const struct sgs_folders *folders, struct sgs_error *err);

#endif
