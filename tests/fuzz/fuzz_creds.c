/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of pre-shared keys, and names in certificates. */
#include "port/mbedtls/creds.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool what)
{
	if (!what)
		abort();
}

/* A copy of its own, so that a byte too far is seen; with a NUL if `text`. */
static char *copy(const uint8_t *data, size_t size, bool text)
{
	char *p = malloc(size + 1 - !text + !size);

	if (size)
		memcpy(p, data, size);
	if (text)
		p[size] = '\0';
	return p;
}

static void find(const char *file, size_t len)
{
	struct creds_psk first, again;

	if (!creds_find_psk(&first, file, len, ""))
		return;
	same(first.len >= 1 && first.len <= CREDS_PSK_MAX);
	same(strnlen(first.user, sizeof(first.user)) <= CREDS_USER_MAX);
	/* a NUL in a name: nobody can ask for that user */
	if (!first.user[0])
		return;
	if (creds_find_psk(&again, file, len, first.user))
		same(strcmp(first.user, again.user) == 0);
}

static void match(const uint8_t *data, size_t size)
{
	size_t half = size / 2;
	char *name = copy(data, half, false);
	char *host = copy(data + half, size - half, true);
	char text[64];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	struct creds_host h;
	bool is;

	is = creds_match_name((unsigned char *)name, half, host);
	/* a name without a star matches only a host of its length */
	same(!is || memchr(name, '*', half) || half + 1 >= strlen(host));
	creds_host(&h, host);
	same(h.ip.len == 0 || h.ip.len == 4 || h.ip.len == 16);
	same(creds_is_host(&h, (unsigned char *)name, half, false, &o) ==
	     (is && !h.ip.len));
	same(o.len <= o.cap);
	if (creds_names_address(&h, (unsigned char *)name, half))
		same(h.ip.len);
	creds_is_host(&h, (unsigned char *)name, half, true, &o);
	same(o.len <= o.cap);
	free(host);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *file = copy(data, size, false);

	find(file, size);
	free(file);
	if (size < 512)
		match(data, size);
	return 0;
}
