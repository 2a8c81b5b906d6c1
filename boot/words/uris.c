/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of URIs, and what a message says of one. */
#include "boot/words/uris.h"
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

const char *boot_uris_forbidden(const struct nbd_uri u[], unsigned n)
{
	for (; n; u++, n--) {
		if (!u->tls)
			return "nbdboot.tls=require forbids servers without "
			       "TLS: use nbds://";
		if (u->tls_verify_peer == 0)
			return "nbdboot.tls=require forbids tls-verify-peer=0";
	}
	return NULL;
}

void boot_uri_show(const struct nbd_uri *u, char *buf, size_t cap)
{
	if (nbd_uri_print(u, buf, cap) < 0)
		buf[cap - 1] = '\0';
}
