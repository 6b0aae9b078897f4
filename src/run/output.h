/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the data out in device order. The window is what the readers have in flight: each
 * keeps its transfer until its turn has come and writes it from where it lies, so that a slow
 * consumer slows the readers and nothing is lost or copied.
 */
#ifndef SGS_RUN_OUTPUT_H
#define SGS_RUN_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sgs_output {
	int fd;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t next;	  /* index of the transfer to be written */
	uint64_t end;	  /* this one and all after it are not written */
	int error;	  /* errno of the write that failed, or 0 */
	uint64_t written; /* bytes */
};

void sgs_output_init(struct sgs_output *out, int fd);
void sgs_output_destroy(struct sgs_output *out);

/* Waits for the turn of transfer index and writes it. False when it is not to be written. */
bool sgs_output_put(struct sgs_output *out, uint64_t index, const void *data, size_t len);

/* Whether sgs_output_put() would not wait. */
bool sgs_output_is_turn(struct sgs_output *out, uint64_t index);

/* Transfer index will not come, so the output ends before it. */
void sgs_output_end(struct sgs_output *out, uint64_t index);

#endif
