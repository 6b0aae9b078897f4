/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "device/limits.h"
#include "sys/sysfs.h"
#include "util/text.h"

/* Copies component i of a path, which starts at *at, and moves *at behind it. */
static bool next_component(const char **at, char *name, size_t cap)
{
	size_t len = strcspn(*at, "/");

	if (len == 0)
		return false;
	snprintf(name, cap, "%.*s", (int)len, *at);
	*at += len;
	if (**at == '/')
		(*at)++;
	return true;
}

static bool is_pci_address(const char *name)
{
	unsigned domain, bus, slot, function;
	int end = 0;

	return sscanf(name, "%x:%x:%x.%x%n", &domain, &bus, &slot, &function, &end) == 4 &&
	       name[end] == '\0';
}

static bool is_host(const char *name, int *host)
{
	int end = 0;

	return sscanf(name, "host%d%n", host, &end) == 1 && name[end] == '\0';
}

/* What a folder says of the hardware above a device: lengths of the prefixes that end with the
 * nearest PCI device and with the SCSI host, 0 without one. */
struct above {
	char pci[32];
	int pci_length;
	int host, host_length;
};

static void look_above(const char *folder, struct above *above)
{
	const char *at = folder;
	char name[64];

	memset(above, 0, sizeof(*above));
	above->host = -1;
	while (next_component(&at, name, sizeof(name))) {
		int host, length = (int)(at - folder) - (at[-1] == '/');

		if (is_pci_address(name)) {
			snprintf(above->pci, sizeof(above->pci), "%.31s", name);
			above->pci_length = length;
		}
		if (is_host(name, &host)) {
			above->host = host;
			above->host_length = length;
		}
	}
}

static void ask_host(struct sgs_controller *ctl, const char *folder, const struct above *above)
{
	char name[64];
	int64_t value;
	int n;

	ctl->host = above->host;
	n = sgs_sysfs_text(name, sizeof(name), "%.*s/scsi_host/host%d/proc_name",
		above->host_length, folder, above->host);
	if (n > 0 && strcmp(name, "(null)") != 0)
		sgs_copy_printable(ctl->driver, sizeof(ctl->driver), name, (size_t)n);
	if (sgs_sysfs_number(&value, "%.*s/scsi_host/host%d/can_queue", above->host_length,
		    folder, above->host) == 0 &&
		value > 0 && value <= UINT32_MAX)
		ctl->can_queue = (uint32_t)value;
}

static void ask_pci(struct sgs_controller *ctl, const char *folder, const struct above *above)
{
	char name[64];
	int64_t node;

	strcpy(ctl->pci, above->pci);
	if (sgs_sysfs_number(&node, "%.*s/numa_node", above->pci_length, folder) == 0 &&
		node >= 0 && node <= INT32_MAX)
		ctl->numa_node = (int)node;
	if (ctl->driver[0])
		return;
	if (sgs_sysfs_link(name, sizeof(name), "%.*s/driver", above->pci_length, folder) == 0)
		sgs_copy_printable(ctl->driver, sizeof(ctl->driver), name, strlen(name));
}

void sgs_controller_find(struct sgs_device *dev, const struct sgs_folders *folders)
{
	const char *folder = folders->unit[0] ? folders->unit : folders->disk;
	struct above above;

	dev->controller.host = -1;
	dev->controller.numa_node = -1;
	look_above(folder, &above);
	if (above.host_length)
		ask_host(&dev->controller, folder, &above);
	if (above.pci_length)
		ask_pci(&dev->controller, folder, &above);
}
