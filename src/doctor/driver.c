/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sg driver: whether it is there, and whether it lets data go past it.
 */
#include "doctor/checks.h"

#include <stdlib.h>

#include "sys/procfs.h"
#include "sys/sysfs.h"

static bool sg_is_loaded(void)
{
	return sgs_sysfs_exists("class/scsi_generic");
}

/* No device was named that sg could serve. */
static bool nothing_for_sg(const struct sgs_doctor *doctor)
{
	for (size_t i = 0; i < doctor->n; i++) {
		if (doctor->rows[i].device.is_scsi)
			return false;
	}
	return doctor->n > 0;
}

void sgs_check_sg_driver(struct sgs_exam *exam)
{
	if (sg_is_loaded()) {
		sgs_find(exam, SGS_FOUND_OK, "the sg driver is loaded");
		return;
	}
	sgs_find(exam, nothing_for_sg(exam->doctor) ? SGS_FOUND_INFO : SGS_FOUND_PROBLEM,
		"the sg driver is not loaded: there are no /dev/sgN, the engines sg-mmap, "
		"sg-dio, "
		"sg-copy and sg-async cannot run, and drives without a block node, such as the "
		"members of a RAID volume, cannot be seen");
	sgs_mend_as_root(exam, "modprobe sg");
}

/* 0 or 1, negative where neither file tells. */
static int allow_dio(void)
{
	int64_t value;
	char text[16];

	if (sgs_sysfs_number(&value, "module/sg/parameters/allow_dio") == 0)
		return value != 0;
	if (sgs_procfs_text(text, sizeof(text), "scsi/sg/allow_dio") > 0)
		return atoi(text) != 0;
	return -1;
}

static void mend_allow_dio(struct sgs_exam *exam)
{
	if (sgs_sysfs_exists("module/sg/parameters/allow_dio"))
		sgs_mend_write(exam, "1", "/sys/module/sg/parameters/allow_dio");
	else
		sgs_mend_write(exam, "1", "/proc/scsi/sg/allow_dio");
}

void sgs_check_allow_dio(struct sgs_exam *exam)
{
	int value = allow_dio();

	if (value < 0)
		return;
	if (value) {
		sgs_find(
			exam, SGS_FOUND_OK, "allow_dio is 1: sg-dio moves data without a copy");
		return;
	}
	sgs_find(exam, SGS_FOUND_INFO,
		"allow_dio is 0: the sg driver silently copies what sg-dio asks for as direct "
		"I/O, "
		"which costs CPU time for each byte; sg-mmap, the default, does not need it");
	mend_allow_dio(exam);
}
