/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/checks.h"

#include <string.h>

#define ENABLED "kernel/mm/transparent_hugepage/enabled"

void sgs_check_huge_pages(struct sgs_exam *exam)
{
	char mode[32];

	if (!sgs_exam_choice(mode, sizeof(mode), ENABLED)) {
		sgs_find(exam, SGS_FOUND_INFO,
			"this kernel has no transparent huge pages: a large direct read has a "
			"segment for each 4 KiB of its buffer");
		return;
	}
	if (strcmp(mode, "never") != 0) {
		sgs_find(exam, SGS_FOUND_OK, "transparent huge pages are on (%s)", mode);
		return;
	}
	sgs_find(exam, SGS_FOUND_INFO,
		"transparent huge pages are off (never): sg-dio, direct and io_uring map their "
		"buffers 4 KiB at a time, which costs CPU time from about 256 KiB per command "
		"on and "
		"meets the adapter's limit of segments sooner; sg-mmap is not concerned");
	sgs_mend_write(exam, "always", "/sys/" ENABLED);
}
