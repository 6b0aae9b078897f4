/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct type {
	const char *name;
	bool readable;
} types[0x20] = {
	[0x00] = { "disk", true },
	[0x01] = { "tape", false },
	[0x02] = { "printer", false },
	[0x03] = { "processor", false },
	[0x04] = { "write-once drive", true },
	[0x05] = { "CD or DVD drive", true },
	[0x06] = { "scanner", false },
	[0x07] = { "optical drive", true },
	[0x08] = { "medium changer", false },
	[0x09] = { "communications device", false },
	[0x0c] = { "RAID controller", false },
	[0x0d] = { "enclosure", false },
	[0x0e] = { "simplified disk", true },
	[0x0f] = { "optical card reader", false },
	[0x11] = { "object store", false },
	[0x12] = { "automation interface", false },
	[0x14] = { "zoned disk", true },
	[0x1e] = { "well-known logical unit", false },
	[0x1f] = { "place without a device", false },
};

const char *sgs_type_name(int pdt)
{
	if (pdt < 0 || pdt > 0x1f || !types[pdt].name)
		return "device of an unknown type";
	return types[pdt].name;
}

static const char *article(const char *noun)
{
	return strchr("aeiou", noun[0]) ? "an" : "a";
}

int sgs_type_accept(const char *path, int pdt, struct sgs_error *err)
{
	if (pdt < 0 || (pdt <= 0x1f && types[pdt].readable))
		return 0;
	return sgs_fail(err, SGS_FILE, "wrong_device_type",
		"%.200s is %s %s (type %02xh), which is not read from; give a disk (00h, 0eh, "
		"14h), a CD "
		"drive (05h) or an optical drive (04h, 07h)",
		path, article(sgs_type_name(pdt)), sgs_type_name(pdt), (unsigned)pdt);
}
