/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/output.h"

/* Files in memory, not pipes: neither side ever waits for the other. */
static int open_memory(void)
{
	int fd = memfd_create("sgstream", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* It gets the signals that this program's threads keep from themselves. */
static int spawn(const char *const *argv, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int r;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(pid, argv[0], &files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPIPE;
}

static int read_back(int fd, char **text)
{
	struct stat st;
	size_t len, done = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	len = (size_t)st.st_size;
	*text = calloc(1, len + 1);
	if (!*text)
		return -ENOMEM;
	while (done < len) {
		ssize_t n = pread(fd, *text + done, len - done, (off_t)done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	return 0;
}

static int run(const char *const *argv, int in, int out, char **text)
{
	pid_t pid;
	int r = spawn(argv, in, out, &pid);

	if (!r)
		r = wait_for(pid);
	return r ? r : read_back(out, text);
}

int sgs_sys_filter(const char *const *argv, const void *data, size_t len, char **text)
{
	int in = open_memory(), out = open_memory(), r = in < 0 ? in : out < 0 ? out : 0;
	size_t done;

	*text = NULL;
	if (!r)
		r = sgs_sys_write_all(in, data, len, &done);
	if (!r && lseek(in, 0, SEEK_SET) < 0)
		r = -errno;
	if (!r)
		r = run(argv, in, out, text);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return r;
}
