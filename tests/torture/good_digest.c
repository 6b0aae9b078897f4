/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * good_digest IMAGE BLOCK_BYTES: what a run with --on-error skip must find on a drive with the
 * content of IMAGE. From each line "BS_BLOCKS FIRST_BAD BAD_COUNT GRAIN_BLOCKS" of standard
 * input it makes a line "BYTES DIGEST [[FIRST,COUNT]]".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/digest.h"

struct drive {
	uint8_t *content;
	uint64_t blocks, block_bytes;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int load(struct drive *d, const char *path)
{
	FILE *file = fopen(path, "r");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		return -1;
	rewind(file);
	d->blocks = (uint64_t)size / d->block_bytes;
	d->content = malloc((size_t)size);
	if (!d->content || fread(d->content, 1, (size_t)size, file) != (size_t)size)
		return -1;
	return fclose(file);
}

static uint64_t add(
	const struct drive *d, uint64_t from, uint64_t to, struct sgs_digest *digest)
{
	if (from >= to)
		return 0;
	sgs_digest_add(digest, d->content + from * d->block_bytes, (to - from) * d->block_bytes,
		from * d->block_bytes);
	return (to - from) * d->block_bytes;
}

/* Each transfer gives what is before the bad blocks and what is behind. */
static void print(const struct drive *d, uint64_t bs, uint64_t first, uint64_t end)
{
	struct sgs_digest digest = { 0 };
	uint64_t bytes = 0;

	for (uint64_t lba = 0; lba < d->blocks; lba += bs) {
		uint64_t stop = smaller(lba + bs, d->blocks);
		uint64_t behind = end > lba ? end : lba;

		if (end <= lba || first >= stop)
			bytes += add(d, lba, stop, &digest);
		else
			bytes += add(d, lba, first, &digest) + add(d, behind, stop, &digest);
	}
	printf("%" PRIu64 " %016" PRIx64 "%016" PRIx64, bytes, digest.high, digest.low);
	if (end > first)
		printf(" [[%" PRIu64 ",%" PRIu64 "]]\n", first, end - first);
	else
		puts(" []");
}

int main(int argc, char **argv)
{
	struct drive d = { .block_bytes = argc == 3 ? strtoull(argv[2], NULL, 10) : 0 };
	uint64_t bs, first, count, grain;

	if (!d.block_bytes || load(&d, argv[1])) {
		fputs("usage: good_digest IMAGE BLOCK_BYTES\n", stderr);
		return 2;
	}
	while (scanf("%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &bs, &first, &count,
		       &grain) == 4) {
		uint64_t end = count ? (first + count + grain - 1) / grain * grain : 0;

		print(&d, bs, count ? first / grain * grain : 0, smaller(end, d.blocks));
	}
	free(d.content);
	return 0;
}
