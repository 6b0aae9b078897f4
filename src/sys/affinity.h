/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_AFFINITY_H
#define SGS_SYS_AFFINITY_H

#include "util/cpulist.h"

/* The calling thread runs on these CPUs from now on. 0 or -errno. */
int sgs_sys_run_on(const struct sgs_cpus *cpus);

#endif
