/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the runs of a comparison had to say, said once.
 */
#include <string.h>

#include "run/compare.h"

enum { ROOM_FOR_TEXT = 400 }; /* of a message, so that its contender has room behind it */

static bool is_one_of(const char *code, const char *const *codes)
{
	for (; *codes; codes++)
		if (!strcmp(code, *codes))
			return true;
	return false;
}

/* Of the devices and the job, whatever contender said it. */
static bool is_of_all(const struct sgs_message *m)
{
	static const char *const codes[] = { "same_unit", "depth_above_queue", "setting_shared",
		"setting_rounded", NULL };

	return is_one_of(m->code, codes);
}

/* Of one run: a comparison judges by all of them, and its settings are for whom they concern.
 */
static bool is_of_one(const struct sgs_message *m)
{
	static const char *const codes[] = { "short_run", "setting_without_effect", NULL };

	return is_one_of(m->code, codes);
}

static bool is_same(const struct sgs_message *a, const struct sgs_message *b)
{
	return a->level == b->level && !strcmp(a->code, b->code) &&
	       !strcmp(a->device, b->device);
}

static bool has(const struct sgs_result *run, const struct sgs_message *m)
{
	for (size_t i = 0; i < run->n_messages; i++)
		if (is_same(&run->messages[i], m))
			return true;
	return false;
}

/* In how many of the first n runs of a contender (or of all) it stands. */
static size_t count(const struct sgs_comparison *c, size_t n, size_t contender,
	const struct sgs_message *m, size_t *of)
{
	size_t found = 0;

	*of = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_of_all(m) && c->contender_of[i] != contender)
			continue;
		++*of;
		found += has(&c->runs[i], m);
	}
	return found;
}

static void add_note(struct sgs_comparison *c, size_t run, const struct sgs_message *m)
{
	size_t contender = c->contender_of[run], of, found;
	const char *device = m->device[0] ? m->device : NULL;

	if (is_of_one(m) || count(c, run, contender, m, &of))
		return;
	found = count(c, c->n_runs, contender, m, &of);
	if (is_of_all(m))
		sgs_result_message(&c->sum, m->level, device, m->code, "%s", m->text);
	else
		sgs_result_message(&c->sum, m->level, device, m->code,
			"%.*s (%s, %zu of %zu runs)", ROOM_FOR_TEXT, m->text,
			c->contenders[contender].engine->name, found, of);
}

static void add_error(struct sgs_comparison *c, size_t run, const struct sgs_message *m)
{
	const struct sgs_run_result *r = &c->runs[run].run;

	sgs_result_message(&c->sum, SGS_ERROR, m->device[0] ? m->device : NULL, m->code,
		"%.*s (%s, %s %u)", ROOM_FOR_TEXT, m->text, r->engine,
		r->warmup ? "warm-up round" : "round", r->round);
}

void sgs_comparison_gather(struct sgs_comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_runs; i++) {
		const struct sgs_result *run = &comparison->runs[i];

		for (size_t j = 0; j < run->n_messages; j++)
			if (run->messages[j].level == SGS_ERROR)
				add_error(comparison, i, &run->messages[j]);
			else
				add_note(comparison, i, &run->messages[j]);
	}
}
