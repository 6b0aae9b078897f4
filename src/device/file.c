/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#define USUAL_DIO_BLOCK 4096

/* 0 when the kernel (before Linux 6.1) or the file system does not tell. */
static uint32_t told_dio_block(const char *path)
{
#if defined(STATX_DIOALIGN)
	struct statx stx;

	if (statx(AT_FDCWD, path, 0, STATX_DIOALIGN, &stx) == 0 &&
		(stx.stx_mask & STATX_DIOALIGN))
		return stx.stx_dio_offset_align;
#else
	(void)path;
#endif
	return 0;
}

int sgs_file_ask(const struct sgs_place *place, struct sgs_device *dev, struct sgs_error *err)
{
	uint32_t dio_block;

	if (place->st.st_size <= 0)
		return sgs_fail(err, SGS_FILE, "empty",
			"%.200s is an empty file: there is nothing to read; give one with data",
			place->path);
	dev->file_dev = place->st.st_dev;
	dev->file_ino = place->st.st_ino;
	dev->block_bytes = 1;
	dev->physical_block_bytes = 1;
	dev->blocks = (uint64_t)place->st.st_size;
	dio_block = told_dio_block(place->path);
	dev->limits.dio_block = dio_block ? dio_block : USUAL_DIO_BLOCK;
	return 0;
}
