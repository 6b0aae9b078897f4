/* SPDX-License-Identifier: BSD-2-Clause */
#include "capacity/model.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define AS_FAST	   0.98 /* of the rate, for a depth to be enough */
#define HALF	   0.5
#define FAR_DRIVES 1e6

/* ---- which runs make the curve ---- */

static bool is_asked_for(const struct sgs_way *way, const struct sgs_model_wish *wish)
{
	return (!wish->engine || !strcmp(way->engine, wish->engine)) &&
	       (!wish->bs_bytes || way->bs_bytes == wish->bs_bytes) &&
	       (!wish->queue_depth || way->queue_depth == wish->queue_depth);
}

static bool of_curve(const struct sgs_point *p, const struct sgs_way *way, unsigned controllers)
{
	return p->offset_percent == SGS_NO_OFFSET && sgs_same_way(&p->way, way) &&
	       (!controllers || p->controllers == controllers);
}

/* How good a curve the runs of a way make. */
struct worth {
	unsigned distinct, most;
	double rate; /* with the most devices: of the rounds the median, not the luckiest */
};

static double median_with(const struct sgs_measured *host, const struct sgs_way *way,
	unsigned controllers, unsigned devices)
{
	double rates[SGS_STATS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < host->n && n < SGS_STATS_MOST; i++)
		if (of_curve(&host->points[i], way, controllers) &&
			host->points[i].devices == devices)
			rates[n++] = host->points[i].rate;
	return sgs_estimate_median(rates, n).median;
}

static struct worth worth_of(
	const struct sgs_measured *host, const struct sgs_way *way, unsigned controllers)
{
	struct worth w = { 0 };

	for (size_t i = 0; i < host->n; i++) {
		const struct sgs_point *p = &host->points[i];
		bool seen = false;

		if (!of_curve(p, way, controllers))
			continue;
		for (size_t k = 0; k < i && !seen; k++)
			seen = of_curve(&host->points[k], way, controllers) &&
			       host->points[k].devices == p->devices;
		w.distinct += !seen;
		if (p->devices > w.most)
			w.most = p->devices;
	}
	w.rate = median_with(host, way, controllers, w.most);
	return w;
}

static bool is_worth_more(const struct worth *a, const struct worth *b)
{
	if (a->distinct != b->distinct)
		return a->distinct > b->distinct;
	return a->rate > b->rate;
}

static void add_reason(char *text, size_t cap, size_t runs, const char *why)
{
	size_t used = strlen(text);

	if (runs)
		snprintf(text + used, cap - used, "%s%zu %s", used ? ", " : "", runs, why);
}

static size_t profiled(const struct sgs_measured *host)
{
	size_t n = 0;

	for (size_t i = 0; i < host->n; i++)
		n += host->points[i].offset_percent != SGS_NO_OFFSET;
	return n;
}

/* What became of the runs that are in the results. */
static const char *say_left_out(const struct sgs_measured *host, char *text, size_t cap)
{
	*text = '\0';
	add_reason(text, cap, host->failed, "failed");
	add_reason(text, cap, host->warm, "read from memory");
	add_reason(text, cap, host->paced, "held to a rate");
	add_reason(text, cap, host->empty, "without a byte or a device");
	add_reason(text, cap, profiled(host), "of a profile by position");
	if (!*text && !host->n)
		snprintf(text, cap, "there are none");
	return text;
}

static int no_engine(const struct sgs_measured *host, const struct sgs_model_wish *wish,
	struct sgs_error *err)
{
	char bs[32] = "", qd[32] = "", left_out[200];

	if (wish->bs_bytes)
		snprintf(bs, sizeof bs, " --bs %llu", (unsigned long long)wish->bs_bytes);
	if (wish->queue_depth)
		snprintf(qd, sizeof qd, " --qd %u", wish->queue_depth);
	say_left_out(host, left_out, sizeof left_out);
	return sgs_fail(err, SGS_USAGE, "not_measured",
		"no good run of the results%s%s is of %s%s%s%s%s%s; measure it with sgstream "
		"sweep%s%s%s%s --devices 1..N --json=FILE DEVICE...",
		host->name[0] ? " of host " : "", host->name,
		wish->engine ? wish->engine : "any engine", bs, qd, *left_out ? " (" : "",
		left_out, *left_out ? ")" : "", wish->engine ? " --engines " : "",
		wish->engine ? wish->engine : "", bs, qd);
}

