/* SPDX-License-Identifier: BSD-2-Clause */
/* Several URIs in one text, with commas between them. */
#ifndef BOOT_COMMON_URIS_H
#define BOOT_COMMON_URIS_H

#include <stddef.h>

/*
 * The length of the first one.  A name may have commas: one ends a URI only
 * where another one follows, with its two slashes.
 */
size_t boot_uris_first(const char *text);

#endif
