/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What else can be found out about a command that failed, before the policy decides.
 */
#ifndef SGS_RUN_REFINE_H
#define SGS_RUN_REFINE_H

#include "run/reader.h"

/* Not ready: a READ may be answered less exactly than TEST UNIT READY, which is asked. An
 * input/output error of the block layer: the device may be offline or gone. Notes that the
 * capacity has changed. */
void sgs_refine(struct sgs_reader *r, struct sgs_outcome *outcome);

/* The trial found the device not ready: waits for one that is becoming ready, and fills
 * r->problem when it does not within the rules' time, or will not by itself. */
void sgs_await_ready(struct sgs_reader *r);

#endif