/* The way with the most different numbers of devices, and of these the fastest by median. */
static int choose_way(const struct sgs_measured *host, const struct sgs_model_wish *wish,
	unsigned controllers, struct sgs_way *way, struct worth *best)
{
	*best = (struct worth){ 0 };
	for (size_t i = 0; i < host->n; i++) {
		const struct sgs_point *p = &host->points[i];
		struct worth w;

		if (!is_asked_for(&p->way, wish) || !of_curve(p, &p->way, controllers))
			continue;
		w = worth_of(host, &p->way, controllers);
		if (!is_worth_more(&w, best))
			continue;
		*best = w;
		*way = p->way;
	}
	return best->distinct ? 0 : -ENOENT;
}

static int no_curve(const struct sgs_model *m, const struct worth *w, struct sgs_error *err)
{
	return sgs_fail(err, SGS_USAGE, "no_curve",
		"the runs with %s, %llu bytes per command and depth %u are all of %u device%s, "
		"which says nothing of more; measure with sgstream sweep --engines %s --bs "
		"%llu "
		"--qd %u --devices 1..N --json=FILE DEVICE...",
		m->way.engine, (unsigned long long)m->way.bs_bytes, m->way.queue_depth, w->most,
		w->most == 1 ? "" : "s", m->way.engine, (unsigned long long)m->way.bs_bytes,
		m->way.queue_depth);
}

/* One controller by itself where that was measured, else those that were read together. */
static int choose_unit(const struct sgs_measured *host, const struct sgs_model_wish *wish,
	struct sgs_model *m, struct sgs_error *err)
{
	struct worth w;

	m->unit = 1;
	if (!choose_way(host, wish, 1, &m->way, &w) && w.distinct >= 2)
		return 0;
	if (choose_way(host, wish, 0, &m->way, &w))
		return no_engine(host, wish, err);
	if (w.distinct < 2)
		return no_curve(m, &w, err);
	for (size_t i = 0; i < host->n; i++)
		if (of_curve(&host->points[i], &m->way, 0) &&
			host->points[i].controllers > m->unit)
			m->unit = host->points[i].controllers;
	return 0;
}

bool sgs_model_has_point(const struct sgs_model *m, const struct sgs_point *p)
{
	return of_curve(p, &m->way, m->unit == 1 ? 1 : 0);
}

/* ---- the curves ---- */

static int fit_points(const struct sgs_model *m, double *at, double *rate, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < m->host->n && *n < SGS_SCALING_POINTS; i++) {
		const struct sgs_point *p = &m->host->points[i];

		if (!sgs_model_has_point(m, p))
			continue;
		at[*n] = p->devices;
		rate[(*n)++] = p->rate;
	}
	return 0;
}

static int fit_drives(struct sgs_model *m, struct sgs_error *err)
{
	double at[SGS_SCALING_POINTS], rate[SGS_SCALING_POINTS];
	size_t n;
	int r;

	fit_points(m, at, rate, &n);
	r = sgs_scaling_fit(at, rate, n, &m->drives);
	if (!r)
		return 0;
	return sgs_fail(err, r == -ENOMEM ? SGS_INTERNAL : SGS_USAGE,
		r == -ENOMEM ? "no_memory" : "no_law",
		r == -ENOMEM ? "no memory for the model"
			     : "no scaling law goes through the %zu runs with %s; measure them "
			       "again, for longer",
		n, m->way.engine);
}

/* What units give together, in rates of one: the run by what its controllers give alone. */
static double units_of(const struct sgs_model *m, const struct sgs_point *p)
{
	double alone = 0;

	for (unsigned i = 0; i < m->host->n_controllers; i++)
		if (p->on[i])
			alone += sgs_model_rate(m, &m->drives.curve, p->on[i]);
	return p->controllers * p->rate / alone;
}

