/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What else can be found out about a command that failed, before the policy decides.
 */
#ifndef SGS_RUN_REFINE_H
#define SGS_RUN_REFINE_H

#include "run/reader.h"

/* Not ready: a READ may be answered less exactly than TEST UNIT READY, which is asked. An
 * input/output error of the block layer, or less data than was asked for: the device may be
 * offline or gone, a file may have become shorter. Notes that the capacity has changed. */
void sgs_refine(struct sgs_reader *r, struct sgs_slot *slot);

/* Whether sysfs says that the device has gone, or is offline: -ENODEV, -ENXIO. 0: no. */
int sgs_has_left(const struct sgs_device *device);

/* The trial found the device not ready: waits for one that is becoming ready, and fills
 * r->problem when it does not within the rules' time, or will not by itself. */
void sgs_await_ready(struct sgs_reader *r);

#endif
