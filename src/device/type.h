/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_DEVICE_TYPE_H
#define SGS_DEVICE_TYPE_H

#include <sgstream/device.h>
#include <sgstream/error.h>

/* "disk", "tape", ...: a peripheral device type of SPC-5 6.6.2. */
const char *sgs_type_name(int pdt);

/* 0 when the type has addressable blocks that can be read, or is unknown (-1); else SGS_FILE
 * with a sentence that names the type. */
int sgs_type_accept(const char *path, int pdt, struct sgs_error *err);

#endif
