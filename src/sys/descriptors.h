/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_SYS_DESCRIPTORS_H
#define SGS_SYS_DESCRIPTORS_H

#include <stdint.h>

/* Raises the soft limit of open files, as far as the hard one lets it, so that n more can be
 * opened. 0; or the hard limit, when that is too low. */
uint64_t sgs_sys_want_descriptors(uint64_t n);

#endif
