/* SPDX-License-Identifier: BSD-2-Clause */
#include "capacity/links.h"

#include <stdio.h>
#include <string.h>

#include "results/result_file.h"
#include "util/text.h"

static bool is_shared(const json_t *hop)
{
	static const char *const kinds[] = { "pcie", "fc", "iscsi", "hba" };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (sgs_field_is_text(hop, "kind", kinds[i]))
			return true;
	return false;
}

static void lower(struct sgs_measured_controller *c, const json_t *hop)
{
	double rate = sgs_field_number(hop, "bytes_per_second");
	char name[128];

	if (rate <= 0 || (c->link > 0 && c->link <= rate))
		return;
	c->link = rate;
	snprintf(name, sizeof name, "%.10s %.60s %.50s", sgs_field_text(hop, "kind"),
		sgs_field_text(hop, "name"), sgs_field_text(hop, "what"));
	sgs_copy_utf8(c->link_name, sizeof c->link_name, name);
}

/* The last SAS port before the adapter, when an expander lies behind it; ports holds the names
 * of those that were added before. */
static void add_port(struct sgs_measured_controller *c, const json_t *topology)
{
	const json_t *hop, *port = NULL;
	bool has_expander = false;
	char name[64];
	size_t i;

	json_array_foreach(topology, i, hop)
	{
		has_expander |= sgs_field_is_text(hop, "kind", "expander");
		if (sgs_field_is_text(hop, "kind", "sas"))
			port = hop;
	}
	if (!port || !has_expander) {
		c->direct = true;
		return;
	}
	snprintf(name, sizeof name, "%.60s ", sgs_field_text(port, "name"));
	if (strstr(c->ports, name) || strlen(c->ports) + strlen(name) >= sizeof c->ports)
		return;
	strcat(c->ports, name);
	c->port_rate += sgs_field_number(port, "bytes_per_second");
}

void sgs_links_take(struct sgs_measured_controller *c, const json_t *topology)
{
	const json_t *hop;
	size_t i;

	json_array_foreach(topology, i, hop)
	{
		if (is_shared(hop))
			lower(c, hop);
	}
	add_port(c, topology);
}

bool sgs_links_take_ceiling(struct sgs_measured_controller *c, const json_t *ceiling)
{
	if (!is_shared(ceiling))
		return false;
	lower(c, ceiling);
	return true;
}
