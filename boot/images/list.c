/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of the text, and the hash by which machines share images. */
#include "boot/images/list.h"

#include <string.h>
#include <strings.h>

#include "boot/words/ip.h"
#include "boot/words/uris.h"
#include "core/nbd_uri.h"
#include "port/fnv1a.h"

struct parser {
	struct images_list *l;
	const struct images_machine *m;
	const char *wrong; /* NULL, or the mistake of the line */
	bool meant, asked; /* a condition holds; there is one */
	struct nbd_out uri, rev;
};

/* ---- hashes ---- */

/* FNV-1a, which does not tell A from a. */
static uint64_t add_folded(uint64_t hash, const char *p)
{
	for (; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
		hash = nbd_fnv1a(hash, c);
	}
	return hash;
}

static uint64_t spread_bits(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
	return hash ^ hash >> 33;
}

/*
 * Addresses come in rows.  Multiples of the golden ratio lie more evenly than
 * random numbers: of 1,000 in a row a share has what it says.
 */
static uint64_t spread_mac(const char *p)
{
	uint64_t n = 0;

	for (; *p; p += *p == ':') {
		int byte = nbd_hex_byte(p);

		if (byte < 0)
			break;
		n = n << 8 | (unsigned)byte;
		p += 2;
	}
	return n * 0x9e3779b97f4a7c15u;
}

unsigned images_share(const struct images_machine *m)
{
	uint64_t all = m->mac	 ? spread_mac(m->mac)
		       : m->uuid ? spread_bits(add_folded(NBD_FNV1A, m->uuid))
				 : UINT64_MAX;

	return (unsigned)((all >> 32) * 10000 >> 32);
}

static uint64_t add_exact(uint64_t hash, const char *p)
{
	for (; *p; p++)
		hash = nbd_fnv1a(hash, (unsigned char)*p);
	return nbd_fnv1a(hash, 0);
}

uint64_t images_id(const char *uri, const char *rev)
{
	uint64_t id = spread_bits(add_exact(add_exact(NBD_FNV1A, uri), rev));

	return id ? id : 1;
}

/* ---- one line ---- */

static bool same(const char *p, size_t len, const char *value)
{
	return value && strlen(value) == len && !strncasecmp(p, value, len);
}

/* With colons or dashes: "52-54-00-12-34-56". */
static bool is_mac(const char *p, size_t len, unsigned char mac[6])
{
	char text[18];

	nbd_fmt(text, sizeof(text), "%.*s", (int)len, p);
	return len == 17 && boot_ip_mac(text, mac);
}

static bool is_share(const struct parser *in, const char *p, size_t len)
{
	long percent;

	if (len && p[len - 1] == '%')
		len--;
	percent = nbd_numbern(p, len, 0, 100);
	return percent > 0 && images_share(in->m) < 100 * (unsigned)percent;
}

/* Stores a word of len bytes, if there is room. */
static void keep(struct parser *in, struct nbd_out *o, const char *p,
		 size_t len)
{
	o->len = 0;
	nbd_put(o, p, len);
	if (o->cut || !len)
		in->wrong = len ? "too long" : "a value is missing";
	o->buf[o->len] = '\0';
}

static bool begins(const char *p, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(p, with, n);
}

static void take_word(struct parser *in, const char *p, size_t len)
{
	const char *eq = memchr(p, '=', len);
	const char *value = eq ? eq + 1 : p;
	size_t n = eq ? len - (size_t)(value - p) : 0;
	unsigned char mac[6], ours[6];

	if (begins(p, len, "rev=")) {
		keep(in, &in->rev, value, n);
		return;
	}
	in->asked = true;
	if (begins(p, len, "mac=") && is_mac(value, n, mac))
		in->meant |= in->m->mac && boot_ip_mac(in->m->mac, ours) &&
			     !memcmp(mac, ours, sizeof(mac));
	else if (begins(p, len, "uuid=") && n == 36)
		in->meant |= same(value, n, in->m->uuid);
	else if (begins(p, len, "share=") &&
		 nbd_numbern(value, n - (n && value[n - 1] == '%'), 0, 100) >=
			 0)
		in->meant |= is_share(in, value, n);
	else
		in->wrong = "not mac=MAC, uuid=UUID, share=PERCENT or rev=TEXT";
}

/* Each URI of a list with commas. */
static void take_uris(struct parser *in, const char *p, size_t len)
{
	const char *uri = in->uri.buf;
	unsigned n = 0;

	keep(in, &in->uri, p, len);
	for (; !in->wrong && *uri; n++) {
		size_t first = boot_uris_first(uri);

		if (strncmp(uri, "nbd://", 6) != 0 &&
		    strncmp(uri, "nbds://", 7) != 0)
			in->wrong = "not nbd://HOST[:PORT]/EXPORT";
		if (n == BOOT_URIS)
			in->wrong = "too many servers";
		uri += first + (uri[first] == ',');
	}
}

static void take_line(struct parser *in, const char *p, size_t len)
{
	struct images_list *l = in->l;
	char uri[IMAGES_URI] = "", rev[sizeof(l->rev[0])] = "";
	const char *end = p + len;
	size_t n;

	in->uri = (struct nbd_out){ .buf = uri, .cap = sizeof(uri) - 1 };
	in->rev = (struct nbd_out){ .buf = rev, .cap = sizeof(rev) - 1 };
	in->meant = in->asked = false;
	for (; p < end && !in->wrong; p += n) {
		if (*p == '#' && !*uri)
			return;
		for (n = 0; p + n < end && p[n] != ' ' && p[n] != '\t'; n++)
			if (p[n] < ' ' || p[n] > '~')
				in->wrong = "a character that is not ASCII";
		if (!n)
			n = 1; /* a blank */
		else if (*uri)
			take_word(in, p, n);
		else
			take_uris(in, p, n);
	}
	if (in->wrong || !*uri || (in->asked && !in->meant))
		return;
	if (l->n == IMAGES_MAX) {
		in->wrong = "too many images for this machine";
		return;
	}
	memcpy(l->uri[l->n], uri, sizeof(uri));
	memcpy(l->rev[l->n++], rev, sizeof(rev));
}

int images_parse(struct images_list *l, const char *text, size_t len,
		 const struct images_machine *m, struct nbd_diag *d)
{
	struct parser in = { .l = l, .m = m };
	const char *end = memchr(text, '\0', len);
	size_t rest, n;
	unsigned line = 0;

	l->n = 0;
	for (rest = end ? len - (size_t)(end - text) : 0; rest; rest--)
		if (text[len - rest])
			return nbd_diag(d, NBD_E_USAGE,
					"the list of images goes on behind a "
					"NUL");
	end = end ? end : text + len;
	for (; text < end && !in.wrong; text += n + (text + n < end)) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		n = (size_t)((nl ? nl : end) - text);
		line++;
		take_line(&in, text, n);
	}
	if (!in.wrong)
		return NBD_OK;
	l->n = 0;
	return nbd_diag(d, NBD_E_USAGE, "line %u of the list of images: %s",
			line, in.wrong);
}
