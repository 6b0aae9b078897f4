/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/gate.h"

void sgs_gate_init(struct sgs_gate *gate)
{
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
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

void sgs_gate_gather(struct sgs_gate *gate, unsigned n)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->arrived < n)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

void sgs_gate_open(struct sgs_gate *gate, bool go)
{
	pthread_mutex_lock(&gate->lock);
	gate->open = true;
	gate->go = go;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}
