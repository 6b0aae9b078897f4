/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/compared.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

#define WORD	    64
#define MOST_ROUNDS 1000.0 /* beyond, nobody counts */

static const char *name_of(const struct sgs_series *s)
{
	return s->contender->engine->name;
}

/* ---- words ---- */

/* Three digits; near one, where the fourth is the one that counts, three decimals. */
static const char *figure(char buf[WORD], double value)
{
	double size = fabs(value);

	if (size >= 99.95)
		snprintf(buf, WORD, "%.0f", value);
	else if (size >= 0.9 && size < 1.1)
		snprintf(buf, WORD, "%.3f", value);
	else
		snprintf(buf, WORD, "%#.3g", value);
	return buf;
}

/* Of CPU seconds, two digits behind the point are what clocks can tell. */
static const char *seconds(char buf[WORD], double value)
{
	snprintf(buf, WORD, value >= 0.095 ? "%.2f" : "%.2g", value);
	return buf;
}

/* "98.4 % 1.38 to 1.47" */
static const char *interval(char buf[4 * WORD], const struct sgs_estimate *e)
{
	char low[WORD], high[WORD];

	snprintf(buf, 4 * WORD, "%.3g %% %s to %s", 100 * e->coverage, figure(low, e->low),
		figure(high, e->high));
	return buf;
}

static const char *rounds_word(char buf[WORD], double rounds)
{
	if (rounds > MOST_ROUNDS)
		snprintf(buf, WORD, "more than %.0f rounds", MOST_ROUNDS);
	else
		snprintf(buf, WORD, "about %.0f rounds", rounds);
	return buf;
}

__attribute__((format(printf, 2, 3))) static void say(
	struct sgs_compared *c, const char *fmt, ...)
{
	size_t at = strlen(c->verdict);
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->verdict + at, sizeof c->verdict - at, fmt, args);
	va_end(args);
}

/* "/dev/sg1", "the 4 devices" */
static void say_what(struct sgs_compared *c)
{
	const struct sgs_run_result *run = &c->series[0].runs[0]->run;
	char path[200];

	if (run->n_devices == 1) {
		sgs_copy_utf8(path, sizeof path, run->devices[0].device.path);
		say(c, "%s", path);
	} else
		say(c, "the %zu devices", run->n_devices);
}

/* ---- two contenders ---- */

struct match {
	const struct sgs_series *first, *second;
	struct sgs_estimate ratio;
	int side; /* 1: the first is faster, -1 the second, 0 who knows */
};

static struct match match(const struct sgs_series *a, const struct sgs_series *b)
{
	struct match m = { a, b, sgs_pair_ratio(a->rates, b->rates, a->rounds), 0 };

	m.side = sgs_estimate_side(&m.ratio, 1);
	return m;
}

static bool fits(const struct sgs_series *s, const struct sgs_series *other)
{
	return sgs_series_is_cached(other) ? sgs_series_is_zero_copy(s)
					   : sgs_series_is_cached(s);
}

/* The first one that moves data: the null engine is no way to read. */
static const struct sgs_series *subject(const struct sgs_compared *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->series[i].contender->engine->transfer != SGS_NO_TRANSFER)
			return &c->series[i];
	return &c->series[0];
}

/* The question behind a comparison is what the page cache costs: the subject against the first
 * contender on the other side of it, or else against the best one. */
static const struct sgs_series *opponent(
	const struct sgs_compared *c, const struct sgs_series *of)
{
	for (size_t i = 0; i < c->n; i++)
		if (&c->series[i] != of && fits(&c->series[i], of))
			return &c->series[i];
	return sgs_compared_best_other(c, of);
}

/* ---- the sentence ---- */

/* What the first costs less, or more, than the second, if it shows. apart: in a clause of its
 * own. */
static void say_cost(struct sgs_compared *c, const struct match *m, bool apart)
{
	struct sgs_estimate more = sgs_series_cost_difference(m->second, m->first);
	int side = sgs_estimate_side(&more, 0);
	char word[WORD];

	if (!side) {
		if (sgs_estimate_holds(&more) && !apart)
			say(c, ", with no difference in CPU that shows");
		return;
	}
	if (apart)
		say(c, "; %s", name_of(m->first));
	else
		say(c, side > 0 ? " and" : " but");
	say(c, " costs %s s of CPU per GiB %s", seconds(word, fabs(more.median)),
		side > 0 ? "less" : "more");
}

static void say_faster(struct sgs_compared *c, const struct match *m)
{
	char word[WORD], range[4 * WORD];

	say(c, "%s reads ", name_of(m->first));
	say_what(c);
	say(c, " %s times as fast as %s (%s)", figure(word, m->ratio.median),
		name_of(m->second), interval(range, &m->ratio));
	say_cost(c, m, false);
}

