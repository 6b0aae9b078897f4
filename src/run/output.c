/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/output.h"

#include "sys/output.h"

void sgs_output_init(struct sgs_output *out, int fd)
{
	*out = (struct sgs_output){ .fd = fd, .end = UINT64_MAX };
	pthread_mutex_init(&out->lock, NULL);
	pthread_cond_init(&out->turn, NULL);
}

void sgs_output_destroy(struct sgs_output *out)
{
	pthread_cond_destroy(&out->turn);
	pthread_mutex_destroy(&out->lock);
}

/* Without the lock: only the one whose turn it is comes here. */
static bool write_out(struct sgs_output *out, const void *data, size_t len)
{
	size_t done = 0;
	int r = sgs_sys_write_all(out->fd, data, len, &done);

	pthread_mutex_lock(&out->lock);
	out->written += done;
	out->next++;
	if (r < 0) {
		out->error = -r;
		out->end = 0;
	}
	pthread_cond_broadcast(&out->turn);
	pthread_mutex_unlock(&out->lock);
	return r == 0;
}

bool sgs_output_put(struct sgs_output *out, uint64_t index, const void *data, size_t len)
{
	bool wanted;

	pthread_mutex_lock(&out->lock);
	while (out->next != index && index < out->end)
		pthread_cond_wait(&out->turn, &out->lock);
	wanted = index < out->end;
	pthread_mutex_unlock(&out->lock);
	return wanted && write_out(out, data, len);
}

bool sgs_output_is_turn(struct sgs_output *out, uint64_t index)
{
	bool turn;

	pthread_mutex_lock(&out->lock);
	turn = out->next == index || index >= out->end;
	pthread_mutex_unlock(&out->lock);
	return turn;
}

void sgs_output_end(struct sgs_output *out, uint64_t index)
{
	pthread_mutex_lock(&out->lock);
	if (index < out->end)
		out->end = index;
	pthread_cond_broadcast(&out->turn);
	pthread_mutex_unlock(&out->lock);
}
