/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_ENGINE_LANE_H
#define SGS_ENGINE_LANE_H

#include <stddef.h>

#include <sgstream/device.h>
#include <sgstream/error.h>

/* Zeroed memory on cache lines of its own, so that no other reader's writes slow this one;
 * free() it. NULL with err filled when there is none. */
void *sgs_lane_alloc(size_t size, struct sgs_error *err);

/* Opens path, a node of device, O_RDONLY with flags into *fd. A failure names the device as it
 * was asked for, and the node if that is another. */
int sgs_lane_open_node(const struct sgs_device *device, const char *path, int flags, int *fd,
	struct sgs_error *err);

#endif
