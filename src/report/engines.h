/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_REPORT_ENGINES_H
#define SGS_REPORT_ENGINES_H

#include <jansson.h>

#include <sgstream/device.h>

/* [ { name, summary, runs, reason } ]: what each engine's probe says of a device; reason may be
 * a caveat where runs is true, and null where there is nothing to say. */
json_t *sgs_json_engines(const struct sgs_device *device);

#endif
