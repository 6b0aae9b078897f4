/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology/chain.h"

#include <stdio.h>
#include <string.h>

#include "device/node.h"
#include "sys/sysfs.h"
#include "topology/links.h"
#include "topology/nodes.h"
#include "topology/pcie.h"
#include "util/text.h"

const char *sgs_hop_kind_name(enum sgs_hop_kind kind)
{
	static const char *const names[] = {
		[SGS_HOP_DRIVE] = "drive",
		[SGS_HOP_SAS] = "sas",
		[SGS_HOP_EXPANDER] = "expander",
		[SGS_HOP_SATA] = "sata",
		[SGS_HOP_FC] = "fc",
		[SGS_HOP_ISCSI] = "iscsi",
		[SGS_HOP_HBA] = "hba",
		[SGS_HOP_PCIE] = "pcie",
		[SGS_HOP_NODE] = "node",
	};

	return names[kind];
}

bool sgs_hop_is_below(const struct sgs_hop *hop)
{
	return hop->now > 0 && hop->now < 0.999 * hop->most;
}

const struct sgs_hop *sgs_chain_lowest(const struct sgs_chain *chain)
{
	const struct sgs_hop *lowest = NULL;

	for (size_t i = 0; i < chain->n; i++)
		if (chain->hops[i].now > 0 && (!lowest || chain->hops[i].now < lowest->now))
			lowest = &chain->hops[i];
	return lowest;
}

/* ---- where to begin ---- */

bool sgs_device_folder(const struct sgs_device *device, char folder[PATH_MAX])
{
	if (device->sg_path[0] && sgs_sysfs_resolve(folder, PATH_MAX, "class/scsi_generic/%s",
					  sgs_node_name(device->sg_path)) == 0)
		return sgs_folder_up(folder) && sgs_folder_up(folder);
	if (device->disk_folder[0]) {
		strcpy(folder, device->disk_folder);
		return !device->is_scsi || (sgs_folder_up(folder) && sgs_folder_up(folder));
	}
	return device->hctl[0] && sgs_sysfs_resolve(folder, PATH_MAX,
					  "class/scsi_device/%s/device", device->hctl) == 0;
}

bool sgs_controller_folder(const struct sgs_device *device, char folder[PATH_MAX])
{
	if (!device->controller.pci[0] || !sgs_device_folder(device, folder))
		return false;
	while (strcmp(sgs_node_name(folder), device->controller.pci) != 0)
		if (!sgs_folder_up(folder))
			return false;
	return true;
}

/* ---- hops ---- */

/* Fowler, Noll and Vo's hash, 1a: of what a hop is. */
static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h;
}

/* A hop that nobody has room for is none: the last one is overwritten. */
static struct sgs_hop *add(
	struct sgs_chain *chain, enum sgs_hop_kind kind, const char *folder, const char *name)
{
	struct sgs_hop *hop = &chain->hops[chain->n];

	if (chain->n + 1 < SGS_HOPS_MAX)
		chain->n++;
	*hop = (struct sgs_hop){ .kind = kind, .id = hash(folder) ^ (uint64_t)kind };
	sgs_copy_printable(hop->name, sizeof hop->name, name, strlen(name));
	return hop;
}

static void add_drive(
	struct sgs_chain *chain, const struct sgs_device *device, const char *folder)
{
	const struct sgs_identity *id = &device->identity;
	struct sgs_hop *hop = add(chain, SGS_HOP_DRIVE, folder,
		device->hctl[0] ? device->hctl : sgs_node_name(folder));

	snprintf(hop->what, sizeof hop->what, "%s%s%s", id->vendor, id->vendor[0] ? " " : "",
		id->product);
}

static void add_link(struct sgs_chain *chain, enum sgs_hop_kind kind, const char *folder,
	const char *name, const struct sgs_link *link)
{
	struct sgs_hop *hop = add(chain, kind, folder, name);

	snprintf(hop->what, sizeof hop->what, "%s", link->what);
	hop->now = link->now;
	hop->most = link->most;
	if (sgs_hop_is_below(hop))
		snprintf(hop->could, sizeof hop->could, "%s", link->could);
}

static void add_expander(struct sgs_chain *chain, const char *folder, const char *name)
{
	struct sgs_hop *hop = add(chain, SGS_HOP_EXPANDER, folder, name);

	sgs_expander_name(hop->what, sizeof hop->what, folder, name);
}

