/* SPDX-License-Identifier: BSD-2-Clause */
/* READ CAPACITY data of any kind and length: never a size that overflows. */
#include "scsi/identity.h"

#include "fuzz.h"

static void check(int ret, const struct sgs_capacity *cap)
{
	uint64_t bytes;

	if (ret < 0)
		return;
	must(cap->block_bytes && cap->blocks);
	must(!__builtin_mul_overflow(cap->blocks, cap->block_bytes, &bytes));
	must(cap->physical_block_bytes >= cap->block_bytes);
	must(cap->protection_type >= 0 && cap->protection_type <= 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);
	struct sgs_capacity cap;

	must(exact);
	memcpy(exact, data, size);
	check(sgs_parse_capacity10(exact, size, &cap), &cap);
	check(sgs_parse_capacity16(exact, size, &cap), &cap);
	free(exact);
	return 0;
}
