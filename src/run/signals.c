/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include <sgstream/error.h>
#include <sgstream/job.h>

#include "util/clock.h"

/* timeout(1) and some shells signal a process and then its group: that is still one wish. */
#define SAME_NS 300000000u

enum phase { PREPARING, RUNNING, REPORTING, ABANDONED };

static int phase = PREPARING; /* atomic */
static sigset_t waited;
static void (*abandon)(int signum);

static void first_signal(int signum)
{
	int expected = PREPARING;

	if (__atomic_compare_exchange_n(
		    &phase, &expected, ABANDONED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		abandon(signum);
	else if (expected == RUNNING)
		sgs_stop(signum);
}

static void *wait_for_signals(void *arg)
{
	uint64_t first = 0; /* when, in ns of sgs_now_ns() */
	int signum;

	(void)arg;
	for (;;) {
		if (sigwait(&waited, &signum))
			continue;
		if (signum == SIGUSR1) {
			sgs_poke();
			continue;
		}
		if (!first) {
			first = sgs_now_ns();
			first_signal(signum);
		} else if (sgs_now_ns() - first > SAME_NS)
			_exit(SGS_SIGNAL_BASE + signum);
	}
	return NULL;
}

static void wait_unless_ignored(int signum)
{
	struct sigaction old;

	if (!sigaction(signum, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	sigaddset(&waited, signum);
}

int sgs_signals_start(void (*on_abandon)(int signum))
{
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	abandon = on_abandon;
	sigemptyset(&waited);
	wait_unless_ignored(SIGINT);
	wait_unless_ignored(SIGTERM);
	wait_unless_ignored(SIGHUP);
	wait_unless_ignored(SIGUSR1);
	signal(SIGXFSZ, SIG_IGN); /* a write then says EFBIG */
	pthread_sigmask(SIG_BLOCK, &waited, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, wait_for_signals, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}

/* When the signal thread has taken over the report, it also ends the program. */
static void enter(int next)
{
	int now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);

	while (now != ABANDONED)
		if (__atomic_compare_exchange_n(
			    &phase, &now, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return;
	for (;;)
		pause();
}

void sgs_signals_running(void)
{
	enter(RUNNING);
}

void sgs_signals_reporting(void)
{
	enter(REPORTING);
}
