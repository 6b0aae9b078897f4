/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the node can be opened, and whether there is something to read.
 */
#include "doctor/checks.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/kernel.h"

static bool has_problem(const struct sgs_exam *exam, const char *code)
{
	return strcmp(exam->row->problem.code, code) == 0;
}

/* The node's group is joined when it may read; a group that may not is let in first. Nobody
 * should join group root. */
static void mend_permission(struct sgs_exam *exam)
{
	char path[512], let_in[600] = "";
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group;
	struct stat st;

	sgs_shell_word(path, sizeof(path), exam->device->path);
	if (!path[0] || sgs_sys_stat(exam->device->path, &st) < 0 || geteuid() == 0)
		return;
	group = getgrgid(st.st_gid);
	if (!(st.st_mode & S_IRGRP))
		snprintf(let_in, sizeof(let_in), "chmod g+r %s", path);
	if (st.st_gid == 0 || !group || !user)
		sgs_mend_as_root(exam, "sgstream %s", path);
	else if (group_member(st.st_gid))
		sgs_mend_as_root(exam, "%s", let_in);
	else
		sgs_mend_as_root(exam, "%s%susermod -aG %s %s", let_in,
			!let_in[0]	     ? ""
			: exam->doctor->root ? " && "
					     : " && sudo ",
			group->gr_name, user->pw_name);
}

void sgs_check_access(struct sgs_exam *exam)
{
	const struct sgs_error *problem = &exam->row->problem;

	if (!problem->status) {
		sgs_find(exam, SGS_FOUND_OK, "it opens and answers");
		return;
	}
	if (problem->status == SGS_NOT_READY || has_problem(exam, "held_exclusively"))
		return; /* said by another check */
	sgs_find(exam, SGS_FOUND_PROBLEM, "%s", problem->text);
	if (has_problem(exam, "no_permission"))
		mend_permission(exam);
}

void sgs_check_medium(struct sgs_exam *exam)
{
	const struct sgs_error *problem = &exam->row->problem;

	if (problem->status == SGS_NOT_READY)
		sgs_find(exam, SGS_FOUND_PROBLEM, "%s", problem->text);
	else if (!problem->status && exam->device->identity.removable)
		sgs_find(exam, SGS_FOUND_OK, "the medium is in");
}

void sgs_check_read_only(struct sgs_exam *exam)
{
	if (exam->device->read_only)
		sgs_find(exam, SGS_FOUND_INFO,
			"%s is read-only, which is all that reading needs",
			sgs_exam_disk(exam));
}