static void fit_together(struct sgs_model *m)
{
	double at[SGS_SCALING_POINTS], units[SGS_SCALING_POINTS];
	size_t n = 0;

	if (m->unit > 1)
		return;
	for (size_t i = 0; i < m->host->n && n + 1 < SGS_SCALING_POINTS; i++) {
		const struct sgs_point *p = &m->host->points[i];

		if (!of_curve(p, &m->way, 0) || p->controllers < 2)
			continue;
		at[n] = p->controllers;
		units[n++] = units_of(m, p);
	}
	if (!n)
		return;
	at[n] = units[n] = 1;
	m->has_together = !sgs_scaling_fit(at, units, n + 1, &m->together);
}

double sgs_model_units(const struct sgs_model *m, double units)
{
	return m->has_together ? fmin(units, sgs_curve_at(&m->together.curve, units)) : units;
}

/* ---- the drives' zones ---- */

static bool of_profile(const struct sgs_model *m, const struct sgs_point *p)
{
	return p->offset_percent != SGS_NO_OFFSET && !strcmp(p->way.engine, m->way.engine);
}

/* The fewest devices that a profile was made of: with more, the controller may have its part.
 */
static unsigned profiled_devices(const struct sgs_model *m)
{
	unsigned least = UINT_MAX;

	for (size_t i = 0; i < m->host->n; i++)
		if (of_profile(m, &m->host->points[i]) && m->host->points[i].devices < least)
			least = m->host->points[i].devices;
	return least;
}

/* Of the profile's own places, so that it may have been read in another way. */
static void find_zone(struct sgs_model *m)
{
	const struct sgs_point *first = NULL, *slowest = NULL;
	unsigned devices = profiled_devices(m);

	m->zone_percent = SGS_NO_OFFSET;
	for (size_t i = 0; i < m->host->n; i++) {
		const struct sgs_point *p = &m->host->points[i];

		if (!of_profile(m, p) || p->devices != devices)
			continue;
		if (!first || p->offset_percent < first->offset_percent)
			first = p;
		if (!slowest || p->rate < slowest->rate)
			slowest = p;
	}
	if (!first)
		return;
	m->zone = slowest->rate / first->rate;
	m->zone_percent = slowest->offset_percent;
}

/* ---- ceilings ---- */

/* The least depth at which one drive was as fast, when others were measured; else the way's. */
static double find_depth(const struct sgs_model *m)
{
	double depth = m->way.queue_depth ? m->way.queue_depth : 1;
	double rate = sgs_curve_at(&m->drives.curve, 1);

	for (size_t i = 0; i < m->host->n; i++) {
		const struct sgs_point *p = &m->host->points[i];
		struct sgs_way way = p->way;

		way.queue_depth = m->way.queue_depth;
		way.threads = m->way.threads;
		if (p->devices == 1 && p->way.queue_depth && p->way.queue_depth < depth &&
			p->offset_percent == SGS_NO_OFFSET && sgs_same_way(&way, &m->way) &&
			p->rate >= AS_FAST * rate)
			depth = p->way.queue_depth;
	}
	return depth;
}

/* Of the controllers that the runs were on: the least there, for as many as make a unit. */
static void look_at_controllers(struct sgs_model *m)
{
	double link = INFINITY;

	for (unsigned i = 0; i < m->host->n_controllers; i++) {
		const struct sgs_measured_controller *c = &m->host->controllers[i];
		bool used = false;

		for (size_t k = 0; k < m->host->n && !used; k++)
			used = sgs_model_has_point(m, &m->host->points[k]) &&
			       m->host->points[k].on[i];
		if (!used)
			continue;
		if (c->can_queue && (!m->can_queue || c->can_queue * m->unit < m->can_queue))
			m->can_queue = c->can_queue * m->unit;
		if (sgs_controller_link(c) >= link)
			continue;
		link = sgs_controller_link(c);
		snprintf(m->link_name, sizeof m->link_name, "%.127s",
			c->link > 0 && c->link <= link ? c->link_name : c->ports);
	}
	m->ceilings[SGS_CEILING_LINK] = link * m->unit;
}

