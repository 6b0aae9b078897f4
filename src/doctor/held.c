/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who else has a drive: programs by any of its nodes, filesystems, swap, and the devices that
 * are built of it (md, dm).
 */
#include "doctor/checks.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "doctor/openers.h"
#include "sys/sysfs.h"

enum { MAX_NODES = 80, SHOWN = 5 };

struct search {
	struct sgs_exam *exam;
	struct {
		dev_t rdev;
		bool block;
	} nodes[MAX_NODES];
	size_t n_nodes;
	char text[320]; /* "smartd (pid 812), mounted on /data" */
	unsigned found;
};

static void add_node(struct search *search, bool block, const char *folder)
{
	unsigned high, low;
	char text[32];

	if (search->n_nodes == MAX_NODES ||
		sgs_sysfs_text(text, sizeof(text), "%s/dev", folder) <= 0 ||
		sscanf(text, "%u:%u", &high, &low) != 2)
		return;
	search->nodes[search->n_nodes].rdev = makedev(high, low);
	search->nodes[search->n_nodes++].block = block;
}

static void add_holder(struct search *search, const char *text)
{
	size_t used = strlen(search->text);

	if (search->found++ < SHOWN)
		snprintf(search->text + used, sizeof(search->text) - used, "%s%s",
			used ? ", " : "", text);
}

static int look_at_holder(const char *name, void *arg)
{
	char text[256], mapped[128] = "";

	if (sgs_sysfs_text(mapped, sizeof(mapped), "class/block/%s/dm/name", name) > 0)
		snprintf(text, sizeof(text), "part of %s (%s)", name, mapped);
	else
		snprintf(text, sizeof(text), "part of %s", name);
	add_holder(arg, text);
	return 0;
}

static void look_at_block(struct search *search, const char *folder)
{
	char holders[3 * PATH_MAX];

	add_node(search, true, folder);
	snprintf(holders, sizeof(holders), "%s/holders", folder);
	sgs_sysfs_each(holders, look_at_holder, search);
}

static int look_at_partition(const char *name, void *arg)
{
	struct search *search = arg;
	const char *disk = search->exam->folders.disk;
	char folder[2 * PATH_MAX];

	snprintf(folder, sizeof(folder), "%s/%s", disk, name);
	if (sgs_sysfs_exists("%s/partition", folder))
		look_at_block(search, folder);
	return 0;
}

static int look_at_character(const char *name, void *arg)
{
	char folder[2 * PATH_MAX];
	struct search *search = arg;
	const char *unit = search->exam->folders.unit;

	snprintf(folder, sizeof(folder), "%s/scsi_generic/%s", unit, name);
	add_node(search, false, folder);
	snprintf(folder, sizeof(folder), "%s/bsg/%s", unit, name);
	add_node(search, false, folder);
	return 0;
}

static void find_nodes(struct search *search)
{
	const struct sgs_folders *folders = &search->exam->folders;
	char list[2 * PATH_MAX];

	if (folders->unit[0]) {
		snprintf(list, sizeof(list), "%s/scsi_generic", folders->unit);
		sgs_sysfs_each(list, look_at_character, search);
		snprintf(list, sizeof(list), "%s/bsg", folders->unit);
		sgs_sysfs_each(list, look_at_character, search);
	}
	if (folders->disk[0]) {
		look_at_block(search, folders->disk);
		sgs_sysfs_each(folders->disk, look_at_partition, search);
	}
}

static bool is_of(const struct search *search, const struct sgs_opener *opener)
{
	for (size_t i = 0; i < search->n_nodes; i++) {
		if (search->nodes[i].rdev == opener->rdev &&
			search->nodes[i].block == opener->block)
			return true;
	}
	return false;
}

static void find_openers(struct search *search)
{
	const struct sgs_openers *openers = search->exam->openers;

	for (size_t i = 0; i < openers->n; i++) {
		const struct sgs_opener *opener = &openers->rows[i];
		char text[200];

		if (!is_of(search, opener))
			continue;
		if (opener->pid)
			snprintf(text, sizeof(text), "open in %s (pid %d)", opener->name,
				opener->pid);
		else
			snprintf(text, sizeof(text), "%s", opener->name);
		add_holder(search, text);
	}
}

/* What could not be looked at, and the command that can. */
static void mend_unseen(struct sgs_exam *exam)
{
	char path[1024];

	sgs_shell_word(path, sizeof(path), exam->device->path);
	if (exam->openers->unseen > 0 && path[0])
		sgs_mend_as_root(exam, "sgstream doctor %s", path);
}

static void say_unseen(char *text, size_t cap, unsigned unseen)
{
	text[0] = '\0';
	if (unseen > 0)
		snprintf(text, cap, "; %u process%s of other users could not be looked at",
			unseen, unseen == 1 ? "" : "es");
}

static void say_held(struct sgs_exam *exam, const struct search *search, const char *unseen)
{
	bool exclusive = strcmp(exam->row->problem.code, "held_exclusively") == 0;
	char more[32] = "";

	if (search->found > SHOWN)
		snprintf(more, sizeof(more), " and %u more", search->found - SHOWN);
	sgs_find(exam, exclusive ? SGS_FOUND_PROBLEM : SGS_FOUND_WARNING, "%s is %s%s: %s%s",
		sgs_node_name(exam->device->path), search->text, more,
		exclusive ? "one of them has it exclusively, so it cannot be opened before "
			    "that ends"
			  : "reading does no harm to that, but what else is done with the "
			    "drive meanwhile slows both and is in the figures",
		unseen);
}

void sgs_check_held(struct sgs_exam *exam)
{
	struct search search = { .exam = exam };
	char unseen[80];

	find_nodes(&search);
	if (search.n_nodes == 0)
		return;
	find_openers(&search);
	say_unseen(unseen, sizeof(unseen), exam->openers->unseen);
	if (search.found > 0)
		say_held(exam, &search, unseen);
	else if (strcmp(exam->row->problem.code, "held_exclusively") == 0)
		sgs_find(exam, SGS_FOUND_PROBLEM, "%s%s", exam->row->problem.text, unseen);
	else if (unseen[0])
		sgs_find(exam, SGS_FOUND_INFO, "no program is seen that holds %s%s",
			sgs_node_name(exam->device->path), unseen);
	else
		sgs_find(exam, SGS_FOUND_OK, "nothing else holds it");
	mend_unseen(exam);
}
