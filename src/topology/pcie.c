/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology/pcie.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sys/sysfs.h"

/* Bytes per transfer of one lane: 8 bits of 10, since 8 GT/s 128 of 130 (PCIe 3.0 4.2.2). */
#define OLD_CODE 0.1
#define NEW_CODE (128.0 / 130 / 8)

/* "8.0 GT/s PCIe" and "4"; an integrated function has width 0, and one that fell off 255. */
static bool read_rate(struct sgs_pcie_rate *rate, const char *folder, const char *which)
{
	int64_t width;
	char text[64];

	*rate = (struct sgs_pcie_rate){ 0 };
	if (sgs_sysfs_text(text, sizeof(text), "%s/%s_link_speed", folder, which) <= 0 ||
		sscanf(text, "%lf GT/s", &rate->speed) != 1 ||
		sgs_sysfs_number(&width, "%s/%s_link_width", folder, which) < 0)
		return false;
	rate->width = width > 0 && width < 64 ? (int)width : 0;
	return rate->speed > 0 && rate->width > 0;
}

bool sgs_pcie_end_read(struct sgs_pcie_end *end, const char *folder)
{
	return read_rate(&end->most, folder, "max") && read_rate(&end->now, folder, "current");
}

static struct sgs_pcie_rate lesser(const struct sgs_pcie_rate *a, const struct sgs_pcie_rate *b)
{
	return (struct sgs_pcie_rate){ a->speed < b->speed ? a->speed : b->speed,
		a->width < b->width ? a->width : b->width };
}

bool sgs_pcie_link_read(struct sgs_pcie_link *link, char *folder)
{
	struct sgs_pcie_rate upper;
	bool there = sgs_pcie_end_read(&link->lower, folder);

	link->could = link->lower.most;
	if (there && sgs_folder_up(folder) && read_rate(&upper, folder, "max"))
		link->could = lesser(&link->lower.most, &upper);
	return there;
}

bool sgs_pcie_is_below(const struct sgs_pcie_rate *a, const struct sgs_pcie_rate *b)
{
	return a->speed < b->speed || a->width < b->width;
}

double sgs_pcie_bytes_per_second(const struct sgs_pcie_rate *rate)
{
	return rate->speed * 1e9 * rate->width * (rate->speed < 8 ? OLD_CODE : NEW_CODE);
}

char *sgs_pcie_format(char buf[SGS_PCIE_ROOM], const struct sgs_pcie_rate *rate)
{
	snprintf(buf, SGS_PCIE_ROOM, "%.1f GT/s x%d", rate->speed, rate->width);
	return buf;
}

bool sgs_folder_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}
