/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a run is watched on standard error: by a bar, by lines, or only when SIGUSR1 asks.
 */
#ifndef SGS_CLI_WATCH_H
#define SGS_CLI_WATCH_H

#include "cli/cli.h"

struct sgs_watcher {
	bool bar, lines;
	int columns;
};

/* Asked-for intervals are lines; on a terminal a bar shows each second without being asked.
 * Sets the job's interval to match. */
struct sgs_watcher sgs_watcher_choose(struct sgs_options *options);

/* A progress function for struct sgs_observer; arg is the watcher. */
void sgs_watcher_show(const struct sgs_progress *now, void *arg);

/* The watchdog's line. */
void sgs_watcher_stalled(const char *device, unsigned commands, uint64_t ns, void *arg);

/* At the end of the run. */
void sgs_watcher_wipe(const struct sgs_watcher *watcher);

#endif
