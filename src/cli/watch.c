/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/watch.h"

#include <sys/ioctl.h>
#include <unistd.h>

void sgs_watcher_show(const struct sgs_progress *now, void *arg)
{
	const struct sgs_watcher *w = arg;

	if (w->bar)
		sgs_report_progress(stderr, now, w->columns);
	else
		sgs_report_interval(stderr, now);
}

void sgs_watcher_wipe(const struct sgs_watcher *watcher)
{
	if (watcher->bar)
		sgs_report_progress(stderr, NULL, watcher->columns);
}

void sgs_watcher_stalled(const char *device, unsigned commands, uint64_t ns, void *arg)
{
	sgs_watcher_wipe(arg);
	sgs_report_stalled(stderr, device, commands, ns);
}

static int terminal_columns(void)
{
	struct winsize size = { 0 };

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

struct sgs_watcher sgs_watcher_choose(struct sgs_options *options)
{
	struct sgs_watcher w = { .columns = terminal_columns() };
	bool wanted = options->progress == SGS_PROGRESS_ALWAYS ||
		      (options->progress == SGS_PROGRESS_AUTO && !options->quiet &&
			      isatty(STDERR_FILENO));

	w.lines = options->job.interval_ns != 0;
	w.bar = wanted && !w.lines;
	if (w.bar)
		options->job.interval_ns = 1000000000u;
	return w;
}
