/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/child.h"

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

extern char **environ;

/* Readers block all signals; a program of its own must not. */
static int spawn(const char *const *argv, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int r;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	r = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

static int fill(int fd, const void *input, size_t len)
{
	size_t done;
	int r = sgs_sys_write_all(fd, input, len, &done);

	return r ? r : lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int take(int fd, char **output, size_t *len)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	*output = malloc((size_t)st.st_size + 1);
	if (!*output)
		return -ENOMEM;
	n = pread(fd, *output, (size_t)st.st_size, 0);
	if (n < 0) {
		free(*output);
		*output = NULL;
		return -errno;
	}
	(*output)[n] = '\0';
	*len = (size_t)n;
	return 0;
}

static int run(const char *const *argv, int in, int out, char **output, size_t *len)
{
	pid_t pid;
	int status, r = spawn(argv, in, out, &pid);

	if (r)
		return r;
	status = wait_for(pid);
	r = take(out, output, len);
	return r ? r : status;
}

int sgs_sys_filter(const char *const *argv, const void *input, size_t len, char **output,
	size_t *output_len)
{
	int in = memfd_create("input", MFD_CLOEXEC), out = memfd_create("output", MFD_CLOEXEC);
	int r = in < 0 || out < 0 ? -errno : fill(in, input, len);

	*output = NULL;
	*output_len = 0;
	if (!r)
		r = run(argv, in, out, output, output_len);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return r;
}
