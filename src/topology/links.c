/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology/links.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/sysfs.h"
#include "util/text.h"

/* A Gbit/s of line rate is 100 MB/s with 8 of 10 bits, and FC keeps that name at higher rates,
 * whose codes are better (FC-FS); SAS at 22.5 has 128 of 150 (SPL-4 5.5). */
#define MB 1e6

static double sas_bytes(double gbit)
{
	return gbit > 12 ? gbit * 1e9 / 8 * 128 / 150 : gbit * 100 * MB;
}

/* "6.0 Gbit", "12.0 Gbps"; 0 for "Unknown", "Phy disabled" and the like. */
static double gbits(const char *text)
{
	double rate;
	char unit;

	return sscanf(text, "%lf G%c", &rate, &unit) == 2 && rate > 0 ? rate : 0;
}

/* ---- SAS ---- */

struct port {
	const char *folder;
	unsigned up, phys; /* phys that have a rate, and all */
	double now, most;  /* bytes per second */
	double slow, fast; /* Gbit of a phy */
	double best;	   /* Gbit that a phy can do */
};

static double phy_rate(const struct port *port, const char *phy, const char *which)
{
	char text[64];

	return sgs_sysfs_text(text, sizeof text, "%s/%s/sas_phy/%s/%s", port->folder, phy, phy,
		       which) > 0
		       ? gbits(text)
		       : 0;
}

static int add_phy(const char *name, void *arg)
{
	struct port *port = arg;
	double now, most;

	if (strncmp(name, "phy-", 4) != 0)
		return 0;
	now = phy_rate(port, name, "negotiated_linkrate");
	most = phy_rate(port, name, "maximum_linkrate_hw");
	port->phys++;
	port->up += now > 0;
	port->now += sas_bytes(now);
	port->most += sas_bytes(most > now ? most : now);
	if (now > 0 && (port->slow == 0 || now < port->slow))
		port->slow = now;
	if (now > port->fast)
		port->fast = now;
	if (most > port->best)
		port->best = most;
	return 0;
}

bool sgs_sas_link(struct sgs_link *link, const char *folder)
{
	struct port port = { .folder = folder };

	memset(link, 0, sizeof *link);
	if (sgs_sysfs_each(folder, add_phy, &port) < 0 || port.phys == 0)
		return false;
	if (port.slow < port.fast)
		snprintf(link->what, sizeof link->what, "%.1f to %.1f Gbit x%u", port.slow,
			port.fast, port.up);
	else if (port.up)
		snprintf(link->what, sizeof link->what, "%.1f Gbit x%u", port.fast, port.up);
	else
		snprintf(link->what, sizeof link->what, "down");
	snprintf(link->could, sizeof link->could, "%.1f Gbit x%u", port.best, port.phys);
	link->now = port.now;
	link->most = port.most;
	return true;
}

void sgs_expander_name(char *buf, size_t cap, const char *folder, const char *name)
{
	char vendor[32] = "", product[32] = "", both[80];

	sgs_sysfs_text(vendor, sizeof vendor, "%s/sas_expander/%s/vendor_id", folder, name);
	sgs_sysfs_text(product, sizeof product, "%s/sas_expander/%s/product_id", folder, name);
	vendor[strcspn(vendor, " ")] = '\0';
	snprintf(both, sizeof both, "%s%s%s", vendor, vendor[0] ? " " : "", product);
	sgs_copy_printable(buf, cap, both, strlen(both));
}

/* ---- SATA ---- */

static double sata_rate(
	const char *folder, const char *number, const char *which, char text[64])
{
	return sgs_sysfs_text(text, 64, "%s/link%s/ata_link/link%s/%s", folder, number, number,
		       which) > 0
		       ? gbits(text)
		       : 0;
}

bool sgs_sata_link(struct sgs_link *link, const char *folder, const char *name)
{
	const char *number = name + strlen("ata");
	char now[64], most[64];

	memset(link, 0, sizeof *link);
	link->now = sata_rate(folder, number, "sata_spd", now) * 100 * MB;
	link->most = sata_rate(folder, number, "hw_sata_spd_limit", most) * 100 * MB;
	if (link->now <= 0)
		return false;
	snprintf(link->what, sizeof link->what, "%s", now);
	if (link->most > 0)
		snprintf(link->could, sizeof link->could, "%s", most);
	return true;
}

/* ---- Fibre Channel ---- */

/* The highest of "4 Gbit, 8 Gbit, 16 Gbit". */
static double fastest(char *list)
{
	char *word, *rest = NULL;
	double most = 0;

	for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (gbits(word) > most)
			most = gbits(word);
	return most;
}

bool sgs_fc_link(struct sgs_link *link, const char *folder, const char *name)
{
	char now[64], all[256];

	memset(link, 0, sizeof *link);
	if (sgs_sysfs_text(now, sizeof now, "%s/fc_host/%s/speed", folder, name) <= 0)
		return false;
	link->now = gbits(now) * 100 * MB;
	if (sgs_sysfs_text(all, sizeof all, "%s/fc_host/%s/supported_speeds", folder, name) > 0)
		link->most = fastest(all) * 100 * MB;
	sgs_copy_printable(link->what, sizeof link->what, now, strlen(now));
	snprintf(link->could, sizeof link->could, "%.0f Gbit", link->most / (100 * MB));
	return true;
}

/* ---- iSCSI ---- */

bool sgs_iscsi_link(struct sgs_link *link, const char *folder, const char *name)
{
	char device[32];
	int64_t megabits = 0;

	memset(link, 0, sizeof *link);
	if (!sgs_sysfs_exists("%s/iscsi_host/%s", folder, name))
		return false;
	if (sgs_sysfs_text(device, sizeof device, "%s/iscsi_host/%s/netdev", folder, name) >
			0 &&
		!strchr(device, '/') &&
		sgs_sysfs_number(&megabits, "class/net/%s/speed", device) == 0 &&
		megabits > 0) {
		snprintf(link->what, sizeof link->what, "%s, %lld Mbit", device,
			(long long)megabits);
		link->now = link->most = (double)megabits * 1e6 / 8;
	}
	return true;
}
