/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_DEVICE_FILE_H
#define SGS_DEVICE_FILE_H

#include <sgstream/device.h>
#include <sgstream/error.h>

#include "device/node.h"

/* Size and direct I/O alignment of a regular file. 0, or SGS_FILE when it is empty. */
int sgs_file_ask(const struct sgs_place *place, struct sgs_device *dev, struct sgs_error *err);

#endif
