/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <sgstream/error.h>

#include "util/text.h"

/* The highest status below those that shells and timeout(1) give a meaning of their own. */
#define HIGHEST_ERRNO_STATUS 125

int sgs_fail(struct sgs_error *err, int status, const char *code, const char *fmt, ...)
{
	char raw[2 * sizeof(err->text)];
	va_list args;

	if (!err)
		return status;
	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	err->status = status;
	sgs_copy_utf8(err->code, sizeof(err->code), code);
	sgs_copy_utf8(err->text, sizeof(err->text), raw);
	return status;
}

int sgs_status_from_errno(int errnum)
{
	int positive = abs(errnum);

	if (positive > HIGHEST_ERRNO_STATUS - SGS_OS_BASE)
		return HIGHEST_ERRNO_STATUS;
	return SGS_OS_BASE + positive;
}
