/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/gate.h"

#include <time.h>

enum { ASK_NS = 100000000, SECOND_NS = 1000000000 };

void sgs_gate_init(struct sgs_gate *gate)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&gate->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&gate->changed, &attr);
	pthread_condattr_destroy(&attr);
	gate->arrived = 0;
	gate->open = gate->go = false;
}

void sgs_gate_destroy(struct sgs_gate *gate)
{
	pthread_cond_destroy(&gate->changed);
	pthread_mutex_destroy(&gate->lock);
}

bool sgs_gate_wait(struct sgs_gate *gate)
{
	bool go;

	pthread_mutex_lock(&gate->lock);
	gate->arrived++;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	go = gate->go;
	pthread_mutex_unlock(&gate->lock);
	return go;
}

bool sgs_gate_gather(struct sgs_gate *gate, unsigned n, bool (*give_up)(void *arg), void *arg)
{
	bool all;

	pthread_mutex_lock(&gate->lock);
	while (gate->arrived < n && !give_up(arg)) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += ASK_NS;
		until.tv_sec += until.tv_nsec / SECOND_NS;
		until.tv_nsec %= SECOND_NS;
		pthread_cond_timedwait(&gate->changed, &gate->lock, &until);
	}
	all = gate->arrived >= n;
	pthread_mutex_unlock(&gate->lock);
	return all;
}

void sgs_gate_open(struct sgs_gate *gate, bool go)
{
	pthread_mutex_lock(&gate->lock);
	gate->open = true;
	gate->go = go;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}
