/* SPDX-License-Identifier: BSD-2-Clause */
/* An identifier that is accepted prints, and parses again to the same. */
#include "boot/device/backend.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void same_text(const char *a, const char *b)
{
	same(a && b ? !strcmp(a, b) : a == b);
}

static void compare(const struct backend *a, const struct backend *b)
{
	same(a->servers == b->servers && a->servers >= 1);
	same(a->servers <= BACKEND_SERVERS);
	for (unsigned i = 0; i < a->servers; i++) {
		const struct nbd_uri *u = &a->uris[i], *v = &b->uris[i];

		same(u->tls == v->tls && u->port == v->port);
		same_text(u->host, v->host);
		same_text(u->name, v->name);
		same(u->socket_len == v->socket_len &&
		     !memcmp(u->socket, v->socket, u->socket_len));
		same_text(u->tls_psk_file, v->tls_psk_file);
	}
	same(a->connections == b->connections && a->connections >= 1 &&
	     a->connections <= CONFIG_PORT_MAX_CONNECTIONS);
	same(device_backend_slots(a) == device_backend_slots(b) &&
	     device_backend_slots(a) <= CONFIG_PORT_MAX_CONNECTIONS);
	same(a->port == b->port && a->port <= UINT16_MAX);
	same(a->spread == b->spread);
	same_text(a->files.ca, b->files.ca);
	same_text(a->files.cert, b->files.cert);
	same_text(a->files.key, b->files.key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* in the heap, so that the sanitizer sees one byte too many */
	char *text = malloc(size + 1), *buf = malloc(BACKEND_BUF);
	static char out[4 * NBDK_BACKEND_MAX], out2[4 * NBDK_BACKEND_MAX];
	static char buf2[BACKEND_BUF];
	struct backend a, b;
	int n;

	memcpy(text, data, size);
	text[size] = '\0';
	if (device_backend_parse(&a, buf, text) == 0) {
		n = device_backend_print(&a, out, sizeof(out));
		same(n > 0 && (size_t)n == strlen(out) && !strchr(out, '\n'));
		/* what was left out or not escaped may make it too long */
		if ((size_t)n <= NBDK_BACKEND_MAX) {
			same(device_backend_parse(&b, buf2, out) == 0);
			compare(&a, &b);
			same(device_backend_print(&b, out2, sizeof(out2)) == n);
			same_text(out, out2);
		}
	}
	free(buf);
	free(text);
	return 0;
}
