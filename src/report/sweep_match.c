/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the sweep in a file is this one.
 */
#include <stdlib.h>
#include <string.h>

#include "report/json_sweep.h"
#include "util/text.h"

enum { SHOWN = 100 };

/* "--max-transfer (kib)" of "max_transfer_kib" */
static void option_of(const char *key, char option[SHOWN])
{
	static const char *const units[] = { "bytes", "ns", "kib" };
	const char *unit = strrchr(key, '_');
	int len = (int)strlen(key);
	bool has_unit = false;

	for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
		has_unit |= !strcmp(unit + 1, units[i]);
	if (!strcmp(key, "queue_depth"))
		snprintf(option, SHOWN, "--qd");
	else if (!strcmp(key, "engine"))
		snprintf(option, SHOWN, "--engines");
	else if (!strcmp(key, "offset_percent"))
		snprintf(option, SHOWN, "--offsets");
	else if (has_unit)
		snprintf(option, SHOWN, "--%.*s (%s)", (int)(unit - key), key, unit + 1);
	else
		snprintf(option, SHOWN, "--%.*s", len < 60 ? len : 60, key);
	for (char *c = option; *c; c++)
		if (*c == '_')
			*c = '-';
}

static void show(const json_t *value, char buf[SHOWN])
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	sgs_copy_utf8(buf, SHOWN, text ? text : "none");
	free(text);
}

static int other(const char *file, const char *what, const json_t *old, const json_t *now,
	struct sgs_error *err)
{
	char was[SHOWN], is[SHOWN];

	show(old, was);
	show(now, is);
	return sgs_fail(err, SGS_CONTRADICT, "other_sweep",
		"%s holds another sweep: its %s is %s, and now it is %s; resume it with its "
		"own, or give another file",
		file, what, was, is);
}

/* Of two objects, the first key that differs, or NULL. */
static const char *difference(json_t *a, json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach(a, key, value)
	{
		if (!json_equal(value, json_object_get(b, key)))
			return key;
	}
	json_object_foreach(b, key, value)
	{
		if (!json_object_get(a, key))
			return key;
	}
	return NULL;
}

/* Frees now. */
static int same_options(const char *file, json_t *old, json_t *now, struct sgs_error *err)
{
	const char *key = now ? difference(now, old) : NULL;
	char option[SHOWN];
	int status = 0;

	if (!now)
		status = sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the sweep");
	if (key) {
		option_of(key, option);
		status = other(file, option, json_object_get(old, key),
			json_object_get(now, key), err);
	}
	json_decref(now);
	return status;
}

/* With a name of its own, a unit may have another path after a reboot. */
static const char *other_device(json_t *old, json_t *now)
{
	const char *name = json_string_value(json_object_get(now, "lu_name"));
	const char *key;
	json_t *value;

	json_object_foreach(now, key, value)
	{
		bool is_place = !strcmp(key, "path") || !strcmp(key, "hctl");

		if (is_place && name && *name)
			continue;
		if (!json_equal(value, json_object_get(old, key)))
			return key;
	}
	return NULL;
}

static int same_devices(const char *file, const json_t *old, const struct sgs_sweep *sweep,
	struct sgs_error *err)
{
	json_t *now = sgs_json_sweep_devices(sweep);
	int status = 0;

	if (!now)
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the sweep");
	if (json_array_size(old) != json_array_size(now))
		status = sgs_fail(err, SGS_CONTRADICT, "other_sweep",
			"%s holds another sweep: it is of %zu devices, and now there are %zu; "
			"give the same, or another file",
			file, json_array_size(old), json_array_size(now));
	for (size_t i = 0; !status && i < json_array_size(now); i++) {
		json_t *was = json_array_get(old, i), *is = json_array_get(now, i);
		const char *key = other_device(was, is);
		char what[SHOWN + PATH_MAX];

		if (!key)
			continue;
		snprintf(what, sizeof what, "%s of device %zu", key, i + 1);
		status = other(
			file, what, json_object_get(was, key), json_object_get(is, key), err);
	}
	json_decref(now);
	return status;
}

/* What was measured by another program, or under another kernel, is another figure. */
static int same_ground(const char *file, const json_t *root, struct sgs_error *err)
{
	static const struct sgs_call nobody = { .command = "sweep" };
	static const char *const facts[][2] = { { "tool", "version" }, { "tool", "commit" },
		{ "host", "kernel" }, { "host", "cpus" } };
	json_t *head = sgs_json_head(&nobody, "ok", 0, NULL);
	int status = 0;

	for (size_t i = 0; head && !status && i < sizeof facts / sizeof *facts; i++) {
		const char *part = facts[i][0], *key = facts[i][1];
		json_t *old = json_object_get(json_object_get(root, part), key);
		json_t *now = json_object_get(json_object_get(head, part), key);
		char what[SHOWN];

		if (old && json_equal(old, now))
			continue;
		snprintf(what, sizeof what, "%s %s", part, key);
		status = other(file, what, old, now, err);
	}
	json_decref(head);
	return status;
}

int sgs_sweep_is_same(const char *file, const json_t *root, const struct sgs_sweep *sweep,
	struct sgs_error *err)
{
	const json_t *old = json_object_get(root, "sweep");
	int status = same_ground(file, root, err);

	if (!status)
		status = same_devices(file, json_object_get(old, "devices"), sweep, err);
	if (!status)
		status = same_options(
			file, json_object_get(old, "axes"), sgs_json_sweep_axes(sweep), err);
	return status ? status
		      : same_options(file, json_object_get(old, "each"),
				sgs_json_sweep_each(sweep), err);
}
