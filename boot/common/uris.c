/* SPDX-License-Identifier: BSD-2-Clause */
/* Where one URI ends and the next begins. */
#include "boot/common/uris.h"
#include "core/nbd_uri.h"

#include <string.h>

static bool is_next(const char *p)
{
	return *p == ',' && nbd_is_uri(p + 1) &&
	       !strncmp(strchr(p, ':') + 1, "//", 2);
}

size_t boot_uris_first(const char *text)
{
	const char *p = text;

	while (*p && !is_next(p))
		p++;
	return (size_t)(p - text);
}
