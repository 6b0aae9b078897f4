/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/openers.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/kernel.h"
#include "sys/procfs.h"

static bool is_known(const struct sgs_openers *openers, const struct sgs_opener *new)
{
	for (size_t i = 0; i < openers->n; i++) {
		const struct sgs_opener *old = &openers->rows[i];

		if (old->rdev == new->rdev && old->block == new->block &&
			old->pid == new->pid &&strcmp(old->name, new->name) == 0)
			return true;
	}
	return false;
}

static void add(struct sgs_openers *openers, const struct stat *st, int pid, const char *name)
{
	struct sgs_opener new = {
		.rdev = st->st_rdev, .block = S_ISBLK(st->st_mode), .pid = pid
	};
	struct sgs_opener *grown;

	snprintf(new.name, sizeof(new.name), "%s", name);
	if (is_known(openers, &new))
		return;
	if (openers->n == openers->room) {
		size_t room = openers->room ? 2 * openers->room : 32;

		grown = reallocarray(openers->rows, room, sizeof(*grown));
		if (!grown)
			return;
		openers->rows = grown;
		openers->room = room;
	}
	openers->rows[openers->n++] = new;
}

/* Memory, consoles and terminals are open everywhere (Documentation/admin-guide/devices.txt).
 */
static bool may_be_a_drive(const struct stat *st)
{
	unsigned number = major(st->st_rdev);

	if (S_ISBLK(st->st_mode))
		return true;
	return S_ISCHR(st->st_mode) && number != 1 && number != 4 && number != 5 &&
	       (number < 136 || number > 143);
}

struct process {
	struct sgs_openers *openers;
	int pid;
};

static void process_name(char *name, size_t cap, int pid)
{
	if (sgs_procfs_text(name, cap, "%d/comm", pid) <= 0)
		snprintf(name, cap, "a process");
}

/* Sockets, pipes and files on a server that does not answer are not waited for. */
static int look_at_file(const char *fd, void *arg)
{
	const struct process *process = arg;
	char target[PATH_MAX], name[32];
	struct stat st;

	if (sgs_procfs_link(target, sizeof(target), "%d/fd/%s", process->pid, fd) < 0 ||
		!strstr(target, "/dev/") ||
		sgs_procfs_stat(&st, "%d/fd/%s", process->pid, fd) < 0 || !may_be_a_drive(&st))
		return 0;
	process_name(name, sizeof(name), process->pid);
	add(process->openers, &st, process->pid, name);
	return 0;
}

/* A thread of the kernel has no command line, and no files. */
static bool is_of_the_kernel(int pid)
{
	char text[8];

	return sgs_procfs_text(text, sizeof(text), "%d/cmdline", pid) <= 0;
}

static int look_at_process(const char *name, void *arg)
{
	struct process process = { .openers = arg };
	char folder[64];
	int err;

	if (!isdigit((unsigned char)name[0]))
		return 0;
	process.pid = atoi(name);
	if (process.pid == getpid())
		return 0;
	snprintf(folder, sizeof(folder), "%d/fd", process.pid);
	err = sgs_procfs_each(folder, look_at_file, &process);
	if ((err == -EACCES || err == -EPERM) && !is_of_the_kernel(process.pid))
		process.openers->unseen++;
	return 0;
}

/* The kernel writes blanks and backslashes in names as \040: proc_pid_mountinfo(5). */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned value;

		if (from[0] == '\\' && sscanf(from + 1, "%3o", &value) == 1) {
			*to = (char)value;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw": some filesystems (btrfs)
 * have a number of their own, but name their device. */
static int look_at_mount(char *line, void *arg)
{
	char place[1024], source[1024], name[1100];
	const char *end = strstr(line, " - ");
	unsigned high, low;
	struct stat st = { .st_mode = S_IFBLK };

	if (!end || sscanf(line, "%*d %*d %u:%u %*s %1023s", &high, &low, place) != 3 ||
		sscanf(end + 3, "%*s %1023s", source) != 1)
		return 0;
	unescape(place);
	snprintf(name, sizeof(name), "mounted on %s", place);
	st.st_rdev = makedev(high, low);
	if (high == 0) {
		unescape(source);
		if (strncmp(source, "/dev/", 5) != 0 || sgs_sys_stat(source, &st) < 0)
			return 0;
	}
	if (S_ISBLK(st.st_mode))
		add(arg, &st, 0, name);
	return 0;
}

static int look_at_swap(char *line, void *arg)
{
	char path[1024];
	struct stat st;

	if (line[0] != '/' || sscanf(line, "%1023s", path) != 1)
		return 0;
	unescape(path);
	if (sgs_sys_stat(path, &st) == 0 && S_ISBLK(st.st_mode))
		add(arg, &st, 0, "in use as swap");
	return 0;
}

void sgs_openers_find(struct sgs_openers *openers)
{
	sgs_procfs_lines("self/mountinfo", look_at_mount, openers);
	sgs_procfs_lines("swaps", look_at_swap, openers);
	sgs_procfs_each("", look_at_process, openers);
}

void sgs_openers_free(struct sgs_openers *openers)
{
	free(openers->rows);
	openers->rows = NULL;
	openers->n = openers->room = 0;
}
