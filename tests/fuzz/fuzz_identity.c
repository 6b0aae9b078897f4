/* SPDX-License-Identifier: BSD-2-Clause */
/* INQUIRY and VPD data of any kind and length. */
#include "scsi/identity.h"

#include "fuzz.h"

static void check(const struct sgs_identity *id)
{
	check_string(id->vendor, sizeof id->vendor);
	check_string(id->product, sizeof id->product);
	check_string(id->revision, sizeof id->revision);
	check_string(id->serial, sizeof id->serial);
	check_string(id->lu_name, sizeof id->lu_name);
	must(id->pdt >= -1 && id->pdt <= 0x1f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct sgs_identity id = { 0 };
	unsigned kind = take_byte(&in) % 3;
	uint8_t *exact = malloc(in.left ? in.left : 1); /* so that one byte too many is seen */

	must(exact);
	memcpy(exact, in.at, in.left);
	if (kind == 0)
		sgs_parse_inquiry(exact, in.left, &id);
	else if (kind == 1)
		sgs_parse_vpd_serial(exact, in.left, &id);
	else
		sgs_parse_vpd_device_id(exact, in.left, &id);
	check(&id);
	free(exact);
	return 0;
}
