/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guard, over files that stand for settings. The program that it guards is a child of the
 * test, so that it can be killed in any state.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_sysfs.h"
#include "run/guard.h"
#include "util/clock.h"

#define A	"devices/a/queue/read_ahead_kb"
#define B	"devices/b/queue/read_ahead_kb"
#define WAIT_NS 5000000000u

static struct fake_sysfs tree;

static void put(const char *path, const char *text)
{
	assert_int_equal(sgs_sysfs_write(text, "%s", path), 0);
}

static const char *get(const char *path)
{
	static char text[64];

	assert_true(sgs_sysfs_text(text, sizeof(text), "%s", path) >= 0);
	return text;
}

static int setup(void **state)
{
	char path[128], value[] = "128";

	(void)state;
	strcpy(tree.root, "/tmp/sgs-guard-XXXXXX");
	if (!mkdtemp(tree.root))
		return -1;
	for (const char *const *entry = (const char *const[]){ A, B, NULL }; *entry; entry++) {
		snprintf(path, sizeof(path), "%s/%s", tree.root, *entry);
		fake_sysfs_folders(path);
		fake_sysfs_file(path, value);
	}
	sgs_sysfs_set_root(tree.root);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_sysfs_remove(&tree);
	return 0;
}

static void nap(void)
{
	const struct timespec t = { 0, 5000000 };

	nanosleep(&t, NULL);
}

/* ---- the guarded program ---- */

static void aim(struct sgs_knob *knob, const char *path)
{
	const struct sgs_device device = { .path = "/dev/x", .block_path = "/dev/x" };
	struct sgs_device *copy = malloc(sizeof(*copy));
	struct sgs_error err;

	memcpy(copy, &device, sizeof(*copy));
	snprintf(copy->disk_folder, sizeof(copy->disk_folder), "%.*s",
		(int)(strstr(path, "/queue") - path), path);
	assert_int_equal(sgs_knob_find(SGS_SET_READ_AHEAD, copy, "32", knob, &err), 0);
	assert_int_equal(sgs_knob_hold(knob), 0);
	free(copy);
}

static void begin(struct sgs_guard *guard)
{
	assert_int_equal(sgs_guard_init(guard, 3), 0);
	aim(&guard->entries[0].knob, A);
	aim(&guard->entries[1].knob, B); /* the third is not used */
	assert_int_equal(sgs_guard_start(guard), 0);
	assert_true(guard->pid > 0 && guard->pid != getpid());
}

static void change(struct sgs_guarded *entry)
{
	char took[SGS_KNOB_ROOM];

	assert_int_equal(sgs_knob_lock(&entry->knob, true), 0);
	assert_int_equal(sgs_knob_remember(&entry->knob), 0);
	sgs_guard_set_state(entry, SGS_GUARD_ARMED);
	assert_int_equal(sgs_knob_set(&entry->knob, took), 0);
	strcpy(entry->took, took);
	assert_int_equal(sgs_knob_lock(&entry->knob, false), 0);
}

struct program {
	pid_t pid, guard;
	int out; /* its standard output */
};

/* Runs act in a child that has a guard, until it is killed; told when act is done. */
static struct program program(void (*act)(struct sgs_guard *guard))
{
	struct program p;
	struct sgs_guard guard;
	int out[2], told[2];

	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(told), 0);
	p.pid = fork();
	if (p.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		begin(&guard);
		act(&guard);
		if (write(told[1], &guard.pid, sizeof(guard.pid)) < 0)
			_exit(9);
		for (;;)
			pause();
	}
	close(out[1]);
	close(told[1]);
	p.out = out[0];
	assert_int_equal(read(told[0], &p.guard, sizeof(p.guard)), sizeof(p.guard));
	close(told[0]);
	return p;
}

static void die(struct program *p, int signum)
{
	assert_int_equal(kill(p->pid, signum), 0);
	assert_int_equal(waitpid(p->pid, NULL, 0), p->pid);
}

/* A zombie is gone: whoever is the first process may take its time to notice. */
static bool is_there(pid_t pid)
{
	char path[32], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state != 'Z' && state != 'X';
}

static void gone(const struct program *p)
{
	uint64_t until = sgs_now_ns() + WAIT_NS;

	while (is_there(p->guard) && sgs_now_ns() < until)
		nap();
	assert_false(is_there(p->guard));
	close(p->out);
}

static void ends_with(struct program *p, const char *a, const char *b)
{
	gone(p);
	assert_string_equal(get(A), a);
	assert_string_equal(get(B), b);
}

/* ---- tests ---- */

static void change_both(struct sgs_guard *guard)
{
	change(&guard->entries[0]);
	change(&guard->entries[1]);
}

static void test_killed(void **state)
{
	struct program p = program(change_both);

	(void)state;
	assert_string_equal(get(A), "32");
	assert_string_equal(get(B), "32");
	die(&p, SIGKILL);
	ends_with(&p, "128", "128");
}

static void test_crashed(void **state)
{
	struct program p = program(change_both);

	(void)state;
	die(&p, SIGSEGV);
	ends_with(&p, "128", "128");
}

static void change_nothing(struct sgs_guard *guard)
{
	(void)guard;
}

