/* SPDX-License-Identifier: BSD-2-Clause */
#include "capacity/answer.h"

#include <math.h>
#include <string.h>

#include "util/units.h"

#define GIB	    1073741824.0
#define MB	    1e6
#define NS	    1e9
#define MOST_UNITS  1024 /* of a host, where nothing limits them */
#define MOST_DRIVES 1e6	 /* of a unit */

/* What is looked for, with one curve. */
struct search {
	const struct sgs_model *model;
	const struct sgs_load *load;
	const struct sgs_limits_per_host *limits;
	double need;  /* bytes per second in all, with the headroom */
	double piece; /* that is never split over hosts, 0: all can be */
	double cpu;   /* core seconds per byte, 0 unknown */
	double cores; /* of a host, infinite: no limit */
	double slow;  /* share of the rate, of another engine */
	const struct sgs_curve *curve;
	bool within_range; /* no more drives to a unit than twice as many as were measured */
	double unit_most;  /* drives of a unit */
};

struct found {
	double hosts, units, drives; /* the last two of a host */
	double host_need;
};

/* ---- a host ---- */

static double unit_most(const struct search *s)
{
	double most = fmin(sgs_model_knee(s->model, s->curve), MOST_DRIVES);

	if (s->within_range)
		most = fmin(most, floor(SGS_RANGE_TRUSTED * s->model->drives.most));
	return most;
}

static double units_most(const struct search *s)
{
	double most = MOST_UNITS;

	if (s->limits->controllers)
		most = fmin(most, floor(s->limits->controllers / s->model->unit));
	if (s->limits->drives)
		most = fmin(most, s->limits->drives);
	return most;
}

/* Spread evenly: some units have one more than the others. */
static double host_rate(const struct search *s, double units, double drives)
{
	double each = floor(drives / units), more = drives - each * units;
	double sum = more * sgs_model_rate(s->model, s->curve, each + 1) +
		     (units - more) * sgs_model_rate(s->model, s->curve, each);

	return s->slow * sum * sgs_model_units(s->model, units) / units;
}

static double drives_most(const struct search *s, double units)
{
	double most = units * s->unit_most;

	return s->limits->drives ? fmin(most, s->limits->drives) : most;
}

/* With as many drives as units can have */
static double units_rate(const struct search *s, double units)
{
	return units < 1 ? 0 : host_rate(s, units, drives_most(s, units));
}

/* More are better, unless they were seen to hinder one another. */
static double best_units(const struct search *s)
{
	double most = units_most(s), best = most < 1 ? 0 : 1;

	if (!s->model->has_together)
		return most;
	for (double units = 2; units <= most; units++)
		if (units_rate(s, units) > units_rate(s, best))
			best = units;
	return best;
}

static double cores_rate(const struct search *s)
{
	return s->cpu > 0 ? s->cores / s->cpu : INFINITY;
}

/* ---- hosts ---- */

static double hosts_for(const struct search *s, double host_most)
{
	double pieces;

	if (!(s->piece > 0))
		return ceil(s->need / host_most - 1e-9);
	pieces = floor(host_most / s->piece + 1e-9);
	return pieces < 1 ? INFINITY : ceil(s->load->streams / pieces);
}

static double share_of_host(const struct search *s, double hosts)
{
	if (!(s->piece > 0))
		return s->need / hosts;
	return ceil(s->load->streams / hosts) * s->piece;
}

/* The least number from least to most for which f is enough, which grows; most + 1: none. */
static double least_that(double (*f)(const struct search *, double, double), double arg,
	const struct search *s, double need, double least, double most)
{
	double low = least - 1, high = most + 1;

	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		*(f(s, arg, middle) >= need * (1 - 1e-9) ? &high : &low) = middle;
	}
	return high;
}