static void find_ceilings(struct sgs_model *m, const struct sgs_model_wish *wish)
{
	for (int i = 0; i < SGS_CEILINGS; i++)
		m->ceilings[i] = INFINITY;
	look_at_controllers(m);
	m->needed_depth = find_depth(m);
	if (wish->controller_ceiling > 0)
		m->ceilings[SGS_CEILING_GIVEN] = wish->controller_ceiling * m->unit;
}

/* As many as can have what each needs */
static double slot_drives(const struct sgs_model *m)
{
	return m->can_queue ? m->can_queue / m->needed_depth : INFINITY;
}

/* Of slots: these drives, as fast as the curve has one. */
static double ceiling_of(const struct sgs_model *m, const struct sgs_curve *curve, int kind)
{
	switch (kind) {
	case SGS_CEILING_PLATEAU:
		return curve->ceiling;
	case SGS_CEILING_SLOTS:
		return m->zone * curve->law.lambda * slot_drives(m);
	case SGS_CEILING_PEAK:
		return isinf(sgs_usl_peak(&curve->law))
			       ? INFINITY
			       : m->zone * sgs_usl_highest(&curve->law);
	default:
		return m->ceilings[kind];
	}
}

double sgs_model_ceiling(
	const struct sgs_model *m, const struct sgs_curve *curve, enum sgs_ceiling_kind *kind)
{
	double lowest = INFINITY;

	if (kind)
		*kind = SGS_CEILING_NONE;
	for (int i = SGS_CEILING_NONE + 1; i < SGS_CEILINGS; i++) {
		double ceiling = ceiling_of(m, curve, i);

		if (ceiling >= lowest)
			continue;
		lowest = ceiling;
		if (kind)
			*kind = (enum sgs_ceiling_kind)i;
	}
	return lowest;
}

static bool is_far_from_full(const struct sgs_model *m)
{
	return slot_drives(m) > SGS_RANGE_TRUSTED * m->drives.most;
}

double sgs_model_seen_ceiling(
	const struct sgs_model *m, const struct sgs_curve *curve, enum sgs_ceiling_kind *kind)
{
	enum sgs_ceiling_kind lowest;
	double ceiling = sgs_model_ceiling(m, curve, &lowest);
	bool seen = lowest != SGS_CEILING_SLOTS || !is_far_from_full(m);

	if (kind)
		*kind = seen ? lowest : SGS_CEILING_NONE;
	return seen ? ceiling : INFINITY;
}

double sgs_model_rate(const struct sgs_model *m, const struct sgs_curve *curve, double drives)
{
	double rate = m->zone * sgs_usl_at(&curve->law, drives);

	return drives > 0 ? fmin(rate, sgs_model_ceiling(m, curve, NULL)) : 0;
}

static double gain(const struct sgs_model *m, const struct sgs_curve *curve, double drives)
{
	return sgs_model_rate(m, curve, drives + 1) - sgs_model_rate(m, curve, drives);
}

double sgs_model_knee(const struct sgs_model *m, const struct sgs_curve *curve)
{
	double least = HALF * sgs_model_rate(m, curve, 1), low = 1, high = 2;

	while (high < FAR_DRIVES && gain(m, curve, high) >= least)
		high *= 2;
	if (high >= FAR_DRIVES)
		return INFINITY;
	while (high - low > 1) { /* the gain only falls up to the peak */
		double middle = floor((low + high) / 2);

		*(gain(m, curve, middle) >= least ? &low : &high) = middle;
	}
	return gain(m, curve, low) >= least ? high : low;
}

double sgs_model_seen_knee(const struct sgs_model *m, const struct sgs_curve *curve)
{
	double knee = sgs_model_knee(m, curve);

	return is_far_from_full(m) && knee + 1 >= slot_drives(m) ? INFINITY : knee;
}

const char *sgs_ceiling_name(enum sgs_ceiling_kind kind)
{
	static const char *const names[SGS_CEILINGS] = { "none", "plateau", "link", "slots",
		"peak", "given" };

	return names[kind];
}

/* ---- what a GiB costs ---- */