static void test_killed_before_any_change(void **state)
{
	struct program p = program(change_nothing);

	(void)state;
	put(A, "99");
	die(&p, SIGKILL);
	ends_with(&p, "99", "128");
}

/* Killed between the write and the look at what became of it. */
static void half_a_change(struct sgs_guard *guard)
{
	change(&guard->entries[0]);
	guard->entries[0].took[0] = '\0';
	put(A, "28");
}

static void test_killed_in_the_middle_of_a_change(void **state)
{
	struct program p = program(half_a_change);

	(void)state;
	die(&p, SIGKILL);
	ends_with(&p, "128", "128");
}

static void test_what_somebody_else_changed_is_left(void **state)
{
	struct program p = program(change_both);

	(void)state;
	put(A, "77");
	die(&p, SIGKILL);
	ends_with(&p, "77", "128");
}

static void put_back_one(struct sgs_guard *guard)
{
	char found[SGS_KNOB_ROOM];

	change_both(guard);
	assert_int_equal(sgs_guard_put_back(&guard->entries[0], found), 0);
	assert_int_equal(sgs_guard_state(&guard->entries[0]), SGS_GUARD_SETTLED);
	put(A, "55"); /* from now on it is another's */
}

static void test_what_is_settled_is_left(void **state)
{
	struct program p = program(put_back_one);

	(void)state;
	die(&p, SIGKILL);
	ends_with(&p, "55", "128");
}

static void put_back_all(struct sgs_guard *guard)
{
	char found[SGS_KNOB_ROOM];
	pid_t pid = guard->pid;

	change_both(guard);
	for (int i = 1; i >= 0; i--)
		assert_int_equal(sgs_guard_put_back(&guard->entries[i], found), 0);
	sgs_guard_end(guard);
	assert_null(guard->entries);
	sgs_guard_end(guard); /* again is fine */
	guard->pid = pid;
}

static void test_dismissed(void **state)
{
	struct program p = program(put_back_all);

	(void)state;
	put(A, "55");
	gone(&p); /* while its program lives */
	assert_string_equal(get(A), "55");
	assert_string_equal(get(B), "128");
	die(&p, SIGKILL);
}

static void test_signals_do_not_end_it(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE };
	struct program p = program(change_both);

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_int_equal(kill(p.guard, signals[i]), 0);
	assert_int_not_equal(getpgid(p.guard), getpgid(p.pid));
	assert_int_not_equal(getsid(p.guard), getsid(p.pid));
	die(&p, SIGKILL);
	ends_with(&p, "128", "128");
}

/* Another program relies on the value: it holds the file with a shared lock. */
static void test_in_use_waits(void **state)
{
	struct program p = program(change_both);
	struct pollfd out = { .fd = p.out, .events = POLLIN };
	int other = sgs_sysfs_hold(A);

	(void)state;
	assert_true(other >= 0);
	assert_int_equal(sgs_sysfs_lock(other, false), 0);
	die(&p, SIGKILL);
	/* Nobody who reads from the dead has to wait for the guard. */
	assert_int_equal(poll(&out, 1, 5000), 1);
	assert_int_equal(out.revents & POLLHUP, POLLHUP);
	for (int i = 0; i < 60; i++)
		nap();
	assert_string_equal(get(A), "32");
	assert_string_equal(get(B), "128");
	assert_true(is_there(p.guard));
	close(other);
	ends_with(&p, "128", "128");
}

static void leave_one_in_use(struct sgs_guard *guard)
{
	char found[SGS_KNOB_ROOM];
	int other = sgs_sysfs_hold(A); /* as long as this program lives */
	pid_t pid = guard->pid;

	change_both(guard);
	assert_int_equal(sgs_sysfs_lock(other, false), 0);
	assert_int_equal(sgs_guard_put_back(&guard->entries[0], found), -EWOULDBLOCK);
	assert_int_equal(sgs_guard_state(&guard->entries[0]), SGS_GUARD_ARMED);
	assert_int_equal(sgs_guard_put_back(&guard->entries[1], found), 0);
	sgs_guard_end(guard);
	guard->pid = pid;
}

static void test_left_behind(void **state)
{
	struct program p = program(leave_one_in_use);

	(void)state;
	for (int i = 0; i < 60; i++)
		nap();
	assert_true(is_there(p.guard));
	assert_string_equal(get(A), "32");
	die(&p, SIGKILL);
	ends_with(&p, "128", "128");
}

static void test_guard_killed_first(void **state)
{
	struct sgs_guard guard;
	char found[SGS_KNOB_ROOM];

	(void)state;
	begin(&guard);
	change_both(&guard);
	assert_int_equal(kill(guard.pid, SIGKILL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(sgs_guard_put_back(&guard.entries[i], found), 0);
	sgs_guard_end(&guard);
	assert_string_equal(get(A), "128");
	assert_string_equal(get(B), "128");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_killed),
		TEST(test_crashed),
		TEST(test_killed_before_any_change),
		TEST(test_killed_in_the_middle_of_a_change),
		TEST(test_what_somebody_else_changed_is_left),
		TEST(test_what_is_settled_is_left),
		TEST(test_dismissed),
		TEST(test_signals_do_not_end_it),
		TEST(test_in_use_waits),
		TEST(test_left_behind),
		TEST(test_guard_killed_first),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
