/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI Express links as sysfs tells of them. Each joins a port and what is plugged into it, and
 * runs at what both can do, or at less.
 */
#ifndef SGS_TOPOLOGY_PCIE_H
#define SGS_TOPOLOGY_PCIE_H

#include <stdbool.h>

struct sgs_pcie_rate {
	double speed; /* GT/s per lane, 0 unknown */
	int width;
};

/* What one end of a link says: of the function in a folder below the root of sysfs, the link up
 * from it. */
struct sgs_pcie_end {
	struct sgs_pcie_rate now, most;
};

struct sgs_pcie_link {
	struct sgs_pcie_end lower;
	struct sgs_pcie_rate could; /* both ends */
};

/* False when there is no link, as within a chip, or it is down. */
bool sgs_pcie_end_read(struct sgs_pcie_end *end, const char *folder);

/* The link up from folder, which becomes that of its upper end. */
bool sgs_pcie_link_read(struct sgs_pcie_link *link, char *folder);

bool sgs_pcie_is_below(const struct sgs_pcie_rate *a, const struct sgs_pcie_rate *b);

/* Of data and packet headers; of large transfers the data is about nine tenths. */
double sgs_pcie_bytes_per_second(const struct sgs_pcie_rate *rate);

/* "8.0 GT/s x4" */
enum { SGS_PCIE_ROOM = 64 };
char *sgs_pcie_format(char buf[SGS_PCIE_ROOM], const struct sgs_pcie_rate *rate);

/* Cuts the last component off a folder; false at the top. */
bool sgs_folder_up(char *folder);

#endif
