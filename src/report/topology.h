/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_REPORT_TOPOLOGY_H
#define SGS_REPORT_TOPOLOGY_H

#include <jansson.h>

#include <sgstream/device.h>

/* [ { kind, name, link, bytes_per_second, could, max_bytes_per_second, below_maximum } ] from
 * the drive to the NUMA node. */
json_t *sgs_json_topology(const struct sgs_device *device);

#endif
