/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plan for one kind of host: what was asked, the model, and the answer.
 */
#ifndef SGS_CAPACITY_CAPACITY_H
#define SGS_CAPACITY_CAPACITY_H

#include <sgstream/result.h>

#include "capacity/answer.h"

struct sgs_capacity {
	const char *label; /* of its messages where there are several, else NULL */
	struct sgs_load load;
	struct sgs_limits_per_host limits;
	struct sgs_model model;
	struct sgs_answer answer;
	bool answered; /* else there is the model alone */
};

/* Says what the plan does not know, and the commands that measure it; and where it may be
 * wrong.
 */
void sgs_capacity_advise(const struct sgs_capacity *plan, struct sgs_result *result);

#endif
