/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"

#define BUSY_NS	    2000000000u /* another program may be turning the same knob */
#define BUSY_PAUSE  20000000
#define SHOWN_VALUE 40

static const char *path_of(const struct sgs_result *result, const struct sgs_setting *s)
{
	return s->device < 0 ? NULL : result->run.devices[s->device].device.path;
}

static const char *show(enum sgs_setting_kind kind, const char *value, char buf[SHOWN_VALUE])
{
	return sgs_knob_show(kind, value, buf, SHOWN_VALUE);
}

/* ---- finding ---- */

static bool is_known(const struct sgs_guard *guard, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(guard->entries[i].knob.path, path))
			return true;
	return false;
}

static int find(enum sgs_setting_kind kind, const struct sgs_device *devices, int device,
	const char *to, struct sgs_guard *guard, struct sgs_result *result)
{
	const struct sgs_device *dev = device < 0 ? NULL : &devices[device];
	struct sgs_run_result *run = &result->run;
	struct sgs_setting *s = &run->settings[run->n_settings];
	struct sgs_knob *knob = &guard->entries[run->n_settings].knob;
	struct sgs_error err;

	if (sgs_knob_find(kind, dev, to, knob, &err)) {
		sgs_result_error(result, dev ? dev->path : NULL, &err);
		return err.status;
	}
	if (is_known(guard, run->n_settings, knob->path))
		return 0;
	*s = (struct sgs_setting){ .kind = kind, .device = device };
	strcpy(s->from, knob->from);
	strcpy(s->to, knob->to);
	run->n_settings++;
	return 0;
}

static int find_kib(enum sgs_setting_kind kind, const struct sgs_kib *wish,
	const struct sgs_device *devices, int device, struct sgs_guard *guard,
	struct sgs_result *result)
{
	char to[24];

	if (!wish->given)
		return 0;
	snprintf(to, sizeof to, "%" PRIu64, wish->kib);
	return find(kind, devices, device, to, guard, result);
}

static int find_of_device(const struct sgs_host_settings *wish,
	const struct sgs_device *devices, int device, struct sgs_guard *guard,
	struct sgs_result *result)
{
	int status =
		find_kib(SGS_SET_READ_AHEAD, &wish->read_ahead, devices, device, guard, result);

	if (!status)
		status = find_kib(SGS_SET_MAX_TRANSFER, &wish->max_transfer, devices, device,
			guard, result);
	if (!status && wish->scheduler)
		status = find(
			SGS_SET_SCHEDULER, devices, device, wish->scheduler, guard, result);
	return status;
}

static bool any(const struct sgs_host_settings *wish)
{
	return wish->read_ahead.given || wish->max_transfer.given || wish->scheduler ||
	       wish->allow_dio;
}

static int fail(int error, const char *what, struct sgs_result *result)
{
	struct sgs_error err;

	sgs_fail(&err, sgs_status_from_errno(-error), "no_guard",
		"%s: %s; nothing was changed; leave the settings out", what,
		strerrordesc_np(-error));
	sgs_result_error(result, NULL, &err);
	return err.status;
}

int sgs_settings_find(const struct sgs_host_settings *wish, const struct sgs_device *devices,
	size_t n, struct sgs_guard *guard, struct sgs_result *result)
{
	size_t most = 1 + 3 * n;
	int status = 0;

	if (!any(wish))
		return 0;
	result->run.settings = calloc(most, sizeof *result->run.settings);
	if (!result->run.settings || sgs_guard_init(guard, most) < 0)
		return fail(-ENOMEM, "no memory for the settings", result);
	if (wish->allow_dio)
		status = find(SGS_SET_ALLOW_DIO, devices, -1, "1", guard, result);
	for (size_t i = 0; !status && i < n; i++)
		status = find_of_device(wish, devices, (int)i, guard, result);
	return status;
}

/* ---- making ---- */

