/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much one command can have, against the block size that is wanted.
 */
#include "doctor/checks.h"

#include <inttypes.h>
#include <stdio.h>

#include "sys/sysfs.h"
#include "util/units.h"

#define PAGE	     4096u
#define SG_LIMIT     (256u << 20) /* sg_common_write() of sg.c refuses this and more */
#define SCATTER_FILE "module/sg/parameters/scatter_elem_sz"

void sgs_check_block_length(struct sgs_exam *exam)
{
	const struct sgs_device *device = exam->device;
	uint64_t bs = sgs_exam_bs(exam), blocks;
	char size[32], path[512];

	if (device->block_bytes == 0)
		return;
	blocks = bs / device->block_bytes ? bs / device->block_bytes : 1;
	if (bs % device->block_bytes == 0) {
		sgs_find(exam, SGS_FOUND_OK, "--bs is whole blocks of %" PRIu32 " bytes",
			device->block_bytes);
		return;
	}
	sgs_find(exam, SGS_FOUND_PROBLEM,
		"--bs %s is no whole number of its blocks of %" PRIu32
		" bytes, so it cannot be read with that; the nearest are %" PRIu64 " blocks",
		sgs_format_size(size, sizeof(size), bs), device->block_bytes, blocks);
	if (sgs_shell_word(path, sizeof(path), device->path)[0])
		sgs_mend(exam, "sgstream --bs %" PRIu64 "blk %s", blocks, path);
}

/* What max_sectors_kb cannot be raised above, and why. */
struct ceiling {
	uint64_t bytes;
	const char *what;
};

static void lower(struct ceiling *ceiling, uint64_t bytes, const char *what)
{
	if (bytes > 0 && bytes < ceiling->bytes)
		*ceiling = (struct ceiling){ bytes, what };
}

/* MAXIMUM TRANSFER LENGTH of the Block Limits VPD page, in logical blocks (SBC-4 6.6.4), which
 * the kernel keeps. */
static uint64_t drive_limit(const struct sgs_exam *exam)
{
	uint8_t page[64];
	int n = sgs_sysfs_bytes(page, sizeof(page), "%s/vpd_pgb0", exam->folders.unit);

	if (!exam->folders.unit[0] || n < 12)
		return 0;
	return ((uint64_t)page[8] << 24 | (uint64_t)page[9] << 16 | (uint64_t)page[10] << 8 |
		       page[11]) *
	       exam->device->block_bytes;
}

/* sd uses READ(10) up to 2^32 blocks, and lets max_sectors_kb have no more than that carries:
 * sd_revalidate_disk(). */
static uint64_t cdb_limit(const struct sgs_exam *exam)
{
	const struct sgs_device *device = exam->device;

	if (!device->is_scsi || !exam->folders.disk[0] || device->blocks > UINT32_MAX)
		return 0;
	return UINT64_C(0xffff) * device->block_bytes;
}

static struct ceiling find_ceiling(const struct sgs_exam *exam)
{
	struct ceiling ceiling = { UINT64_MAX, "" };

	lower(&ceiling, exam->device->limits.max_hw_transfer,
		"max_hw_sectors_kb, the adapter's own limit");
	lower(&ceiling, drive_limit(exam), "the drive's own limit (VPD page B0h)");
	lower(&ceiling, cdb_limit(exam), "65535 blocks, the most of the sd driver's READ(10)");
	if (exam->device->sg_path[0])
		lower(&ceiling, SG_LIMIT - 1024, "a limit of the sg driver");
	return ceiling;
}

static void mend_max_transfer(struct sgs_exam *exam, uint64_t bytes)
{
	uint64_t kib = bytes / 1024;
	char value[32];

	if (!exam->folders.disk[0] || kib * 1024 <= exam->device->limits.max_transfer)
		return;
	snprintf(value, sizeof(value), "%" PRIu64, kib);
	sgs_mend_write(exam, value, "/sys/block/%s/queue/max_sectors_kb", sgs_exam_disk(exam));
}

/* The SCSI engines refuse what does not fit; the block engines' reads are split. */
static enum sgs_severity transfer_level(const struct sgs_device *device)
{
	if (device->node == SGS_NODE_SG)
		return SGS_FOUND_PROBLEM;
	return device->node == SGS_NODE_BSG ? SGS_FOUND_WARNING : SGS_FOUND_INFO;
}

