/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many MODE BS READERS COUNT DEVICE...: the bare loop of loop.h in many threads: so many
 * readers on each device, each with a descriptor and a buffer of its own, which share COUNT
 * commands per device evenly. The clock runs from the moment that all are ready until the last
 * has ended.
 */
#include <inttypes.h>
#include <pthread.h>

#include "loop.h"

enum { STACK = 256 << 10 };

struct many {
	const char *mode;
	uint64_t bs, readers, count;
	pthread_barrier_t ready, go;
};

struct reader {
	pthread_t thread;
	struct many *many;
	const char *path;
	uint64_t index; /* among the readers of a device */
};

static uint64_t share(const struct reader *r)
{
	const struct many *m = r->many;

	return m->count / m->readers + (r->index < m->count % m->readers);
}

static void *read_share(void *arg)
{
	struct reader *r = arg;
	uint64_t count = share(r);
	struct loop l;

	loop_open(&l, r->many->mode, r->path, r->many->bs, r->index * count);
	pthread_barrier_wait(&r->many->ready);
	pthread_barrier_wait(&r->many->go);
	l.mode->run(&l, count);
	loop_close(&l);
	return NULL;
}

static void start(struct reader *readers, uint64_t n)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (uint64_t i = 0; i < n; i++) {
		errno = pthread_create(&readers[i].thread, &attr, read_share, &readers[i]);
		bench_must(!errno, "thread");
	}
	pthread_attr_destroy(&attr);
}

/* Reads as asked for; ns that took. */
static uint64_t run(struct many *m, char **paths, uint64_t n_paths)
{
	uint64_t n = m->readers * n_paths, begin;
	struct reader *readers = calloc(n, sizeof *readers);

	bench_must(readers, "memory");
	for (uint64_t i = 0; i < n; i++)
		readers[i] = (struct reader){
			.many = m, .path = paths[i / m->readers], .index = i % m->readers
		};
	pthread_barrier_init(&m->ready, NULL, (unsigned)n + 1);
	pthread_barrier_init(&m->go, NULL, (unsigned)n + 1);
	start(readers, n);
	pthread_barrier_wait(&m->ready);
	begin = bench_now_ns();
	pthread_barrier_wait(&m->go);
	for (uint64_t i = 0; i < n; i++)
		pthread_join(readers[i].thread, NULL);
	free(readers);
	return bench_now_ns() - begin;
}

int main(int argc, char **argv)
{
	struct many m = { 0 };
	uint64_t ns, all;

	if (argc < 6) {
		fputs("Usage: many MODE BS READERS COUNT DEVICE... (MODE: see loop.h)\n",
			stderr);
		return 2;
	}
	m.mode = argv[1];
	m.bs = bench_number(argv[2]);
	m.readers = bench_number(argv[3]);
	m.count = bench_number(argv[4]);
	all = m.count * (uint64_t)(argc - 5);
	ns = run(&m, argv + 5, (uint64_t)(argc - 5));
	printf("%s: %" PRIu64 " commands, %" PRIu64 " ns, %.0f commands/s\n", m.mode, all, ns,
		(double)all * 1e9 / (double)ns);
	return 0;
}
