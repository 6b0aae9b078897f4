/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/drop.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sys/kernel.h"
#include "sys/residency.h"
#include "util/clock.h"
#include "util/units.h"

#define WAIT_NS	 1000000000u /* for dirty pages on their way out */
#define PAUSE_NS 20000000

/* Bytes that are still in memory, as the sample sees it. False when the kernel does not tell.
 */
static bool left_in_memory(struct sgs_cache_watch *w, uint64_t *bytes)
{
	struct sgs_cache_shares shares;

	if (!sgs_cache_sample_before(&w->sample, w->fd))
		return false;
	sgs_cache_sample_shares(&w->sample, UINT64_MAX, &shares);
	*bytes = shares.before_bytes;
	return true;
}

/* What is not dirty, or not told to be, stays for another reason, and no wait helps. */
static bool waits_to_be_written(const struct sgs_cache_watch *w)
{
	uint64_t dirty = 0;

	return sgs_sys_dirty(w->fd, &dirty) < 0 || dirty > 0;
}

/* The first call has the kernel begin to write dirty pages; a later one drops them, too. */
static bool forget(struct sgs_cache_watch *w, uint64_t *left)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t until = sgs_now_ns() + WAIT_NS;
	bool known;

	for (;;) {
		sgs_sys_forget(w->fd);
		known = left_in_memory(w, left);
		if (!known || !*left || sgs_now_ns() >= until || !waits_to_be_written(w))
			return known;
		nanosleep(&pause, NULL);
	}
}

static const char *stays(const struct sgs_cache_watch *w, char buf[64], uint64_t left)
{
	uint64_t dirty = 0;

	if (!sgs_sys_dirty(w->fd, &dirty) && dirty)
		return "dirty pages stay until they are written: sync, and run again";
	snprintf(buf, 64, "%" PRIu64 " KiB stay: they are dirty or in use", left >> 10);
	return buf;
}

static void drop(struct sgs_cache_watch *w, struct sgs_cache_drop *out)
{
	uint64_t left = 0, start = sgs_now_ns();
	int r = w->rdev ? sgs_sys_ioctl(w->fd, BLKFLSBUF, NULL) : -ENOTTY;
	bool known, privileged = r != -EACCES && r != -EPERM;
	char buf[64];

	known = r < 0 ? forget(w, &left) : left_in_memory(w, &left);
	out->done = known ? !left : r >= 0;
	out->ns = sgs_now_ns() - start;
	if (!privileged)
		snprintf(out->reason, sizeof out->reason,
			"BLKFLSBUF needs CAP_SYS_ADMIN (sudo); what is clean and not in use "
			"was "
			"dropped without it%s",
			out->done ? ", and nothing is left" : "");
	else if (known && left)
		snprintf(out->reason, sizeof out->reason, "%s", stays(w, buf, left));
	else if (!known && r < 0)
		strcpy(out->reason, "what is left in memory is told only to who owns the file "
				    "or may write it");
}

static void drop_of(struct sgs_cache_watch *w, struct sgs_device_result *d)
{
	struct sgs_cache_drop *out = &d->cache_drop;

	out->asked = true;
	if (w->fd >= 0)
		drop(w, out);
	else if (!d->device.block_path[0])
		strcpy(out->reason, "it has no block node, and so no pages in memory");
	else
		snprintf(out->reason, sizeof out->reason, "its block node cannot be opened: %s",
			strerrordesc_np(-w->fd));
}

static bool is_worth_a_warning(const struct sgs_device_result *d)
{
	return d->cache_drop.reason[0] && d->device.block_path[0];
}

/* One warning, however many devices it is about. */
static void warn(struct sgs_result *result)
{
	const struct sgs_run_result *run = &result->run;
	const struct sgs_device_result *first = NULL;
	char others[48] = "";
	size_t more = 0;

	for (size_t i = 0; i < run->n_devices; i++) {
		if (!is_worth_a_warning(&run->devices[i]))
			continue;
		more += first != NULL;
		if (!first)
			first = &run->devices[i];
	}
	if (!first)
		return;
	if (more)
		snprintf(others, sizeof others, " and %zu more devices", more);
	sgs_result_message(result, SGS_WARNING, first->device.path,
		first->cache_drop.done ? "drop_unprivileged" : "cache_not_dropped",
		"%s%s: --drop-caches: %s", first->device.path, others,
		first->cache_drop.reason);
}

void sgs_drop_caches(struct sgs_cached *cached, struct sgs_result *result)
{
	for (size_t i = 0; i < cached->n; i++)
		drop_of(&cached->watches[i], &result->run.devices[i]);
	warn(result);
}