/* 1: nobody else uses it, and the lock is exclusive; 0: others do, it is shared; or -errno. */
static int take_lock(const struct sgs_knob *knob)
{
	const struct timespec pause = { 0, BUSY_PAUSE };
	uint64_t until = sgs_now_ns() + BUSY_NS;

	do {
		if (!sgs_knob_lock(knob, true))
			return 1;
		if (!sgs_knob_lock(knob, false))
			return 0;
		nanosleep(&pause, NULL);
	} while (sgs_now_ns() < until);
	return -EWOULDBLOCK;
}

static int cannot_make(
	const struct sgs_knob *knob, const char *device, int error, struct sgs_result *result)
{
	struct sgs_error err;

	sgs_knob_refused(knob, device, error, &err);
	sgs_result_error(result, device, &err);
	return err.status;
}

/* Two runs at once that want one knob at two values would spoil one another. */
static int in_use(const struct sgs_knob *knob, const char *now, const char *device,
	struct sgs_result *result)
{
	char is[SHOWN_VALUE], wanted[SHOWN_VALUE];
	struct sgs_error err;

	sgs_fail(&err, SGS_BUSY, "setting_in_use",
		"%s%s%s wants %s, but another program holds %s at %s for its own run; wait for "
		"its "
		"end (fuser -v names it), or leave %s out",
		device ? device : "", device ? ": " : "", sgs_knob_option(knob->kind),
		show(knob->kind, knob->to, wanted), knob->shown, show(knob->kind, now, is),
		sgs_knob_option(knob->kind));
	sgs_result_error(result, device, &err);
	return err.status;
}

/* Another run has it at the value wanted: it stays so until both have ended. */
static int share(const struct sgs_knob *knob, const char *device, struct sgs_setting *s,
	struct sgs_result *result)
{
	char now[SGS_KNOB_ROOM] = "", is[SHOWN_VALUE];
	int r = sgs_knob_value(knob, now);

	if (r < 0 || strcmp(now, knob->to) != 0)
		return in_use(knob, now, device, result);
	strcpy(s->from, now);
	s->put_back = SGS_PUT_BACK;
	sgs_result_message(result, SGS_INFO, device, "setting_shared",
		"%s is %s already for another run, which puts it back when both have ended",
		knob->shown, show(knob->kind, now, is));
	return 0;
}

/* Under the exclusive lock. */
static int make_alone(struct sgs_guarded *e, const char *device, struct sgs_setting *s,
	struct sgs_result *result)
{
	struct sgs_knob *knob = &e->knob;
	char took[SGS_KNOB_ROOM], was[SHOWN_VALUE], is[SHOWN_VALUE];
	int r = sgs_knob_remember(knob);

	strcpy(s->from, knob->from);
	s->put_back = SGS_PUT_BACK;
	if (!r && !strcmp(knob->from, knob->to))
		return 0;
	if (!r) {
		sgs_guard_set_state(e, SGS_GUARD_ARMED);
		s->put_back = SGS_LEFT;
		r = sgs_knob_set(knob, took);
	}
	if (r < 0)
		return cannot_make(knob, device, r, result);
	strcpy(e->took, took);
	strcpy(s->to, took);
	if (strcmp(took, knob->to) != 0)
		sgs_result_message(result, SGS_WARNING, device, "setting_rounded",
			"%s: the kernel made %s of %s", sgs_knob_option(knob->kind),
			show(knob->kind, took, is), show(knob->kind, knob->to, was));
	return 0;
}

static int make(struct sgs_guarded *e, struct sgs_setting *s, struct sgs_result *result)
{
	const char *device = path_of(result, s);
	int status, r = take_lock(&e->knob);

	if (r < 0)
		return in_use(&e->knob, e->knob.from, device, result);
	if (r == 0)
		return share(&e->knob, device, s, result);
	status = make_alone(e, device, s, result);
	sgs_knob_lock(&e->knob, false);
	return status;
}

