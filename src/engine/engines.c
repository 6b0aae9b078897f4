/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/engine.h"

#include <string.h>

#include "engine/all.h"

const struct sgs_engine *const sgs_engines[] = {
	&sgs_engine_sg_mmap,
	&sgs_engine_sg_dio,
	&sgs_engine_sg_copy,
	&sgs_engine_sg_async,
	&sgs_engine_sgio,
	&sgs_engine_bsg,
	&sgs_engine_buffered,
	&sgs_engine_direct,
	&sgs_engine_mmap,
	&sgs_engine_uncached,
	&sgs_engine_io_uring,
	&sgs_engine_null,
};

const size_t sgs_engine_count = sizeof sgs_engines / sizeof *sgs_engines;

const struct sgs_engine *sgs_engine_find(const char *name)
{
	for (size_t i = 0; i < sgs_engine_count; i++)
		if (!strcmp(sgs_engines[i]->name, name))
			return sgs_engines[i];
	return NULL;
}

const struct sgs_engine *sgs_engine_default(enum sgs_node node)
{
	return node == SGS_NODE_SG || node == SGS_NODE_BSG ? &sgs_engine_sg_mmap
							   : &sgs_engine_buffered;
}
