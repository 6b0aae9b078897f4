/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/report.h"

const char sgs_version[] = SGS_VERSION;
const char sgs_commit[] = SGS_COMMIT;
