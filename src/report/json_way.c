/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_host.h"
#include "report/json_value.h"

#include <math.h>

json_t *sgs_json_add_placed(json_t *object, const struct sgs_placed *placed)
{
	if (!placed->by)
		return object;

	const struct sgs_json_pair pairs[] = {
		{ "by", sgs_json_text(placed->by) },
		{ "node", sgs_json_known(placed->node) },
		{ "cpus", sgs_json_text_or_null(placed->cpus) },
		{ NULL, NULL },
	};

	return sgs_json_set(object, "placement", sgs_json_object(pairs));
}

json_t *sgs_json_add_ceiling(json_t *object, const struct sgs_ceiling *ceiling)
{
	if (!ceiling->known)
		return object;

	const struct sgs_json_pair pairs[] = {
		{ "kind", sgs_json_text(ceiling->kind) },
		{ "name", sgs_json_text(ceiling->name) },
		{ "bytes_per_second", sgs_json_number(ceiling->bytes_per_second) },
		{ "share", sgs_json_number(ceiling->share) },
		{ NULL, NULL },
	};

	return sgs_json_set(object, "ceiling", sgs_json_object(pairs));
}

static json_t *cpus_array(const struct sgs_completions *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->n_cpus; i++) {
		const struct sgs_json_pair pairs[] = {
			{ "cpu", sgs_json_count(c->cpus[i].cpu) },
			{ "interrupts", sgs_json_count(c->cpus[i].interrupts) },
			{ NULL, NULL },
		};

		array = sgs_json_append(array, sgs_json_object(pairs));
	}
	return array;
}

json_t *sgs_json_add_completions(json_t *object, const struct sgs_run_result *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->n_completions; i++) {
		const struct sgs_completions *c = &run->completions[i];
		const struct sgs_json_pair pairs[] = {
			{ "pci", sgs_json_text(c->controller->pci) },
			{ "driver", sgs_json_text_or_null(c->controller->driver) },
			{ "cpus", cpus_array(c) },
			{ NULL, NULL },
		};

		array = sgs_json_append(array, sgs_json_object(pairs));
	}
	if (run->n_completions)
		return sgs_json_set(object, "completions", array);
	json_decref(array);
	return object;
}
