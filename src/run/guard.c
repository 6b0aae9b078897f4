/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "sys/kernel.h"

#define DONE	   "done" /* said by a program that has put everything back itself */
#define LOOK_NS	   100000000u
#define IN_USE_LOG 50 /* looks after which it tells why it is still there */

int sgs_guard_init(struct sgs_guard *guard, size_t n)
{
	size_t bytes = n * sizeof *guard->entries;
	void *shared =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*guard = (struct sgs_guard){ .fd = -1 };
	if (shared == MAP_FAILED)
		return -ENOMEM;
	guard->entries = shared;
	guard->n = n;
	for (size_t i = 0; i < n; i++)
		guard->entries[i].knob.fd = -1;
	return 0;
}

void sgs_guard_set_state(struct sgs_guarded *entry, int state)
{
	__atomic_store_n(&entry->state, state, __ATOMIC_SEQ_CST);
}

int sgs_guard_state(const struct sgs_guarded *entry)
{
	return __atomic_load_n(&entry->state, __ATOMIC_SEQ_CST);
}

/* A lock that was tried in vain is gone, so the shared one is taken again: it tells others that
 * this value is still to be put back. */
int sgs_guard_put_back(struct sgs_guarded *entry, char found[SGS_KNOB_ROOM])
{
	int r = sgs_knob_lock(&entry->knob, true);

	if (r == -EWOULDBLOCK) {
		sgs_knob_lock(&entry->knob, false);
		return r;
	}
	r = sgs_knob_put_back(&entry->knob, entry->took, found);
	sgs_guard_set_state(entry, SGS_GUARD_SETTLED);
	return r;
}

/* ---- the guard's own process ---- */

/* The lowest descriptor not below from that the guard needs; -1 when there is none. */
static int next_kept(const struct sgs_guard *guard, int from)
{
	int next = guard->fd >= from ? guard->fd : -1;

	for (size_t i = 0; i < guard->n; i++) {
		int fd = guard->entries[i].knob.fd;

		if (fd >= from && (next < 0 || fd < next))
			next = fd;
	}
	return next;
}

/* Whoever waits for the end of a pipe or a terminal of the dead must not wait for the guard. */
static void let_go(const struct sgs_guard *guard)
{
	int null = sgs_sys_open("/dev/null", 0), first = 3;

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	for (int fd; (fd = next_kept(guard, first)) >= 0; first = fd + 1)
		if (fd > first)
			close_range((unsigned)first, (unsigned)fd - 1, 0);
	close_range((unsigned)first, ~0u, 0);
}

/* False when the socket ended without the word. */
static bool hear_done(int fd)
{
	char heard[sizeof DONE] = "";
	size_t n = 0;

	while (n < sizeof DONE - 1) {
		ssize_t r = read(fd, heard + n, sizeof DONE - 1 - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		n += (size_t)r;
	}
	return !strcmp(heard, DONE);
}

static void log_end(const struct sgs_guarded *e, int r, const char *found)
{
	const char *file = e->knob.shown;

	if (!r)
		syslog(LOG_NOTICE, "put %s back to %s", file, e->knob.from);
	else if (r == 1)
		syslog(LOG_WARNING, "%s is %s, not %s as set: left, it was %s before", file,
			found, e->took, e->knob.from);
	else
		syslog(LOG_WARNING, "%s could not be put back to %s: %s", file, e->knob.from,
			strerrordesc_np(-r));
}

/* How many wait for other programs. */
static size_t put_back_all(struct sgs_guard *guard, bool log_waiting)
{
	size_t waiting = 0;

	for (size_t i = guard->n; i-- > 0;) {
		struct sgs_guarded *e = &guard->entries[i];
		char found[SGS_KNOB_ROOM] = "";
		int r;

		if (sgs_guard_state(e) != SGS_GUARD_ARMED)
			continue;
		r = sgs_guard_put_back(e, found);
		if (r != -EWOULDBLOCK) {
			log_end(e, r, found);
			continue;
		}
		waiting++;
		if (log_waiting)
			syslog(LOG_NOTICE,
				"%s is in use by another program; waiting to put %s back",
				e->knob.shown, e->knob.from);
	}
	return waiting;
}

static void stand_guard(struct sgs_guard *guard)
{
	const struct timespec pause = { 0, LOOK_NS };

	let_go(guard);
	setsid();
	prctl(PR_SET_NAME, "sgs-guard"); /* "pkill sgstream" shall not mean it */
	openlog("sgstream", LOG_PID, LOG_DAEMON);
	guard->pid = getpid();
	if (chdir("/") < 0 || write(guard->fd, &guard->pid, sizeof guard->pid) < 0)
		_exit(1);
	if (hear_done(guard->fd))
		_exit(0);
	for (unsigned looks = 0; put_back_all(guard, looks == IN_USE_LOG); looks++)
		nanosleep(&pause, NULL);
	_exit(0);
}

/* ---- the program's side ---- */

/* Forked twice, so that nobody has to wait for it and it is never a zombie. */
static int fork_away(struct sgs_guard *guard, int own, int others)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (child == 0) {
		close(own);
		guard->fd = others;
		child = fork();
		if (child == 0)
			stand_guard(guard);
		_exit(child < 0);
	}
	while (waitpid(child, &status, 0) < 0) {
		if (errno == ECHILD) /* SIGCHLD is ignored: it is gone all the same */
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	return status ? -EAGAIN : 0;
}

static int wait_until_ready(struct sgs_guard *guard, int fd)
{
	ssize_t n;

	do
		n = read(fd, &guard->pid, sizeof guard->pid);
	while (n < 0 && errno == EINTR);
	return n == sizeof guard->pid ? 0 : -ECHILD;
}

int sgs_guard_start(struct sgs_guard *guard)
{
	sigset_t all, before;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = fork_away(guard, ends[0], ends[1]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (!r)
		r = wait_until_ready(guard, ends[0]);
	if (r < 0)
		close(ends[0]);
	else
		guard->fd = ends[0];
	return r;
}

static bool all_settled(const struct sgs_guard *guard)
{
	for (size_t i = 0; i < guard->n; i++)
		if (sgs_guard_state(&guard->entries[i]) == SGS_GUARD_ARMED)
			return false;
	return true;
}

/* Sends the word, and waits until it has taken effect. */
static void dismiss(int fd)
{
	char nothing;

	if (send(fd, DONE, sizeof DONE - 1, MSG_NOSIGNAL) < 0)
		return;
	while (read(fd, &nothing, 1) < 0 && errno == EINTR)
		;
}

void sgs_guard_end(struct sgs_guard *guard)
{
	if (guard->fd >= 0) {
		if (all_settled(guard))
			dismiss(guard->fd);
		close(guard->fd);
	}
	for (size_t i = 0; i < guard->n; i++)
		sgs_sys_close(guard->entries[i].knob.fd); /* the guard's own stay open */
	if (guard->entries)
		munmap(guard->entries, guard->n * sizeof *guard->entries);
	*guard = (struct sgs_guard){ .fd = -1 };
}
