/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways of all drives, joined where they are the same, as a tree that begins at the NUMA
 * node.
 */
#include "report/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_value.h"
#include "report/report.h"
#include "report/words.h"
#include "topology/chain.h"
#include "util/text.h"

/* ---- JSON ---- */

static json_t *hop_object(const struct sgs_hop *hop)
{
	bool rated = hop->now > 0;
	const struct sgs_json_pair pairs[] = {
		{ "kind", sgs_json_text(sgs_hop_kind_name(hop->kind)) },
		{ "name", sgs_json_text(hop->name) },
		{ "what", sgs_json_text_or_null(hop->what) },
		{ "bytes_per_second", sgs_json_number(rated ? hop->now : NAN) },
		{ "could", sgs_json_text_or_null(hop->could) },
		{ "max_bytes_per_second", sgs_json_number(hop->most > 0 ? hop->most : NAN) },
		{ "below_maximum", json_boolean(sgs_hop_is_below(hop)) },
		{ NULL, NULL },
	};

	return sgs_json_object(pairs);
}

json_t *sgs_json_topology(const struct sgs_device *device)
{
	json_t *array = json_array();
	struct sgs_chain chain;

	sgs_chain_find(device, &chain);
	for (size_t i = 0; i < chain.n; i++)
		array = sgs_json_append(array, hop_object(&chain.hops[i]));
	return array;
}

/* ---- the tree ---- */

struct leaf {
	const struct sgs_device *device;
	struct sgs_chain chain;
};

enum { INDENT_ROOM = 4 * SGS_HOPS_MAX + 1 };

/* The hop at a level, from the host on; NULL beyond the drive. */
static const struct sgs_hop *at_level(const struct leaf *leaf, size_t level)
{
	return level < leaf->chain.n ? &leaf->chain.hops[leaf->chain.n - 1 - level] : NULL;
}

static void print_hop(FILE *out, const struct leaf *leaf, const struct sgs_hop *hop)
{
	static const char *const labels[] = {
		[SGS_HOP_DRIVE] = "",
		[SGS_HOP_SAS] = "SAS ",
		[SGS_HOP_EXPANDER] = "",
		[SGS_HOP_SATA] = "SATA ",
		[SGS_HOP_FC] = "FC ",
		[SGS_HOP_ISCSI] = "iSCSI ",
		[SGS_HOP_HBA] = "",
		[SGS_HOP_PCIE] = "PCIe ",
		[SGS_HOP_NODE] = "",
	};
	char word[SGS_WORD_ROOM], clean[PATH_MAX];

	fprintf(out, "%s%s", labels[hop->kind], hop->name);
	if (hop->kind == SGS_HOP_DRIVE) {
		sgs_copy_utf8(clean, sizeof clean, leaf->device->path);
		fprintf(out, "  %s", clean);
	}
	if (hop->what[0])
		fprintf(out, "  %s", hop->what);
	if (hop->now > 0)
		fprintf(out, "  %s", sgs_word_rate(word, hop->now));
	if (hop->could[0])
		fprintf(out, "  BELOW ITS MAXIMUM of %s, %s", hop->could,
			sgs_word_rate(word, hop->most));
	fputc('\n', out);
}

/* Those of n leaves that have the same hop at a level, moved to the front. */
static size_t gather(struct leaf **leaves, size_t n, size_t level)
{
	size_t same = 1;

	for (size_t i = 1; i < n; i++) {
		const struct sgs_hop *hop = at_level(leaves[i], level);
		struct leaf *leaf = leaves[i];

		if (!hop || hop->id != at_level(leaves[0], level)->id)
			continue;
		memmove(&leaves[same + 1], &leaves[same], (i - same) * sizeof *leaves);
		leaves[same++] = leaf;
	}
	return same;
}

static void print_level(
	FILE *out, struct leaf **leaves, size_t n, size_t level, char indent[INDENT_ROOM])
{
	size_t depth = strlen(indent);

	while (n > 0 && at_level(leaves[0], level)) {
		size_t same = gather(leaves, n, level);
		bool last = same == n;

		fputs(indent, out);
		if (level)
			fputs(last ? "`- " : "|- ", out);
		print_hop(out, leaves[0], at_level(leaves[0], level));
		if (level)
			strcpy(indent + depth, last ? "   " : "|  ");
		print_level(out, leaves, same, level + 1, indent);
		indent[depth] = '\0';
		leaves += same;
		n -= same;
	}
}

static void print_tree(FILE *out, struct leaf *leaves, struct leaf **order, size_t n)
{
	char indent[INDENT_ROOM] = "";
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (leaves[i].chain.n)
			order[known++] = &leaves[i];
	print_level(out, order, known, 0, indent);
	for (size_t i = 0; i < n; i++)
		if (!leaves[i].chain.n)
			fprintf(out, "%s  sysfs does not say where it is\n",
				leaves[i].device->path);
}

void sgs_report_topology_text(FILE *out, const struct sgs_device_row *rows, size_t n)
{
	struct leaf *leaves = calloc(n ? n : 1, sizeof *leaves);
	struct leaf **order = calloc(n ? n : 1, sizeof *order);

	for (size_t i = 0; leaves && order && i < n; i++) {
		leaves[i].device = &rows[i].device;
		sgs_chain_find(leaves[i].device, &leaves[i].chain);
	}
	if (!leaves || !order)
		fputs("(no memory for the tree)\n", out);
	else if (n)
		print_tree(out, leaves, order, n);
	else
		fputs("no sg devices\n", out);
	free(order);
	free(leaves);
}