static void say_no_difference(struct sgs_compared *c, const struct match *m)
{
	double needed = sgs_pair_needed(m->first->rates, m->second->rates, c->rounds);
	char word[WORD], range[4 * WORD];

	say(c, "no difference between %s and %s on ", name_of(m->first), name_of(m->second));
	say_what(c);
	say(c, " that these %zu rounds can show (ratio %s; %s)", c->rounds,
		figure(word, m->ratio.median), interval(range, &m->ratio));
	if (isfinite(needed))
		say(c, "; %s would be needed", rounds_word(word, needed));
	say_cost(c, m, true);
}

static void say_too_few(struct sgs_compared *c, const struct match *m)
{
	char word[WORD], range[4 * WORD];

	say(c, "no difference between %s and %s that %zu round%s can show (ratio %s",
		name_of(m->first), name_of(m->second), c->rounds, c->rounds == 1 ? "" : "s",
		figure(word, m->ratio.median));
	if (c->rounds > 1)
		say(c, "; %s", interval(range, &m->ratio));
	say(c, "); at least %d would be needed", SGS_STATS_LEAST);
}

static void say_alone(struct sgs_compared *c, const struct sgs_series *s)
{
	char mb[WORD], mib[WORD], cost[WORD];

	say(c, "%s reads ", name_of(s));
	say_what(c);
	say(c, " at %s MB/s (%s MiB/s)", figure(mb, s->rate.median / 1e6),
		figure(mib, s->rate.median / 1048576));
	if (s->cost.n)
		say(c, " for %s s of CPU per GiB", seconds(cost, s->cost.median));
	say(c, ", with nothing to compare it with");
}

/* A third one that leaves the winner behind. */
static void say_faster_still(struct sgs_compared *c, const struct match *m)
{
	const struct sgs_series *best = sgs_compared_best_other(c, m->first);
	struct match third;
	char word[WORD];

	if (!best || best == m->second)
		return;
	third = match(best, m->first);
	if (third.side > 0)
		say(c, "; %s is faster still, %s times as fast as %s", name_of(best),
			figure(word, third.ratio.median), name_of(m->first));
}

static void say_match(
	struct sgs_compared *c, const struct sgs_series *one, const struct sgs_series *other)
{
	struct match m = match(one, other);

	if (m.side < 0)
		m = match(other, one);
	if (!sgs_estimate_holds(&m.ratio)) {
		say_too_few(c, &m);
		return;
	}
	if (m.side)
		say_faster(c, &m);
	else
		say_no_difference(c, &m);
	say_faster_still(c, &m);
}

void sgs_compared_judge(struct sgs_compared *compared)
{
	const struct sgs_series *one, *other;

	compared->verdict[0] = '\0';
	if (!compared->n) {
		say(compared, "no round was finished, so there is nothing to compare");
		return;
	}
	one = subject(compared);
	other = opponent(compared, one);
	if (other)
		say_match(compared, one, other);
	else
		say_alone(compared, one);
}

/* ---- an expectation ---- */

static void not_met(struct sgs_result *sum, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void not_met(struct sgs_result *sum, const char *fmt, ...)
{
	struct sgs_error err;
	char text[sizeof err.text];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	sgs_fail(&err, SGS_EXPECTATION, "below_ratio", "%s", text);
	sgs_result_error(sum, NULL, &err);
}

void sgs_compared_expect(
	const struct sgs_compared *compared, double least, struct sgs_result *sum)
{
	const struct sgs_series *first = compared->series, *best;
	char word[WORD], range[4 * WORD], limit[WORD];
	struct match m;

	if (!compared->n || sum->exit_status)
		return;
	snprintf(limit, sizeof limit, "%g", least);
	best = sgs_compared_best_other(compared, first);
	if (!best) {
		not_met(sum, "--fail-below %s: %s has no other contender to be held against",
			limit, name_of(first));
		return;
	}
	m = match(first, best);
	figure(word, m.ratio.median);
	interval(range, &m.ratio);
	if (sgs_estimate_side(&m.ratio, least) < 0)
		not_met(sum, "--fail-below %s: %s is %s times as fast as %s (%s)", limit,
			name_of(first), word, name_of(best), range);
	else if (m.ratio.low < least || !sgs_estimate_holds(&m.ratio))
		sgs_result_message(sum, SGS_WARNING, NULL, "ratio_unsure",
			"--fail-below %s: %s is %s times as fast as %s, but the interval (%s) "
			"goes below; more --rounds, or longer ones, make it narrower",
			limit, name_of(first), word, name_of(best), range);
}
