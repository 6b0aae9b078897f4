/* SPDX-License-Identifier: BSD-2-Clause */
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/signals.h"
#include "sys/output.h"
#include "sys/tsc.h"
#include "util/clock.h"

static const struct sgs_command *const commands[] = {
	&sgs_command_read,
	&sgs_command_list,
	&sgs_command_compare,
	&sgs_command_sweep,
	&sgs_command_tune,
	&sgs_command_doctor,
	&sgs_command_plan,
	&sgs_command_report,
};

static struct sgs_call call;

/* In the signal thread, before a run has begun. */
static void abandon(int signum)
{
	struct sgs_result result = { .exit_status = SGS_SIGNAL_BASE + signum,
		.signal = signum };

	sgs_result_message(&result, SGS_ERROR, NULL, "interrupted",
		"interrupted by SIG%s before anything was read", sigabbrev_np(signum));
	_exit(sgs_answer_early(&call, &result));
}

/* A first word that is no command is a device, and read is meant. */
static const struct sgs_command *find(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(argv[1], commands[i]->name))
			return commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct sgs_command *command = find(argc, argv);
	int skip = command != NULL;

	sgs_sys_keep_standard_streams();
	mallopt(M_ARENA_MAX, 1); /* readers allocate only before the clock runs */
	sgs_clock_init(sgs_tsc_trusted);
	call = (struct sgs_call){ .argc = argc, .argv = argv };
	clock_gettime(CLOCK_REALTIME, &call.started_at);
	if (!command)
		command = &sgs_command_read;
	call.command = command->name;
	sgs_signals_start(abandon);
	return command->run(&call, argc - skip, argv + skip);
}
