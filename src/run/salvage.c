/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/salvage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/digest.h"
#include "run/stream.h"
#include "util/clock.h"

enum { PAGE = 4096, CONFIRM = 3, LONGEST = 8 };
#define CONFIRM_NS 1000000u

struct sgs_patch {
	struct sgs_split split;
	struct sgs_extent whole;
	struct sgs_bad holes;
	uint64_t good_bytes;
	uint64_t begun;	    /* in ticks */
	unsigned confirmed; /* how often the part under way was read again */
	uint8_t *data; /* of the whole, zero where nothing was read; NULL: nobody wants it */
};

static uint32_t grain_bytes(const struct sgs_engine *engine, const struct sgs_device *device)
{
	if (engine->node != SGS_NODE_BLOCK)
		return 1;
	if (engine->transfer == SGS_CACHED)
		return PAGE;
	return device->limits.dio_block ? device->limits.dio_block : 512;
}

void sgs_salvage_init(struct sgs_salvage *s, const struct sgs_engine *engine,
	const struct sgs_device *device, unsigned depth, uint64_t most)
{
	uint32_t bytes = grain_bytes(engine, device);

	*s = (struct sgs_salvage){
		.most = most,
		.next_lba = SGS_NO_HINT,
		.grain = bytes > device->block_bytes ? bytes / device->block_bytes : 1,
		.merges = engine->node == SGS_NODE_BLOCK &&
			  (depth > 1 || engine->transfer == SGS_CACHED),
		.reads_ahead = engine->transfer == SGS_CACHED,
	};
	pthread_mutex_init(&s->turn, NULL);
}

void sgs_salvage_destroy(struct sgs_salvage *s)
{
	pthread_mutex_destroy(&s->turn);
	sgs_bad_free(&s->bad);
}

static uint64_t hint_of(const struct sgs_salvage *s, const struct sgs_slot *slot)
{
	uint64_t lba;

	if (sgs_outcome_names_block(&slot->outcome, &lba))
		return lba;
	/* Bad blocks come in patches: the next transfer begins as the one before ended. */
	return s->next_lba == slot->extent.lba ? s->next_lba : SGS_NO_HINT;
}

/* Whether a neighbour in another transfer can have failed with it, or instead of it. */
static bool is_at_edge(const struct sgs_patch *p, const struct sgs_extent *part)
{
	return part->lba == p->whole.lba ||
	       part->lba + part->blocks == p->whole.lba + p->whole.blocks;
}

static void note_first(struct sgs_salvage *s, const struct sgs_slot *slot)
{
	if (s->has_first)
		return;
	s->has_first = true;
	s->first = slot->outcome;
	s->first_lba = slot->extent.lba;
}

static bool condemn(struct sgs_salvage *s, struct sgs_slot *slot)
{
	struct sgs_patch *p = slot->patch;

	note_first(s, slot);
	s->next_lba = p->split.at;
	if (!sgs_bad_add(&s->bad, slot->extent.lba, slot->extent.blocks) ||
		!sgs_bad_add(&p->holes, slot->extent.lba, slot->extent.blocks) ||
		s->bad.blocks > s->most)
		s->over = true;
	return !s->over;
}

bool sgs_patch_begin(struct sgs_reader *r, struct sgs_slot *slot)
{
	struct sgs_salvage *s = r->salvage;
	struct sgs_patch *p = calloc(1, sizeof *p);

	if (p && r->consuming)
		p->data = calloc(slot->extent.blocks, r->config.device->block_bytes);
	if (!p || (r->consuming && !p->data)) {
		free(p);
		return false;
	}
	p->whole = slot->extent;
	p->begun = sgs_ticks();
	sgs_split_begin(&p->split, p->whole.lba, p->whole.blocks, s->grain, !s->merges,
		hint_of(s, slot));
	slot->patch = p;
	/* It was read alone already. */
	if (!s->merges && slot->outcome.fault != SGS_FAULT_SHORT &&
		p->whole.blocks <= s->grain &&
		sgs_split_failed(&p->split, 0, p->whole.blocks, SGS_NO_HINT))
		condemn(s, slot);
	return true;
}

bool sgs_patch_next(struct sgs_reader *r, struct sgs_slot *slot)
{
	struct sgs_patch *p = slot->patch;

	(void)r;
	slot->extent.lba = p->split.at;
	slot->extent.blocks = sgs_split_next(&p->split);
	slot->tried = (struct sgs_tried){ 0 };
	return slot->extent.blocks > 0;
}