static bool counts_for_cost(
	const struct sgs_model *m, const struct sgs_point *p, const char *engine)
{
	return !strcmp(p->way.engine, engine) && p->way.bs_bytes == m->way.bs_bytes &&
	       !strcmp(p->way.pattern, m->way.pattern) && p->offset_percent == SGS_NO_OFFSET;
}

static struct sgs_estimate estimate_cpu(const struct sgs_model *m, const char *engine)
{
	double values[SGS_STATS_MOST];
	size_t n = 0;
	bool seen = false;

	for (size_t i = 0; i < m->host->n && n < SGS_STATS_MOST; i++) {
		const struct sgs_point *p = &m->host->points[i];

		if (!counts_for_cost(m, p, engine) || p->cpu < 0)
			continue;
		seen |= p->cpu > 0;
		values[n++] = p->cpu;
	}
	return sgs_estimate_median(values, seen ? n : 0); /* all 0: too short to tell */
}

/* Of runs with as many devices at the same depth: the engine's to that of the plan's. */
static double ratio_to(const struct sgs_model *m, const char *engine)
{
	double values[SGS_STATS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < m->host->n; i++)
		for (size_t k = 0; k < m->host->n && n < SGS_STATS_MOST; k++) {
			const struct sgs_point *a = &m->host->points[i],
					       *b = &m->host->points[k];

			if (counts_for_cost(m, a, engine) &&
				counts_for_cost(m, b, m->way.engine) &&
				a->devices == b->devices &&
				a->way.queue_depth == b->way.queue_depth)
				values[n++] = a->rate / b->rate;
		}
	return sgs_estimate_median(values, n).median;
}

static void add_cost(struct sgs_model *m, const char *engine)
{
	struct sgs_cost *cost = &m->costs[m->n_costs];

	if (m->n_costs == SGS_COSTS || sgs_model_cost(m, engine))
		return;
	snprintf(cost->engine, sizeof cost->engine, "%s", engine);
	cost->cpu = estimate_cpu(m, engine);
	cost->ratio = ratio_to(m, engine);
	m->n_costs++;
}

const struct sgs_cost *sgs_model_cost(const struct sgs_model *m, const char *engine)
{
	for (size_t i = 0; i < m->n_costs; i++)
		if (!strcmp(m->costs[i].engine, engine))
			return &m->costs[i];
	return NULL;
}

static void find_costs(struct sgs_model *m)
{
	add_cost(m, m->way.engine);
	for (size_t i = 0; i < m->host->n; i++)
		if (counts_for_cost(m, &m->host->points[i], m->host->points[i].way.engine))
			add_cost(m, m->host->points[i].way.engine);
}

/* ---- latency, and how alike the drives are ---- */

static void look_at_drives(struct sgs_model *m)
{
	double knee = sgs_model_knee(m, &m->drives.curve);
	unsigned most = 0;

	m->latency_mean = m->latency_p99_9 = -1;
	m->slowest = 1;
	for (size_t i = 0; i < m->host->n; i++) {
		const struct sgs_point *p = &m->host->points[i];

		if (!sgs_model_has_point(m, p))
			continue;
		if (p->devices > knee) /* they wait for the controller in turn */
			continue;
		m->slowest = fmin(m->slowest, p->slowest);
		if (p->devices < most)
			continue;
		most = p->devices;
		m->latency_mean = p->latency_mean;
		m->latency_p99_9 = p->latency_p99_9;
	}
}

int sgs_model_make(const struct sgs_measured *host, const struct sgs_model_wish *wish,
	struct sgs_model *m, struct sgs_error *err)
{
	int status;

	memset(m, 0, sizeof *m);
	m->host = host;
	status = choose_unit(host, wish, m, err);
	if (!status)
		status = fit_drives(m, err);
	if (status)
		return status;
	m->zone = 1; /* where the sweep read */
	find_ceilings(m, wish);
	fit_together(m);
	find_zone(m);
	find_costs(m);
	look_at_drives(m);
	return 0;
}

void sgs_model_free(struct sgs_model *m)
{
	sgs_scaling_free(&m->drives);
	sgs_scaling_free(&m->together);
}
