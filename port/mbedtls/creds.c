/* SPDX-License-Identifier: BSD-2-Clause */
/* Pre-shared keys in files, and the names of certificates. */
#include "port/mbedtls/creds.h"
#include "core/nbd_uri.h"

#include <string.h>

/* ---- pre-shared keys ---- */

static bool take_key(struct creds_psk *psk, const char *p, const char *e)
{
	psk->len = 0;
	for (; e - p >= 2; p += 2) {
		int byte = nbd_hex_byte(p);

		if (byte < 0 || psk->len == sizeof(psk->key))
			return false;
		psk->key[psk->len++] = (unsigned char)byte;
	}
	return p == e && psk->len;
}

/* Parses one line, without its newline. */
static bool take_line(struct creds_psk *psk, const char *p, const char *e,
		      const char *user)
{
	const char *colon = memchr(p, ':', (size_t)(e - p));
	size_t len = colon ? (size_t)(colon - p) : 0;

	if (e > p && e[-1] == '\r')
		e--;
	if (len == 0 || len > CREDS_USER_MAX || *p == '#')
		return false;
	if (*user && (strlen(user) != len || memcmp(p, user, len) != 0))
		return false;
	memcpy(psk->user, p, len);
	psk->user[len] = '\0';
	return take_key(psk, colon + 1, e);
}

bool creds_find_psk(struct creds_psk *psk, const char *text, size_t len,
		    const char *user)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *e = eol ? eol : end;

		if (take_line(psk, text, e, user))
			return true;
		text = eol ? eol + 1 : end;
	}
	explicit_bzero(psk, sizeof(*psk));
	return false;
}

/* ---- names ---- */

static bool equal(const unsigned char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = a[i], d = (unsigned char)b[i];

		c = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
		d = d >= 'A' && d <= 'Z' ? d | 0x20 : d;
		if (c != d || !c)
			return false;
	}
	return true;
}

bool creds_match_name(const unsigned char *name, size_t len, const char *host)
{
	size_t n = strlen(host);

	/* the last dot of "host." only turns off the DNS search list */
	if (n && host[n - 1] == '.')
		n--;
	if (len && name[len - 1] == '.')
		len--;
	if (len > 2 && name[0] == '*' && name[1] == '.') {
		const char *dot = memchr(host, '.', n);

		/* refuse *.com: it would match a whole top-level domain */
		if (!dot || dot == host || !memchr(name + 2, '.', len - 2))
			return false;
		n -= (size_t)(dot - host);
		host = dot;
		name++;
		len--;
	}
	return n && n == len && equal(name, host, n);
}

void creds_host(struct creds_host *h, const char *name)
{
	h->name = name;
	nbd_ip_host(&h->ip, name);
}

static void put_address(struct nbd_out *o, const unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (len == 4)
			nbd_putf(o, i ? ".%u" : "%u", p[i]);
		else
			nbd_putf(o, i && i % 2 == 0 ? ":%02x" : "%02x", p[i]);
	}
}

bool creds_is_host(const struct creds_host *h, const unsigned char *p,
		   size_t len, bool address, struct nbd_out *o)
{
	if (o->len)
		nbd_put(o, ", ", 2);
	if (address) {
		put_address(o, p, len);
		return len && len == h->ip.len && !memcmp(p, h->ip.ip, len);
	}
	nbd_put_safe(o, (const char *)p, len);
	return !h->ip.len && creds_match_name(p, len, h->name);
}

bool creds_names_address(const struct creds_host *h, const unsigned char *p,
			 size_t len)
{
	struct creds_host named;
	char text[64];

	if (!h->ip.len || len >= sizeof(text))
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	creds_host(&named, text);
	return nbd_ip_same(&named.ip, &h->ip);
}
