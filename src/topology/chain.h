/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way from a drive to the memory of the host, hop by hop, from sysfs alone: SAS, SATA,
 * Fibre Channel and iSCSI links, expanders, the adapter, PCI Express links, the NUMA node.
 */
#ifndef SGS_TOPOLOGY_CHAIN_H
#define SGS_TOPOLOGY_CHAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sgstream/device.h>

enum sgs_hop_kind {
	SGS_HOP_DRIVE,
	SGS_HOP_SAS, /* a port: one link, or several that act as one */
	SGS_HOP_EXPANDER,
	SGS_HOP_SATA,
	SGS_HOP_FC,
	SGS_HOP_ISCSI,
	SGS_HOP_HBA,
	SGS_HOP_PCIE,
	SGS_HOP_NODE,
};

struct sgs_hop {
	enum sgs_hop_kind kind;
	uint64_t id;	/* the same for all drives behind it */
	char name[64];	/* "port-0:0", "0000:03:00.0" */
	char what[128]; /* "12.0 Gbit x4", "mpt3sas"; or empty */
	char could[64]; /* what the link can do, where it does less, or empty */
	/* Of the link, bytes per second without its line code; 0: it has no rate, or one that
	 * is not known. */
	double now, most;
};

enum { SGS_HOPS_MAX = 32 };

struct sgs_chain {
	struct sgs_hop hops[SGS_HOPS_MAX]; /* from the drive on */
	size_t n;
};

/* "sas" */
const char *sgs_hop_kind_name(enum sgs_hop_kind kind);

void sgs_chain_find(const struct sgs_device *device, struct sgs_chain *chain);

/* Whether the hop runs below its maximum. */
bool sgs_hop_is_below(const struct sgs_hop *hop);

/* The hop with the lowest rate; NULL when none is known. */
const struct sgs_hop *sgs_chain_lowest(const struct sgs_chain *chain);

/* Folder of the SCSI device, or else of the disk, below the root of sysfs. */
bool sgs_device_folder(const struct sgs_device *device, char folder[PATH_MAX]);

/* Folder of the PCI function that the device's commands go through. */
bool sgs_controller_folder(const struct sgs_device *device, char folder[PATH_MAX]);

#endif