static void keep(struct sgs_reader *r, struct sgs_slot *slot, uint32_t blocks)
{
	struct sgs_patch *p = slot->patch;
	uint32_t block_bytes = r->config.device->block_bytes;
	size_t at = (slot->extent.lba - p->whole.lba) * block_bytes;
	size_t bytes = (size_t)blocks * block_bytes;

	if (p->data && slot->data)
		memcpy(p->data + at, slot->data, bytes);
	p->good_bytes += bytes;
	sgs_split_good(&p->split, blocks);
	sgs_bump(&r->live.bytes, bytes);
	r->recovery.bytes += bytes;
}

/* How often a part that cannot be smaller is read again before it is bad: the block layer may
 * have made it fail with a neighbour; and missing bytes though the status was good are no word
 * of the drive's about a block, nor is EIO, which says that of a cable as well. */
static unsigned confirmations(const struct sgs_reader *r, const struct sgs_slot *slot)
{
	bool unclear =
		slot->outcome.fault == SGS_FAULT_SHORT || slot->outcome.host_errno == EIO;
	unsigned n = unclear ? r->rules.retries : 0;
	bool has_neighbour = r->salvage->reads_ahead || is_at_edge(slot->patch, &slot->extent);

	if (r->salvage->merges && has_neighbour && n < CONFIRM)
		n = CONFIRM;
	return n;
}

/* It failed behind its first good blocks. */
static bool take_failed(
	struct sgs_reader *r, struct sgs_slot *slot, uint32_t good, uint64_t *wait_ns)
{
	struct sgs_salvage *s = r->salvage;
	struct sgs_patch *p = slot->patch;
	struct sgs_split before = p->split;
	uint64_t hint = SGS_NO_HINT;

	sgs_outcome_names_block(&slot->outcome, &hint);
	if (!sgs_split_failed(&p->split, good, slot->extent.blocks - good, hint))
		return true;
	if (p->confirmed < confirmations(r, slot)) {
		*wait_ns = CONFIRM_NS << (p->confirmed < LONGEST ? p->confirmed : LONGEST);
		p->confirmed++;
		p->split = before; /* the same part again */
		return true;
	}
	p->confirmed = 0;
	return condemn(s, slot);
}

bool sgs_patch_take(struct sgs_reader *r, struct sgs_slot *slot, uint64_t *wait_ns)
{
	struct sgs_patch *p = slot->patch;
	uint32_t good = slot->outcome.bytes / r->config.device->block_bytes;

	*wait_ns = 0;
	if (good) {
		p->confirmed = 0;
		keep(r, slot, good);
	}
	if (good < slot->extent.blocks)
		return take_failed(r, slot, good, wait_ns);
	r->recovery.commands++;
	return true;
}

void sgs_patch_end(struct sgs_reader *r, struct sgs_slot *slot)
{
	struct sgs_patch *p = slot->patch;

	r->recovery.ns += sgs_ticks() - p->begun;
	slot->extent = p->whole;
	slot->outcome.bytes = (uint32_t)p->good_bytes;
	slot->outcome.fault = SGS_FAULT_NONE;
}

static void look_at_run(
	struct sgs_reader *r, const struct sgs_patch *p, uint64_t from, uint64_t to)
{
	uint32_t block_bytes = r->config.device->block_bytes;

	if (to > from)
		sgs_look_at(r, p->data + (from - p->whole.lba) * block_bytes,
			(uint32_t)(to - from) * block_bytes, from * block_bytes);
}

/* The stretches between holes, each for itself. */
static void look_at_good(struct sgs_reader *r, const struct sgs_patch *p)
{
	uint64_t from = p->whole.lba;

	for (size_t i = 0; i < p->holes.n; i++) {
		look_at_run(r, p, from, p->holes.ranges[i].first);
		from = p->holes.ranges[i].first + p->holes.ranges[i].count;
	}
	look_at_run(r, p, from, p->split.at);
	if (p->holes.n || p->split.at < p->whole.lba + p->whole.blocks)
		r->data_digest.partial = true;
}

void sgs_patch_consume(struct sgs_reader *r, struct sgs_slot *slot, bool written)
{
	struct sgs_patch *p = slot->patch;
	size_t bytes = (size_t)p->whole.blocks * r->config.device->block_bytes;

	if (p->data)
		look_at_good(r, p);
	if (written && r->output)
		sgs_put_out(r, p->whole.index, p->data, bytes);
	sgs_bad_free(&p->holes);
	free(p->data);
	free(p);
	slot->patch = NULL;
}
