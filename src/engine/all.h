/* SPDX-License-Identifier: BSD-2-Clause */
/* Every engine that is built in: a new one adds its file, a line here and one in engines.c. */
#ifndef SGS_ENGINE_ALL_H
#define SGS_ENGINE_ALL_H

#include "engine/engine.h"

extern const struct sgs_engine sgs_engine_sg_mmap;
extern const struct sgs_engine sgs_engine_sg_dio;
extern const struct sgs_engine sgs_engine_sg_copy;
extern const struct sgs_engine sgs_engine_sg_async;
extern const struct sgs_engine sgs_engine_sgio;
extern const struct sgs_engine sgs_engine_bsg;
extern const struct sgs_engine sgs_engine_buffered;
extern const struct sgs_engine sgs_engine_direct;
extern const struct sgs_engine sgs_engine_mmap;
extern const struct sgs_engine sgs_engine_uncached;
extern const struct sgs_engine sgs_engine_io_uring;
extern const struct sgs_engine sgs_engine_null;

#endif
