/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/capacity.h"

#include <math.h>

#include "report/json_value.h"

/* It may be below 0, and is null when it is not finite. */
static json_t *signed_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* null for what is not finite. */
static json_t *span(const struct sgs_span *s)
{
	const struct sgs_json_pair pairs[] = {
		{ "median", sgs_json_number(s->median) },
		{ "low", sgs_json_number(s->low) },
		{ "high", sgs_json_number(s->high) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *question(const struct sgs_capacity *plan)
{
	const struct sgs_load *load = &plan->load;
	const struct sgs_limits_per_host *limits = &plan->limits;
	const struct sgs_json_pair pairs[] = {
		{ "target_bytes_per_second",
			load->target > 0 ? signed_number(load->target) : json_null() },
		{ "streams", sgs_json_count_or_null(load->streams) },
		{ "stream_bytes_per_second",
			load->streams ? signed_number(load->stream_rate) : json_null() },
		{ "frame_bytes", sgs_json_count_or_null((uint64_t)load->frame_bytes) },
		{ "deadline_ns", sgs_json_count_or_null((uint64_t)load->deadline_ns) },
		{ "headroom", signed_number(load->headroom) },
		{ "max_drives", sgs_json_count_or_null(limits->drives) },
		{ "max_controllers", sgs_json_count_or_null(limits->controllers) },
		{ "cores", sgs_json_count_or_null(limits->cores) },
		{ "max_hosts", sgs_json_count_or_null(limits->hosts) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

/* ---- the model ---- */

static json_t *parameters(const struct sgs_curve *curve)
{
	const struct sgs_json_pair pairs[] = {
		{ "lambda_bytes_per_second", sgs_json_number(curve->law.lambda) },
		{ "sigma", sgs_json_number(curve->law.sigma) },
		{ "kappa", sgs_json_number(curve->law.kappa) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *fit(const struct sgs_scaling *s)
{
	const struct sgs_json_pair pairs[] = {
		{ "points", sgs_json_count(s->points) },
		{ "least_drives", sgs_json_number(s->least) },
		{ "most_drives", sgs_json_number(s->most) },
		{ "parameters", sgs_json_count(s->parameters) },
		{ "left_out_miss", sgs_json_number(s->missed) },
		{ "spread", sgs_json_number(s->spread) },
		{ "replicas", sgs_json_count(s->replicas ? SGS_SCALING_REPLICAS : 0) },
		{ "seed", sgs_json_count(SGS_SCALING_SEED) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *controller(const struct sgs_model *m)
{
	enum sgs_ceiling_kind kind;
	double ceiling = sgs_model_seen_ceiling(m, &m->drives.curve, &kind);
	const struct sgs_json_pair pairs[] = {
		{ "together", sgs_json_count(m->unit) },
		{ "ceiling_bytes_per_second", sgs_json_number(ceiling) },
		{ "ceiling_by", sgs_json_text(sgs_ceiling_name(kind)) },
		{ "link", sgs_json_text_or_null(m->link_name) },
		{ "can_queue", sgs_json_count_or_null(m->can_queue) },
		{ "depth_of_a_drive", sgs_json_number(m->needed_depth) },
		{ "knee_drives", sgs_json_number(sgs_model_seen_knee(m, &m->drives.curve)) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *costs(const struct sgs_model *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->n_costs; i++) {
		const struct sgs_cost *c = &m->costs[i];
		const struct sgs_span cpu = { c->cpu.median, c->cpu.low, c->cpu.high };
		const struct sgs_json_pair pairs[] = {
			{ "engine", sgs_json_text(c->engine) },
			{ "cpu_seconds_per_gib", span(&cpu) },
			{ "runs", sgs_json_count(c->cpu.n) },
			{ "ratio", sgs_json_number(c->ratio) },
			{ NULL, NULL },
		};

		array = sgs_json_append(array, sgs_json_object(pairs));
	}
	return array;
}

static json_t *zone(const struct sgs_model *m)
{
	const struct sgs_json_pair pairs[] = {
		{ "offset_percent", json_integer(m->zone_percent) },
		{ "share_of_first", sgs_json_number(m->zone) },
		{ NULL, NULL },
	};

	if (m->zone_percent != SGS_NO_OFFSET)
		return sgs_json_object(pairs);
	for (size_t i = 0; pairs[i].key; i++)
		json_decref(pairs[i].value);
	return json_null();
}

static json_t *model(const struct sgs_model *m)
{
	const struct sgs_json_pair pairs[] = {
		{ "law", sgs_json_text("universal_scalability") },
		{ "parameters", parameters(&m->drives.curve) },
		{ "fit", fit(&m->drives) },
		{ "engine", sgs_json_text(m->way.engine) },
		{ "bs_bytes", sgs_json_count(m->way.bs_bytes) },
		{ "queue_depth", sgs_json_count(m->way.queue_depth) },
		{ "threads", sgs_json_count(m->way.threads) },
		{ "pattern", sgs_json_text(m->way.pattern) },
		{ "controller", controller(m) },
		{ "controllers_law",
			m->has_together ? parameters(&m->together.curve) : json_null() },
		{ "zone", zone(m) },
		{ "costs", costs(m) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *prediction(const struct sgs_capacity *plan)
{
	unsigned drives[SGS_PREDICTED];
	size_t n = sgs_report_capacity_drives(plan, drives);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		struct sgs_span rate = sgs_predict(&plan->model, drives[i]);
		const struct sgs_json_pair pairs[] = {
			{ "drives", sgs_json_count(drives[i]) },
			{ "bytes_per_second", span(&rate) },
			{ "extrapolated",
				json_boolean(sgs_report_capacity_is_far(plan, drives[i])) },
			{ NULL, NULL },
		};

		array = sgs_json_append(array, sgs_json_object(pairs));
	}
	return array;
}

/* ---- the answer ---- */

static json_t *of_host(const struct sgs_answer *a)
{
	const struct sgs_json_pair pairs[] = {
		{ "bytes_per_second", sgs_json_number(a->host_need) },
		{ "drives", sgs_json_count(a->host_drives) },
		{ "controllers", sgs_json_count(a->host_controllers) },
		{ "drives_of_a_controller", sgs_json_count(a->unit_drives) },
		{ "cores", sgs_json_number(isnan(a->cores.median) ? NAN : a->host_cores) },
		{ "cores_limit", sgs_json_number(a->cores_limit) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *serves(const struct sgs_answer *a)
{
	json_t *object = json_object();

	for (int i = SGS_BINDS_DRIVES; i <= SGS_BINDS_CORES; i++)
		object = sgs_json_set(object, sgs_binding_name((enum sgs_binding)i),
			sgs_json_number(a->serves[i]));
	return object;
}

static json_t *cached(const struct sgs_answer *a)
{
	const struct sgs_json_pair pairs[] = {
		{ "engine", sgs_json_text(a->cached.engine) },
		{ "cpu_seconds_per_gib", sgs_json_number(a->cached.cpu) },
		{ "cores", sgs_json_number(a->cached.cores) },
		{ "drives", sgs_json_number(a->cached.drives) },
		{ "hosts", sgs_json_number(a->cached.hosts) },
		{ NULL, NULL },
	};

	if (a->cached.engine)
		return sgs_json_object(pairs);
	for (size_t i = 0; pairs[i].key; i++)
		json_decref(pairs[i].value);
	return json_null();
}

static json_t *one_more(const struct sgs_answer *a)
{
	const struct sgs_json_pair pairs[] = {
		{ "bytes_per_second", signed_number(a->one_more) },
		{ "share_of_first", signed_number(a->one_more_share) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *answer(const struct sgs_capacity *plan)
{
	const struct sgs_answer *a = &plan->answer;
	const struct sgs_json_pair pairs[] = {
		{ "need_bytes_per_second", sgs_json_number(a->need) },
		{ "tail_ns", sgs_json_count((uint64_t)a->tail_ns) },
		{ "drives", span(&a->drives) },
		{ "controllers", span(&a->controllers) },
		{ "hosts", span(&a->hosts) },
		{ "cores", span(&a->cores) },
		{ "binding", sgs_json_text(sgs_binding_name(a->binding)) },
		{ "host_serves_bytes_per_second", serves(a) },
		{ "host", of_host(a) },
		{ "one_more_drive", one_more(a) },
		{ "drives_of_a_frame", sgs_json_count_or_null(a->frame_drives) },
		{ "extrapolated", json_boolean(a->extrapolated) },
		{ "page_cache", cached(a) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *add_plan(json_t *object, const struct sgs_capacity *plan)
{
	const struct sgs_json_pair pairs[] = {
		{ "question", question(plan) },
		{ "model", model(&plan->model) },
		{ "prediction", prediction(plan) },
		{ "answer", plan->answered ? answer(plan) : json_null() },
		{ NULL, NULL },
	};

	return sgs_json_extend(object, pairs);
}

static json_t *plan_of_host(const struct sgs_capacity *plan)
{
	const struct sgs_measured *host = plan->model.host;
	const struct sgs_json_pair pairs[] = {
		{ "name", sgs_json_text(host->name) },
		{ "kernel", sgs_json_text(host->kernel) },
		{ "cpus", sgs_json_count_or_null(host->cpus) },
		{ NULL, NULL },
	};

	return add_plan(sgs_json_object(pairs), plan);
}

int sgs_report_capacity_json(FILE *out, const struct sgs_call *call,
	const struct sgs_capacity *plans, size_t n, bool by_host,
	const struct sgs_result *result)
{
	json_t *root = sgs_json_head(
		call, result->exit_status ? "error" : "ok", result->exit_status, NULL);
	json_t *hosts = json_array();

	for (size_t i = 0; by_host && i < n; i++)
		hosts = sgs_json_append(hosts, plan_of_host(&plans[i]));
	if (by_host)
		root = sgs_json_set(root, "hosts", json_incref(hosts));
	else
		root = add_plan(root, plans);
	json_decref(hosts);
	root = sgs_json_set(root, "messages", sgs_json_messages(result, 1));
	return sgs_json_write(out, root);
}
