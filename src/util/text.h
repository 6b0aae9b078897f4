/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SGS_UTIL_TEXT_H
#define SGS_UTIL_TEXT_H

#include <stddef.h>

/* Copies len bytes of anything to dst as printable ASCII: other bytes become '?', spaces and
 * NULs at both ends go. dst always ends with NUL; what does not fit in cap is cut. */
void sgs_copy_printable(char *dst, size_t cap, const void *src, size_t len);

/* The same for a C string, keeping well-formed UTF-8 (paths, argv): control bytes and broken
 * sequences become '?'. Ends are not trimmed. */
void sgs_copy_utf8(char *dst, size_t cap, const char *src);

#endif
