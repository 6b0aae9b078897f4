/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/paths.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static bool same_name(const char *a, const char *b)
{
	return a[0] && !strcmp(a, b);
}

/* By another name, through a symbolic link, or by a hard link */
static bool same_file(const struct sgs_device *a, const struct sgs_device *b)
{
	return a->file_ino && a->file_ino == b->file_ino && a->file_dev == b->file_dev;
}

/* Two partitions of a disk have the disk's name, and not its data. */
static bool same_unit(const struct sgs_device *a, const struct sgs_device *b)
{
	if (same_name(a->block_path, b->block_path) || same_file(a, b))
		return true;
	return !a->is_partition && !b->is_partition &&
	       (same_name(a->identity.lu_name, b->identity.lu_name) ||
		       same_name(a->sg_path, b->sg_path));
}

size_t sgs_unit_of(const struct sgs_device *devices, size_t i)
{
	size_t first = 0;

	while (first < i && !same_unit(&devices[first], &devices[i]))
		first++;
	return first;
}

int sgs_paths_check(const struct sgs_job *job, const struct sgs_device *first,
	const struct sgs_device *path, struct sgs_error *err)
{
	if (job->pattern == SGS_SEGMENTS)
		return sgs_fail(err, SGS_CONTRADICT, "merged_segments",
			"--paths merge reads %s and %s from one cursor, and --pattern segments "
			"has one for each reader; leave one of them out",
			first->path, path->path);
	if (first->blocks != path->blocks || first->block_bytes != path->block_bytes)
		return sgs_fail(err, SGS_MALFORMED, "merged_sizes",
			"%s and %s say that they are one unit, and have %" PRIu64
			" blocks of %u bytes and %" PRIu64
			" of %u; they cannot be read as one: leave --paths merge out",
			first->path, path->path, first->blocks, first->block_bytes,
			path->blocks, path->block_bytes);
	return 0;
}

void sgs_paths_warn(const struct sgs_job *job, struct sgs_result *result)
{
	const struct sgs_device_result *devices = result->run.devices;

	for (size_t i = 0; job->paths == SGS_PATHS_UNSAID && i < result->run.n_devices; i++)
		if (devices[i].same_unit)
			sgs_result_message(result, SGS_WARNING, devices[i].device.path,
				"same_unit",
				"%s and %s are one logical unit, which is counted twice; "
				"--paths "
				"merge reads it once over both, --paths each means it",
				devices[i].same_unit->device.path, devices[i].device.path);
}
