/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/seal/sealed.h"

#include <string.h>

#define FIRST SEALED_MAGIC "1\n"

bool seal_is_text(const uint8_t *text, size_t len)
{
	return len >= sizeof(SEALED_MAGIC) - 1 &&
	       !memcmp(text, SEALED_MAGIC, sizeof(SEALED_MAGIC) - 1);
}

/* ---- a text that is read ---- */

static bool skip(struct sealed_rest *r, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(r->end - r->p) < len || memcmp(r->p, text, len) != 0)
		return false;
	r->p += len;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits up to the end of the line, of at most cap bytes. */
static bool take_hex(struct sealed_rest *r, uint8_t *to, size_t cap,
		     size_t *len)
{
	for (*len = 0; r->end - r->p >= 2 && digit(*r->p) >= 0; r->p += 2) {
		int low = digit(r->p[1]);

		if (low < 0 || *len == cap)
			return false;
		to[(*len)++] = (uint8_t)(digit(*r->p) << 4 | low);
	}
	return skip(r, "\n");
}

static bool take_name(struct sealed_rest *r, char name[SEALED_NAME])
{
	size_t len = 0;

	for (; r->p != r->end && *r->p > ' ' && *r->p < 0x7f; r->p++) {
		if (len == SEALED_NAME - 1)
			return false;
		name[len++] = *r->p;
	}
	name[len] = '\0';
	return len && skip(r, "\n");
}

bool seal_take_pcrs(struct sealed_rest *r, struct tpm_pcrs *p)
{
	p->mask = 0;
	while (skip(r, "pcr ")) {
		uint64_t n;
		size_t len;

		if (!nbd_take_number(&r->p, r->end, TPM_PCRS - 1, &n) ||
		    p->mask >> n || !skip(r, " ") ||
		    !take_hex(r, p->value[n], TPM_DIGEST, &len) ||
		    len != TPM_DIGEST)
			return false;
		p->mask |= 1u << n;
	}
	return p->mask;
}

bool seal_parse(struct sealed *s, const char *text, size_t len)
{
	struct sealed_rest r = { text, text + len };

	if (!skip(&r, FIRST "name ") || !take_name(&r, s->name) ||
	    !seal_take_pcrs(&r, &s->pcrs) || !skip(&r, "public ") ||
	    !take_hex(&r, s->blob.public, TPM_PUBLIC, &s->blob.public_len) ||
	    !skip(&r, "private ") ||
	    !take_hex(&r, s->blob.private, TPM_PRIVATE, &s->blob.private_len))
		return false;
	s->covered = (size_t)(r.p - text);
	return skip(&r, "data ") &&
	       take_hex(&r, s->data, SEALED_DATA, &s->len) && r.p == r.end;
}

/* ---- a text that is written ---- */

static void put_hex(struct nbd_out *o, const char *word, const uint8_t *p,
		    size_t len)
{
	nbd_putf(o, "%s ", word);
	for (size_t i = 0; i < len; i++)
		nbd_putf(o, "%02x", p[i]);
	nbd_putf(o, "\n");
}

void seal_put_pcrs(struct nbd_out *o, const struct tpm_pcrs *p)
{
	for (unsigned i = 0; i < TPM_PCRS; i++)
		if (p->mask >> i & 1) {
			nbd_putf(o, "pcr %u", i);
			put_hex(o, "", p->value[i], TPM_DIGEST);
		}
}

void seal_put_head(struct nbd_out *o, const struct sealed *s)
{
	nbd_putf(o, FIRST "name %s\n", s->name);
	seal_put_pcrs(o, &s->pcrs);
	put_hex(o, "public", s->blob.public, s->blob.public_len);
	put_hex(o, "private", s->blob.private, s->blob.private_len);
}

void seal_put_data(struct nbd_out *o, const struct sealed *s)
{
	put_hex(o, "data", s->data, s->len);
}
