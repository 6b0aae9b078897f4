/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_MEASURE_HOST_H
#define SGS_MEASURE_HOST_H

#include <stdint.h>

/* What of the host bears on every figure measured on it. */
struct sgs_host {
	char name[65];	 /* node name, as uname -n has it */
	char kernel[65]; /* release, as uname -r has it */
	unsigned cpus;	 /* online, 0 unknown */
	int allow_dio;	 /* sg's parameter: 0, 1, or -1 when the sg driver is not loaded */
	uint64_t memory_bytes; /* that the kernel has to give, 0 unknown */
};

void sgs_host_look(struct sgs_host *host);

#endif
