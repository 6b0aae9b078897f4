/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start barrier that can also send everybody home: readers arrive when they are ready or have
 * failed, and all go at once, or none.
 */
#ifndef SGS_RUN_GATE_H
#define SGS_RUN_GATE_H

#include <pthread.h>
#include <stdbool.h>

struct sgs_gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned arrived;
	bool open, go;
};

void sgs_gate_init(struct sgs_gate *gate);
void sgs_gate_destroy(struct sgs_gate *gate);

/* A reader arrives and waits. True: go. */
bool sgs_gate_wait(struct sgs_gate *gate);

/* Waits until n have arrived, or give_up(arg), asked ten times a second, says so. True: all
 * are. */
bool sgs_gate_gather(struct sgs_gate *gate, unsigned n, bool (*give_up)(void *arg), void *arg);

void sgs_gate_open(struct sgs_gate *gate, bool go);

#endif