static bool fill_host(const struct search *s, double hosts, struct found *found)
{
	double most = units_most(s);

	found->hosts = hosts;
	found->host_need = share_of_host(s, hosts);
	for (double units = 1; units <= most; units++) {
		double drives;

		if (units_rate(s, units) < found->host_need * (1 - 1e-9))
			continue;
		drives = least_that(
			host_rate, units, s, found->host_need, units, drives_most(s, units));
		found->units = units;
		found->drives = drives;
		return true;
	}
	return false;
}

static double host_most(const struct search *s)
{
	return fmin(units_rate(s, best_units(s)), cores_rate(s));
}

static bool search_with(const struct search *with, struct found *found)
{
	struct search s = *with;
	double most, hosts;

	s.unit_most = unit_most(with);
	most = host_most(&s);
	hosts = most > 0 ? fmax(hosts_for(&s, most), 1) : INFINITY;
	if (hosts > SGS_PLAN_MOST_HOSTS || (s.limits->hosts && hosts > s.limits->hosts))
		return false;
	return fill_host(&s, hosts, found);
}

/* More controllers rather than more drives behind one than were ever seen, unless that takes
 * more hosts. */
static bool search(const struct search *s, struct found *found)
{
	struct search trusted = *s;
	struct found far;
	bool is_far = search_with(s, &far), is_trusted;

	trusted.within_range = true;
	is_trusted = search_with(&trusted, found);
	if (is_far && (!is_trusted || far.hosts < found->hosts))
		*found = far;
	return is_far || is_trusted;
}

/* ---- with its interval ---- */

/* Of a host: of those that were read together, as many as have a drive. */
static double controllers_of(const struct search *s, const struct found *f)
{
	return fmin(f->units * s->model->unit, f->drives);
}

enum what { DRIVES, CONTROLLERS, HOSTS };

struct question {
	struct search search;
	enum what what;
};

static double in_all(const struct search *s, const struct found *f, enum what what)
{
	switch (what) {
	case DRIVES:
		return f->drives * f->hosts;
	case CONTROLLERS:
		return controllers_of(s, f) * f->hosts;
	default:
		return f->hosts;
	}
}

/* Replicas are richer than the curve, and may all lie on one side of it. */
static struct sgs_span with_median(struct sgs_span span)
{
	if (span.low > span.median)
		span.low = span.median;
	if (span.high < span.median)
		span.high = span.median;
	return span;
}

static double ask(const struct sgs_curve *curve, void *arg)
{
	struct question q = *(const struct question *)arg;
	struct found found;

	q.search.curve = curve;
	return search(&q.search, &found) ? in_all(&q.search, &found, q.what) : INFINITY;
}

static struct sgs_span span_of(const struct search *s, const struct found *f, enum what what)
{
	struct question q = { *s, what };
	struct sgs_span span = { .median = in_all(s, f, what) };

	sgs_scaling_interval(&s->model->drives, ask, &q, &span.low, &span.high);
	return with_median(span);
}

struct at {
	const struct sgs_model *model;
	double drives;
};

static double rate_at(const struct sgs_curve *curve, void *arg)
{
	const struct at *at = arg;

	return sgs_model_rate(at->model, curve, at->drives);
}

struct sgs_span sgs_predict(const struct sgs_model *model, double drives)
{
	struct at at = { model, drives };
	struct sgs_span span = { .median =
					 sgs_model_rate(model, &model->drives.curve, drives) };

	sgs_scaling_interval(&model->drives, rate_at, &at, &span.low, &span.high);
	return with_median(span);
}

/* ---- the load ---- */

static int too_late(const struct sgs_answer *a, double deadline, struct sgs_error *err)
{
	char tail[32], due[32];

	return sgs_fail(err, SGS_EXPECTATION, "too_late",
		"no number of these drives makes a deadline of %s: one command in a thousand "
		"takes %s or more by itself (p99.9); give a longer --deadline",
		sgs_format_time(due, sizeof due, (uint64_t)deadline),
		sgs_format_time(tail, sizeof tail, (uint64_t)a->tail_ns));
}

/* What a stream needs as a rate; with a deadline, when all ask at once. */
static int stream_need(const struct sgs_model *m, const struct sgs_load *load,
	struct sgs_answer *a, double *rate, struct sgs_error *err)
{
	double deadline = load->deadline_ns;

