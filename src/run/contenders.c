/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who takes part in a comparison.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/compare.h"

static const char default_list[] = "sg-mmap,sg-dio,direct,buffered";

static int no_such_engine(const char *list, const char *name, size_t len, struct sgs_error *err)
{
	char known[160] = "";
	size_t at = 0;

	for (size_t i = 0; i < sgs_engine_count && at < sizeof known; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
			sgs_engines[i]->name);
	return sgs_fail(err, SGS_USAGE, "unknown_engine",
		"--engines: '%s': there is no engine '%.*s'; there are %s", list, (int)len,
		name, known);
}

static bool is_in(const struct sgs_comparison *out, const struct sgs_engine *engine)
{
	for (size_t i = 0; i < out->n_contenders; i++)
		if (out->contenders[i].engine == engine)
			return true;
	return false;
}

static int add(const char *list, const char *name, size_t len, struct sgs_comparison *out,
	struct sgs_error *err)
{
	const struct sgs_engine *engine;
	char word[32] = "";

	if (len < sizeof word)
		memcpy(word, name, len);
	engine = sgs_engine_find(word);
	if (!engine)
		return no_such_engine(list, name, len, err);
	if (is_in(out, engine))
		return sgs_fail(err, SGS_USAGE, "named_twice",
			"--engines: '%s' has %s twice; each contender runs once a round", list,
			engine->name);
	out->contenders[out->n_contenders++] =
		(struct sgs_contender){ .engine = engine, .named = list != default_list };
	return 0;
}

int sgs_contenders_name(const char *list, struct sgs_comparison *out, struct sgs_error *err)
{
	int status = 0;

	out->contenders = calloc(sgs_engine_count, sizeof *out->contenders);
	if (!out->contenders)
		return sgs_fail(err, SGS_INTERNAL, "no_memory", "no memory for the contenders");
	if (!list)
		list = default_list;
	for (const char *name = list; !status;) {
		size_t len = strcspn(name, ",");

		status = add(list, name, len, out, err);
		if (!name[len])
			break;
		name += len + 1;
	}
	return status;
}

/* Of those that nobody asked for, one that would be copied all the same says nothing new. */
static bool would_be_copied(const struct sgs_job *job, const struct sgs_contender *c,
	const struct sgs_device *devices, size_t n, struct sgs_error *why)
{
	if (c->named || !c->engine->zero_copy || job->settings.allow_dio)
		return false;
	for (size_t i = 0; i < n; i++) {
		why->text[0] = '\0';
		if (!c->engine->probe(&devices[i], why) && why->text[0])
			return true;
	}
	return false;
}

void sgs_contender_leaves(struct sgs_contender *contender, const struct sgs_result *because)
{
	contender->out = true;
	contender->why.status = because->exit_status;
	for (size_t i = 0; i < because->n_messages; i++) {
		const struct sgs_message *m = &because->messages[i];

		if (m->level != SGS_ERROR)
			continue;
		snprintf(contender->why.code, sizeof contender->why.code, "%s", m->code);
		snprintf(contender->why.text, sizeof contender->why.text, "%s", m->text);
		return;
	}
}

void sgs_contenders_try(const struct sgs_job *job, const struct sgs_device *devices, size_t n,
	struct sgs_comparison *out)
{
	for (size_t i = 0; i < out->n_contenders; i++) {
		struct sgs_contender *c = &out->contenders[i];
		struct sgs_result planned = { 0 };
		struct sgs_job own = *job;

		own.engine = c->engine->name;
		if (sgs_plan(&own, devices, n, &planned))
			sgs_contender_leaves(c, &planned);
		else
			c->out = would_be_copied(&own, c, devices, n, &c->why);
		sgs_result_free(&planned);
	}
}
