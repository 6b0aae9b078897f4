/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/compare.h"

#include <inttypes.h>
#include <math.h>

#include "report/json_value.h"

/* Differences may be negative; only what is not finite is null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *estimate(const struct sgs_estimate *e)
{
	const struct sgs_json_pair pairs[] = {
		{ "median", e->n ? number(e->median) : json_null() },
		{ "low", e->n ? number(e->low) : json_null() },
		{ "high", e->n ? number(e->high) : json_null() },
		{ "coverage", number(e->coverage) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *name(const struct sgs_series *s)
{
	return s ? sgs_json_text(s->contender->engine->name) : json_null();
}

static json_t *drift(const struct sgs_series *s)
{
	const struct sgs_json_pair pairs[] = {
		{ "test", sgs_json_text("mann_kendall") },
		{ "exact", json_boolean(s->drift.exact) },
		{ "p", number(s->drift.p) },
		{ "change", number(s->drift.change) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *rounds(const struct sgs_compared *c, const struct sgs_series *s)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->rounds; i++) {
		const struct sgs_json_pair pairs[] = {
			{ "round", sgs_json_count(c->numbers[i]) },
			{ "bytes_per_second", sgs_json_number(s->rates[i]) },
			{ "cpu_seconds_per_gib", sgs_json_number(s->costs[i]) },
			{ "outlier", json_boolean(s->outliers[i]) },
			{ NULL, NULL },
		};

		array = sgs_json_append(array, sgs_json_object(pairs));
	}
	return array;
}

static const struct sgs_series *series_of(
	const struct sgs_compared *c, const struct sgs_contender *contender)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->series[i].contender == contender)
			return &c->series[i];
	return NULL;
}

/* reason: why it takes no part, else null. */
static json_t *contender(const struct sgs_compared *c, const struct sgs_contender *contender)
{
	const struct sgs_series none = { .drift = { .p = 1 } }, *s = series_of(c, contender);
	const struct sgs_json_pair pairs[] = {
		{ "engine", sgs_json_text(contender->engine->name) },
		{ "reason",
			sgs_json_text_or_null(contender->out ? contender->why.text : NULL) },
		{ "bytes_per_second", estimate(s ? &s->rate : &none.rate) },
		{ "cpu_seconds_per_gib", estimate(s ? &s->cost : &none.cost) },
		{ "ratio", estimate(s ? &s->ratio : &none.ratio) },
		{ "drift", drift(s ? s : &none) },
		{ "rounds", rounds(c, s ? s : &none) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

static json_t *contenders(const struct sgs_compared *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->of->n_contenders; i++)
		array = sgs_json_append(array, contender(c, &c->of->contenders[i]));
	return array;
}

static json_t *page_cache_copy(const struct sgs_copy_cost *copy)
{
	const struct sgs_json_pair pairs[] = {
		{ "engine", name(copy->cached) },
		{ "against", name(copy->other) },
		{ "cpu_ns_per_kib", estimate(&copy->ns_per_kib) },
		{ "core_percent_at_rate", number(copy->core_percent) },
		{ NULL, NULL },
	};

	if (copy->cached && copy->other)
		return sgs_json_object(pairs);
	for (size_t i = 0; pairs[i].key; i++)
		json_decref(pairs[i].value);
	return json_null();
}

static json_t *digest(const struct sgs_compare_digest *d)
{
	char hex[33];

	if (!d->done)
		return json_null();
	snprintf(hex, sizeof hex, "%016" PRIx64 "%016" PRIx64, d->total.high, d->total.low);
	return sgs_json_object((const struct sgs_json_pair[]){
		{ "equal", json_boolean(d->equal) },
		{ "bytes", sgs_json_count(d->bytes) },
		{ "digest", sgs_json_text(d->equal ? hex : NULL) },
		{ NULL, NULL },
	});
}

static json_t *comparison(const struct sgs_compared *c)
{
	const struct sgs_json_pair pairs[] = {
		{ "baseline", name(c->n ? &c->series[0] : NULL) },
		{ "rounds", sgs_json_count(c->rounds) },
		{ "rounds_asked", sgs_json_count(c->of->rounds) },
		{ "warmup_rounds", sgs_json_count(c->of->warmup) },
		{ "confidence", json_real(SGS_CONFIDENCE) },
		{ "contenders", contenders(c) },
		{ "page_cache_copy", page_cache_copy(&c->copy) },
		{ "digest", digest(&c->of->digest) },
		{ "verdict", sgs_json_text(c->verdict) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

int sgs_report_compare_json(
	FILE *out, const struct sgs_call *call, const struct sgs_compared *compared)
{
	const struct sgs_comparison *of = compared->of;
	const struct sgs_result *sum = &of->sum;
	json_t *root =
		sgs_json_head(call, sgs_result_status(sum), sum->exit_status, sum->clock);

	root = sgs_json_set(root, "runs", sgs_json_runs(of->runs, of->n_runs));
	root = sgs_json_set(root, "comparison", comparison(compared));
	root = sgs_json_set(root, "messages", sgs_json_messages(sum, 1));
	return sgs_json_write(out, root);
}