	*rate = load->stream_rate;
	if (!(load->frame_bytes > 0))
		return 0;
	if (!(deadline > 0))
		deadline = load->frame_bytes / load->stream_rate * NS;
	a->tail_ns = m->latency_p99_9 > m->latency_mean && m->latency_mean > 0
			     ? m->latency_p99_9 - m->latency_mean
			     : 0;
	if (a->tail_ns >= deadline)
		return too_late(a, deadline, err);
	*rate = fmax(*rate, load->frame_bytes / (deadline - a->tail_ns) * NS);
	a->frame_drives = (unsigned)ceil(load->frame_bytes / (deadline - a->tail_ns) * NS /
						 sgs_model_rate(m, &m->drives.curve, 1) -
					 1e-9);
	return 0;
}

static int set_load(struct search *s, struct sgs_answer *a, struct sgs_error *err)
{
	const struct sgs_load *load = s->load;
	double rate = 0, keep = 1 - load->headroom;
	int status = 0;

	a->load = load->target;
	if (load->streams) {
		status = stream_need(s->model, load, a, &rate, err);
		a->load = load->streams * load->stream_rate;
		s->piece = rate / keep;
	}
	s->need = load->streams ? load->streams * s->piece : load->target / keep;
	a->need = s->need;
	return status;
}

/* ---- what binds ---- */

static double drives_rate(const struct search *s)
{
	return s->limits->drives
		       ? s->slow * s->limits->drives * sgs_model_rate(s->model, s->curve, 1)
		       : INFINITY;
}

/* Where the number of drives does not limit it */
static double controllers_rate(const struct search *s)
{
	struct sgs_limits_per_host limits = { .controllers = s->limits->controllers };
	struct search free = *s;

	if (isinf(sgs_model_seen_knee(s->model, s->curve)) ||
		(!limits.controllers && !s->model->has_together))
		return INFINITY;
	free.limits = &limits;
	return units_rate(&free, best_units(&free));
}

static void find_binding(const struct search *s, struct sgs_answer *a)
{
	a->serves[SGS_BINDS_NOTHING] = INFINITY;
	a->serves[SGS_BINDS_DRIVES] = drives_rate(s);
	a->serves[SGS_BINDS_CONTROLLERS] = controllers_rate(s);
	a->serves[SGS_BINDS_CORES] = cores_rate(s);
	a->binding = SGS_BINDS_NOTHING;
	for (int i = 0; i < 4; i++)
		if (a->serves[i] < a->serves[a->binding])
			a->binding = (enum sgs_binding)i;
	sgs_model_seen_ceiling(s->model, s->curve, &a->ceiling);
}

const char *sgs_binding_name(enum sgs_binding binding)
{
	static const char *const names[] = { "none", "drives", "controllers", "cores" };

	return names[binding];
}

static int no_unit(const struct search *s, struct sgs_error *err)
{
	return sgs_fail(err, SGS_EXPECTATION, "out_of_reach",
		"the drives were measured behind %u controllers together, and %u are allowed "
		"to "
		"a host; measure the drives of one controller by themselves, or allow more",
		s->model->unit, s->limits->controllers);
}

static int out_of_reach(
	const struct search *s, const struct sgs_answer *a, struct sgs_error *err)
{
	unsigned hosts = s->limits->hosts ? s->limits->hosts : SGS_PLAN_MOST_HOSTS;
	const char *what = a->binding ? sgs_binding_name(a->binding) : "controllers";
	char need[32], most[32];

	if (units_most(s) < 1)
		return no_unit(s, err);
	sgs_format_figure(most, sizeof most, host_most(s) / MB);
	sgs_format_figure(
		need, sizeof need, (s->piece > host_most(s) ? s->piece : s->need) / MB);
	if (s->piece > host_most(s))
		return sgs_fail(err, SGS_EXPECTATION, "out_of_reach",
			"a stream needs %s MB/s with its deadline and the headroom, and a host "
			"within these limits gives %s MB/s at most, for its %s: no number of "
			"hosts serves it; allow a host more, or ask for less",
			need, most, what);
	return sgs_fail(err, SGS_EXPECTATION, "out_of_reach",
		"%s MB/s, the headroom in it, is out of reach: a host within these limits "
		"gives "
		"%s MB/s at most, for its %s, and %u of them %s the most; allow more, or ask "
		"for "
		"less",
		need, most, what, hosts, hosts == 1 ? "is" : "are");
}

