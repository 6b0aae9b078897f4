/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floor MODE DEVICE BS COUNT: the bare loop of loop.h, timed. Two more words run another
 * program and say what it took as a whole: rss its largest resident memory, time how long it
 * lived.
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "loop.h"

enum { MAX_RUNS = 1000 };

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

static int floor_main(char **argv)
{
	uint64_t bs = bench_number(argv[2]), count = bench_number(argv[3]), ns, cpu;
	struct loop l;

	loop_open(&l, argv[0], argv[1], bs, 0);
	cpu = cpu_ns();
	ns = loop_time(&l, count);
	cpu = cpu_ns() - cpu;
	loop_close(&l);
	printf("%s: %" PRIu64 " bytes, %" PRIu64 " commands, %" PRIu64
	       " ns, %.3f us/command, %.1f MB/s, CPU %" PRIu64 " ns\n",
		argv[0], bs * count, count, ns, (double)ns / 1e3 / (double)count,
		(double)bs * (double)count * 1e3 / (double)ns, cpu);
	return 0;
}

/* Runs argv with its output dropped; ends here when it fails. */
static void run_program(char **argv, struct rusage *usage)
{
	int status = 0, null;
	pid_t pid = fork();

	bench_must(pid >= 0, "fork");
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		if (null >= 0 && dup2(null, 1) >= 0 && dup2(null, 2) >= 0)
			execvp(argv[0], argv);
		_exit(127);
	}
	bench_must(wait4(pid, &status, 0, usage) == pid, "wait4");
	if (status)
		bench_die(argv[0], "failed");
}

static int rss_main(char **argv)
{
	struct rusage usage;

	run_program(argv, &usage);
	printf("%ld KiB\n", usage.ru_maxrss);
	return 0;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int time_main(char **argv)
{
	uint64_t runs = bench_number(argv[0]), ns[MAX_RUNS];
	struct rusage usage;

	if (runs > MAX_RUNS)
		bench_die(argv[0], "too many runs");
	for (uint64_t i = 0; i < runs; i++) {
		ns[i] = bench_now_ns();
		run_program(argv + 1, &usage);
		ns[i] = bench_now_ns() - ns[i];
	}
	qsort(ns, runs, sizeof *ns, ascending);
	printf("%.3f ms median, %.3f to %.3f\n", (double)ns[runs / 2] / 1e6,
		(double)ns[0] / 1e6, (double)ns[runs - 1] / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "rss"))
		return rss_main(argv + 2);
	if (argc >= 4 && !strcmp(argv[1], "time"))
		return time_main(argv + 2);
	if (argc == 5)
		return floor_main(argv + 1);
	fputs("Usage: floor MODE DEVICE BS COUNT     (MODE: see loop.h)\n"
	      "       floor rss COMMAND [ARG...]\n"
	      "       floor time RUNS COMMAND [ARG...]\n",
		stderr);
	return 2;
}
