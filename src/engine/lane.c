/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/kernel.h"

enum { LINES = 128 }; /* adjacent lines are fetched in pairs */

void *sgs_lane_alloc(size_t size, struct sgs_error *err)
{
	size_t whole = (size + LINES - 1) / LINES * LINES;
	void *p = aligned_alloc(LINES, whole);

	if (!p) {
		sgs_fail(err, sgs_status_from_errno(ENOMEM), "no_memory",
			"no memory for a reader");
		return NULL;
	}
	return memset(p, 0, whole);
}

static const char *remedy(int error)
{
	switch (error) {
	case ENXIO:
	case ENODEV:
		return "; it is offline or was removed, sgstream list shows what is there";
	case EMFILE:
		return "; raise ulimit -n";
	default:
		return "";
	}
}

int sgs_lane_open_node(const struct sgs_device *device, const char *path, int flags, int *fd,
	struct sgs_error *err)
{
	bool other = strcmp(device->path, path) != 0;

	*fd = sgs_sys_open(path, flags);
	if (*fd >= 0)
		return 0;
	return sgs_fail(err, SGS_FILE, "cannot_open", "%s: cannot open%s%s: %s%s", device->path,
		other ? " its node " : "", other ? path : "", strerrordesc_np(-*fd),
		remedy(-*fd));
}