/* ---- the whole ---- */

static struct sgs_span cores_of(const struct search *s, const struct sgs_cost *cost)
{
	double gib = s->need / GIB;

	if (!cost || !cost->cpu.n)
		return (struct sgs_span){ NAN, NAN, NAN };
	if (cost->cpu.n < 2)
		return (struct sgs_span){ gib * cost->cpu.median, NAN, NAN };
	return (struct sgs_span){ gib * cost->cpu.median, gib * cost->cpu.low,
		gib * cost->cpu.high };
}

static void find_cached(const struct search *s, struct sgs_answer *a)
{
	const struct sgs_cost *cost = sgs_model_cost(s->model, "buffered");
	struct search cached = *s;
	struct found found;

	a->cached.drives = a->cached.hosts = a->cached.cores = a->cached.cpu = NAN;
	if (!cost || !cost->cpu.n)
		return;
	a->cached.engine = "buffered";
	a->cached.cpu = cost->cpu.median;
	a->cached.cores = s->need / GIB * cost->cpu.median;
	if (isnan(cost->ratio))
		return;
	cached.slow = fmin(cost->ratio, 1);
	cached.cpu = cost->cpu.median / GIB;
	if (!search(&cached, &found))
		return;
	a->cached.drives = found.drives * found.hosts;
	a->cached.hosts = found.hosts;
}

static void take_found(const struct search *s, const struct found *f, struct sgs_answer *a)
{
	const struct sgs_model *m = s->model;
	double first = sgs_model_rate(m, s->curve, 1);

	a->drives = span_of(s, f, DRIVES);
	a->controllers = span_of(s, f, CONTROLLERS);
	a->hosts = span_of(s, f, HOSTS);
	a->cores = cores_of(s, &m->costs[0]);
	a->host_drives = (unsigned)f->drives;
	a->host_controllers = (unsigned)controllers_of(s, f);
	a->unit_drives = (unsigned)ceil(f->drives / f->units);
	a->host_need = f->host_need;
	a->host_cores = f->host_need * s->cpu;
	a->one_more = host_rate(s, f->units, f->drives + 1) - host_rate(s, f->units, f->drives);
	a->one_more_share = a->one_more / first;
	a->extrapolated = a->unit_drives > SGS_RANGE_TRUSTED * m->drives.most;
}

static double cores_limit(const struct sgs_model *m, const struct sgs_limits_per_host *limits)
{
	unsigned cores = limits->cores ? limits->cores : m->host->cpus;

	return cores ? cores : (double)INFINITY;
}

int sgs_answer_make(const struct sgs_model *m, const struct sgs_load *load,
	const struct sgs_limits_per_host *limits, struct sgs_answer *a, struct sgs_error *err)
{
	const struct sgs_estimate *cpu = &m->costs[0].cpu;
	struct search s = {
		.model = m,
		.load = load,
		.limits = limits,
		.slow = 1,
		.curve = &m->drives.curve,
		.cpu = cpu->n ? cpu->median / GIB : 0,
		.cores = cores_limit(m, limits),
	};
	struct found found;
	int status;

	memset(a, 0, sizeof *a);
	status = set_load(&s, a, err);
	if (status)
		return status;
	s.unit_most = unit_most(&s);
	a->cores_limit = s.cores;
	find_binding(&s, a);
	if (!search(&s, &found))
		return out_of_reach(&s, a, err);
	take_found(&s, &found, a);
	find_cached(&s, a);
	return 0;
}
