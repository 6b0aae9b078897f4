/* SPDX-License-Identifier: BSD-2-Clause */
#include "measure/host.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sys/sysfs.h"
#include "util/text.h"

static int read_allow_dio(void)
{
	int64_t value;

	if (sgs_sysfs_number(&value, "module/sg/parameters/allow_dio") != 0)
		return -1;
	return value != 0;
}

void sgs_host_look(struct sgs_host *host)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname name;
	struct sysinfo info;

	memset(host, 0, sizeof(*host));
	if (uname(&name) == 0) {
		sgs_copy_utf8(host->name, sizeof(host->name), name.nodename);
		sgs_copy_utf8(host->kernel, sizeof(host->kernel), name.release);
	}
	if (sysinfo(&info) == 0)
		host->memory_bytes = (uint64_t)info.totalram * info.mem_unit;
	host->cpus = cpus > 0 ? (unsigned)cpus : 0;
	host->allow_dio = read_allow_dio();
}
