/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a server that has the keys: each is sealed as it should be, or is
 * plain bytes.  What is read is what was sealed, in order, and nothing else.
 */
#include "port/mbedtls/records.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct server {
	struct nbd_transport below; /* first */
	const uint8_t *data;	    /* what is left of the input */
	size_t size;
	struct records_way tx;
	unsigned char wire[512], text[8192 + 512];
	size_t n, taken, sealed;
};

static unsigned byte(struct server *s)
{
	if (!s->size)
		return 0;
	s->size--;
	return *s->data++;
}

/* Seals `len` bytes of input. */
static void seal(struct server *s, unsigned type, size_t len)
{
	unsigned char *p = s->wire, iv[AESGCM_IV] = "salt", aad[13] = { 0 };

	aad[6] = (unsigned char)(s->tx.seq >> 8);
	aad[7] = (unsigned char)s->tx.seq++;
	aad[8] = p[0] = (unsigned char)type;
	aad[9] = aad[10] = p[1] = p[2] = 3;
	aad[12] = (unsigned char)len;
	p[3] = 0;
	p[4] = (unsigned char)(len + 24);
	memset(p + 5, 0, 8);
	memset(iv + 4, 0, 8);
	for (size_t i = 0; i < len; i++)
		p[RECORD_HEAD + i] = (unsigned char)byte(s);
	if (type == 23) {
		memcpy(s->text + s->sealed, p + RECORD_HEAD, len);
		s->sealed += len;
	}
	aesgcm_seal(&s->tx.key, iv, (struct aesgcm_aad){ aad, sizeof(aad) },
		    p + RECORD_HEAD, p + RECORD_HEAD, len,
		    p + RECORD_HEAD + len);
	s->n = RECORD_HEAD + len + AESGCM_TAG;
}

static void make(struct server *s)
{
	static const unsigned char types[] = { 23, 23, 23, 23, 21, 22, 20, 23 };
	unsigned how = byte(s), len = byte(s) % 200;

	s->taken = s->n = 0;
	if (how & 0x80) {
		while (s->n < len)
			s->wire[s->n++] = (unsigned char)byte(s);
	} else {
		seal(s, types[how & 7], len);
	}
}

static int below_read(struct nbd_transport *t, void *buf, size_t len)
{
	struct server *s = (struct server *)t;
	size_t most = 1 + byte(s);

	if (s->taken == s->n) {
		if (!s->size)
			return 0;
		make(s);
	}
	if (most > s->n - s->taken)
		most = s->n - s->taken;
	if (len > most)
		len = most;
	if (!len)
		return NBD_E_AGAIN;
	memcpy(buf, s->wire + s->taken, len);
	s->taken += len;
	return (int)len;
}

static void same(bool what)
{
	if (!what)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct nbd_tls_keys keys = {
		.aead = NBD_AES_128_GCM,
		.rx.iv = "salt",
		.rx.seq = 1,
	};
	static struct records r;
	static struct server s;
	size_t got = 0;
	int n = 1;

	if (!aesgcm_usable() || size > 8192)
		return -1;
	memset(&s, 0, sizeof(s));
	s.below.read = below_read;
	s.data = data;
	s.size = size;
	aesgcm_init(&s.tx.key, keys.rx.key, 16);
	s.tx.seq = 1;
	records_init(&r, &keys, &s.below);
	while (n > 0 || n == NBD_E_AGAIN) {
		size_t want = 1 + byte(&s);
		unsigned char *to = malloc(want);

		n = records_read(&r, to, want);
		if (n > 0) {
			same((size_t)n <= want && (size_t)n <= s.sealed - got &&
			     !memcmp(to, s.text + got, (size_t)n));
			got += (size_t)n;
		}
		free(to);
	}
	same(n == 0 || n == NBD_E_TLS);
	same(records_read(&r, &(char){ 0 }, 1) == n);
	return 0;
}
