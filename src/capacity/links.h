/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_CAPACITY_LINKS_H
#define SGS_CAPACITY_LINKS_H

#include <jansson.h>

#include "capacity/measured.h"

/* The narrowest link that all drives of a controller share, from what list --topology says of
 * one of them. Of SAS ports that lead to expanders the controller has the sum. Links of one
 * drive alone are in its measured rate already. */
void sgs_links_take(struct sgs_measured_controller *controller, const json_t *topology);

/* The same from the ceiling that a run over the controller alone tells. Whether it was a link
 * that all drives share. */
bool sgs_links_take_ceiling(struct sgs_measured_controller *controller, const json_t *ceiling);

#endif