static void add_session(struct sgs_chain *chain, const char *folder, const char *name)
{
	struct sgs_hop *hop = add(chain, SGS_HOP_ISCSI, folder, name);
	char target[256];

	if (sgs_sysfs_text(
		    target, sizeof target, "%s/iscsi_session/%s/targetname", folder, name) > 0)
		sgs_copy_printable(hop->what, sizeof hop->what, target, strlen(target));
}

/* libata has the port above the host. */
static bool sata_above(struct sgs_link *link, const char *folder)
{
	char port[PATH_MAX];

	strcpy(port, folder);
	return sgs_folder_up(port) && strncmp(sgs_node_name(port), "ata", 3) == 0 &&
	       sgs_sata_link(link, port, sgs_node_name(port));
}

static void add_host(struct sgs_chain *chain, const struct sgs_device *device,
	const char *folder, const char *name)
{
	struct sgs_hop *hop;
	struct sgs_link link;

	if (sgs_fc_link(&link, folder, name))
		add_link(chain, SGS_HOP_FC, folder, name, &link);
	else if (sgs_iscsi_link(&link, folder, name))
		add_link(chain, SGS_HOP_ISCSI, folder, name, &link);
	else if (sata_above(&link, folder))
		add_link(chain, SGS_HOP_SATA, folder, name, &link);
	hop = add(chain, SGS_HOP_HBA, folder, name);
	snprintf(hop->what, sizeof hop->what, "%s%s%s", device->controller.driver,
		device->controller.pci[0] ? " " : "", device->controller.pci);
}

/* One link, or none: folder then is what was above it. */
static bool add_pcie(struct sgs_chain *chain, char folder[PATH_MAX])
{
	char lower[PATH_MAX], name[64];
	struct sgs_pcie_link link;
	struct sgs_hop *hop;

	strcpy(lower, folder);
	if (!sgs_pcie_link_read(&link, folder))
		return false;
	snprintf(name, sizeof name, "%.60s", sgs_node_name(lower));
	hop = add(chain, SGS_HOP_PCIE, lower, name);
	sgs_pcie_format(hop->what, &link.lower.now);
	hop->now = sgs_pcie_bytes_per_second(&link.lower.now);
	/* The better of the two ends: a slot that is too slow for its card is below, too. */
	hop->most = sgs_pcie_bytes_per_second(&link.lower.most);
	if (sgs_hop_is_below(hop))
		sgs_pcie_format(hop->could, &link.lower.most);
	return true;
}

static void add_node(struct sgs_chain *chain, int node)
{
	char name[32], list[96];
	struct sgs_cpus cpus;
	struct sgs_hop *hop;

	if (node < 0)
		return;
	snprintf(name, sizeof name, "node%d", node);
	hop = add(chain, SGS_HOP_NODE, name, name);
	if (sgs_node_cpus(&cpus, node))
		snprintf(hop->what, sizeof hop->what, "CPUs %s",
			sgs_cpus_format(list, sizeof list, &cpus));
}

/* ---- the way ---- */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static void look_at(
	struct sgs_chain *chain, const struct sgs_device *device, const char *folder)
{
	const char *name = sgs_node_name(folder);
	struct sgs_link link;

	if (begins(name, "port-") && sgs_sas_link(&link, folder))
		add_link(chain, SGS_HOP_SAS, folder, name, &link);
	else if (begins(name, "expander-"))
		add_expander(chain, folder, name);
	else if (begins(name, "session"))
		add_session(chain, folder, name);
	else if (begins(name, "host"))
		add_host(chain, device, folder, name);
}

void sgs_chain_find(const struct sgs_device *device, struct sgs_chain *chain)
{
	const char *pci = device->controller.pci;
	char folder[PATH_MAX];

	chain->n = 0;
	if (!sgs_device_folder(device, folder))
		return;
	add_drive(chain, device, folder);
	while (sgs_folder_up(folder) && strcmp(sgs_node_name(folder), pci) != 0)
		look_at(chain, device, folder);
	/* Above the port that ends a link, the same switch goes on without one. */
	if (sgs_controller_folder(device, folder))
		while (add_pcie(chain, folder) && sgs_folder_up(folder))
			;
	add_node(chain, device->controller.numa_node);
}