static void say_max_transfer(struct sgs_exam *exam, uint64_t bs, const struct ceiling *ceiling)
{
	const struct sgs_device *device = exam->device;
	char wanted[32], now[32], most[32], limit[160] = "";
	uint64_t rounded = (bs + 1023) / 1024 * 1024;

	if (rounded > ceiling->bytes)
		snprintf(limit, sizeof(limit), "; more than %s is not possible: %s",
			sgs_format_size(most, sizeof(most), ceiling->bytes), ceiling->what);
	else if (!exam->folders.disk[0])
		snprintf(limit, sizeof(limit),
			"; without a block node there is nothing to raise it by: use a smaller "
			"--bs "
			"or -e sg-copy");
	sgs_find(exam, transfer_level(device),
		"one command can have %s (max_sectors_kb), and --bs %s is wanted: the reserve "
		"buffer "
		"of sg-mmap is cut to that, so it cannot run, and reads of the block engines "
		"are "
		"split%s",
		sgs_format_size(now, sizeof(now), device->limits.max_transfer),
		sgs_format_size(wanted, sizeof(wanted), bs), limit);
	mend_max_transfer(exam, rounded < ceiling->bytes ? rounded : ceiling->bytes);
}

void sgs_check_max_transfer(struct sgs_exam *exam)
{
	const struct ceiling ceiling = find_ceiling(exam);
	uint64_t bs = sgs_exam_bs(exam), now = exam->device->limits.max_transfer;
	char size[32];

	if (now == 0)
		return;
	if (bs > now)
		say_max_transfer(exam, bs, &ceiling);
	else
		sgs_find(exam, SGS_FOUND_OK, "one command can have %s",
			sgs_format_size(size, sizeof(size), now));
}

void sgs_check_segments(struct sgs_exam *exam)
{
	uint64_t bs = sgs_exam_bs(exam), segments = exam->device->limits.sg_tablesize;
	char wanted[32], most[32];

	if (segments == 0 || !exam->device->is_scsi)
		return;
	sgs_format_size(most, sizeof(most), segments * PAGE);
	if (bs <= segments * PAGE) {
		sgs_find(exam, SGS_FOUND_OK, "%" PRIu64 " segments of a page are %s", segments,
			most);
		return;
	}
	sgs_find(exam, SGS_FOUND_INFO,
		"the adapter takes %" PRIu64
		" segments per command, %s in pages of 4 KiB: with --bs %s "
		"the zero-copy engines sg-dio, sgio, bsg and direct need huge pages or a "
		"smaller "
		"--bs; sg-mmap does not",
		segments, most, sgs_format_size(wanted, sizeof(wanted), bs));
}

static uint64_t power_of_two(uint64_t n)
{
	uint64_t power = PAGE;

	while (power < n)
		power *= 2;
	return power;
}

/* The reserve buffer is made of pieces of scatter_elem_sz, one a segment: sg_build_indirect().
 */
void sgs_check_reserve_segments(struct sgs_exam *exam)
{
	uint64_t bs = sgs_exam_bs(exam), segments = exam->device->limits.sg_tablesize;
	char wanted[32], most[32], value[32];
	int64_t piece;

	if (exam->device->node != SGS_NODE_SG || segments == 0 ||
		sgs_sysfs_number(&piece, SCATTER_FILE) < 0 || piece <= 0)
		return;
	sgs_format_size(most, sizeof(most), segments * (uint64_t)piece);
	if (bs <= segments * (uint64_t)piece) {
		sgs_find(exam, SGS_FOUND_OK, "a reserve buffer can have %s", most);
		return;
	}
	sgs_find(exam, SGS_FOUND_PROBLEM,
		"%" PRIu64 " segments of %" PRId64
		" bytes (scatter_elem_sz) make a reserve buffer of "
		"%s at the most: sg-mmap and sg-copy cannot run with --bs %s",
		segments, piece, most, sgs_format_size(wanted, sizeof(wanted), bs));
	snprintf(
		value, sizeof(value), "%" PRIu64, power_of_two((bs + segments - 1) / segments));
	sgs_mend_write(exam, value, "/sys/" SCATTER_FILE);
}