int sgs_settings_make(struct sgs_guard *guard, struct sgs_result *result)
{
	struct sgs_run_result *run = &result->run;
	int status = 0, r = 0;

	if (!run->n_settings)
		return 0;
	for (size_t i = 0; !r && i < run->n_settings; i++)
		r = sgs_knob_hold(&guard->entries[i].knob);
	if (!r)
		r = sgs_guard_start(guard);
	if (r < 0)
		return fail(r, "no guard for the settings", result);
	for (size_t i = 0; !status && i < run->n_settings; i++)
		status = make(&guard->entries[i], &run->settings[i], result);
	return status;
}

/* ---- putting back ---- */

static void say_changed(const struct sgs_guarded *e, const char *found, const char *device,
	struct sgs_result *result)
{
	enum sgs_setting_kind kind = e->knob.kind;
	char is[SHOWN_VALUE], made[SHOWN_VALUE], was[SHOWN_VALUE];

	sgs_result_message(result, SGS_WARNING, device, "setting_changed",
		"%s is %s now, not %s as this run had set it: somebody else has changed it, so "
		"it "
		"is left; before the run it was %s",
		e->knob.shown, show(kind, found, is), show(kind, e->took, made),
		show(kind, e->knob.from, was));
}

static void say_later(
	const struct sgs_guarded *e, pid_t guard, const char *device, struct sgs_result *result)
{
	char is[SHOWN_VALUE], was[SHOWN_VALUE];

	sgs_result_message(result, SGS_WARNING, device, "setting_in_use",
		"%s stays at %s, because another run uses it: process %ld, left behind, puts "
		"it "
		"back to %s when that has ended",
		e->knob.shown, show(e->knob.kind, e->took, is), (long)guard,
		show(e->knob.kind, e->knob.from, was));
}

static void say_failed(
	const struct sgs_guarded *e, int error, const char *device, struct sgs_result *result)
{
	bool gone = error == -ENOENT || error == -ENODEV;

	sgs_result_message(result, SGS_WARNING, device,
		gone ? "setting_gone" : "setting_not_put_back",
		gone ? "%s has gone with its device, so it could not be put back to %s (%s)"
		     : "%s could not be put back to %s: %s; do it by hand",
		e->knob.shown, e->knob.from, strerrordesc_np(-error));
}

static void put_back(struct sgs_guard *guard, size_t i, struct sgs_result *result)
{
	struct sgs_guarded *e = &guard->entries[i];
	struct sgs_setting *s = &result->run.settings[i];
	const char *device = path_of(result, s);
	char found[SGS_KNOB_ROOM] = "";
	int r = sgs_guard_put_back(e, found);

	if (r == 0)
		s->put_back = SGS_PUT_BACK;
	else if (r == 1)
		say_changed(e, found, device, result);
	else if (r == -EWOULDBLOCK)
		say_later(e, guard->pid, device, result);
	else
		say_failed(e, r, device, result);
}

void sgs_settings_put_back(struct sgs_guard *guard, struct sgs_result *result)
{
	for (size_t i = result->run.n_settings; guard->entries && i-- > 0;)
		if (sgs_guard_state(&guard->entries[i]) == SGS_GUARD_ARMED)
			put_back(guard, i, result);
	sgs_guard_end(guard);
}

/* ---- what a setting cannot do ---- */

static void note(enum sgs_setting_kind kind, const char *engine, const char *why,
	struct sgs_result *result)
{
	sgs_result_message(result, SGS_INFO, NULL, "setting_without_effect",
		"%s changes nothing for -e %s: %s", sgs_knob_option(kind), engine, why);
}

void sgs_settings_note(const struct sgs_host_settings *wish, const char *engine,
	enum sgs_transfer transfer, bool block_engine, struct sgs_result *result)
{
	if (wish->read_ahead.given && transfer != SGS_CACHED)
		note(SGS_SET_READ_AHEAD, engine, "it does not read through the page cache",
			result);
	if (wish->scheduler && !block_engine)
		note(SGS_SET_SCHEDULER, engine, "SCSI commands pass the scheduler by", result);
	if (wish->allow_dio && strcmp(engine, "sg-dio") && strcmp(engine, "sg-async"))
		note(SGS_SET_ALLOW_DIO, engine, "only sg-dio and sg-async ask for it", result);
}
