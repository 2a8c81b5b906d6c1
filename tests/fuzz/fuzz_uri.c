/* SPDX-License-Identifier: BSD-2-Clause */
/* A URI that is accepted prints, and parses again to the same. */
#include "core/nbd.h"
#include "core/nbd_uri.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void compare(const struct nbd_uri *a, const struct nbd_uri *b)
{
	same(a->tls == b->tls && a->is_unix == b->is_unix &&
	     a->port == b->port && a->tls_type == b->tls_type &&
	     a->tls_verify_peer == b->tls_verify_peer);
	same(!strcmp(a->host, b->host) && !strcmp(a->user, b->user));
	same(a->name_len == b->name_len &&
	     !memcmp(a->name, b->name, a->name_len + 1));
	same(a->socket_len == b->socket_len &&
	     !memcmp(a->socket, b->socket, a->socket_len + 1));
	same(!strcmp(a->tls_hostname, b->tls_hostname) &&
	     !strcmp(a->tls_certificates, b->tls_certificates) &&
	     !strcmp(a->tls_psk_file, b->tls_psk_file));
}

/* What the header promises of a URI that was accepted. */
static void check(const struct nbd_uri *u)
{
	same(u->port != 0 && u->name_len <= NBD_STRING_MAX);
	same(u->name[u->name_len] == '\0' && u->socket[u->socket_len] == '\0');
	same(strlen(u->name) == u->name_len);
	same(u->is_unix ? u->socket_len > 0 && !*u->host : *u->host != '\0');
	same(*u->host != '-' && *u->tls_hostname != '-');
	for (const char *h = u->host; *h; h++)
		same(*h > ' ' && *h < 0x7f && !strchr("/\\@?#[]", *h));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char out[3 * TEXT_MAX + 100], again[3 * TEXT_MAX + 100];
	struct nbd_uri u, v;
	char *text = malloc(size + 1), *buf, *buf2;
	int len;

	/* the exact sizes that the header promises to suffice, so that the
	 * sanitizer sees one byte too many */
	memcpy(text, data, size);
	text[size] = '\0';
	buf = malloc(strlen(text));
	if (nbd_uri_parse(&u, buf, strlen(text), text) == 0) {
		check(&u);
		len = nbd_uri_print(&u, out, sizeof(out));
		same(len > 0 && (size_t)len == strlen(out));
		buf2 = malloc((size_t)len);
		same(nbd_uri_parse(&v, buf2, (size_t)len, out) == 0);
		compare(&u, &v);
		same(nbd_uri_print(&v, again, sizeof(again)) == len);
		same(strcmp(out, again) == 0);
		free(buf2);
	}
	free(buf);
	free(text);
	return 0;
}
