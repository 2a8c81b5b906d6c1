/* SPDX-License-Identifier: BSD-2-Clause */
/* The backend identifier: one printer, one parser. */
#include "boot/device/backend.h"
#include "boot/words/uris.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* The words that follow the URIs. */
enum kind { NUMBER, PORT, SECONDS, YES, PATH };

static const struct word {
	const char *name;
	enum kind kind;
	size_t field; /* offset in struct backend */
} words[] = {
	{ "connections", NUMBER, offsetof(struct backend, connections) },
	{ "slots", NUMBER, offsetof(struct backend, slots) },
	{ "port", PORT, offsetof(struct backend, port) },
	{ "spread", YES, offsetof(struct backend, spread) },
	{ "dead-timeout", SECONDS, offsetof(struct backend, dead_timeout) },
	{ "swap", YES, offsetof(struct backend, swap) },
	{ "no-go", YES, offsetof(struct backend, no_go) },
	{ "ca", PATH, offsetof(struct backend, files.ca) },
	{ "cert", PATH, offsetof(struct backend, files.cert) },
	{ "key", PATH, offsetof(struct backend, files.key) },
	{ "identity", PATH, offsetof(struct backend, identity) },
};
#define WORDS (sizeof(words) / sizeof(words[0]))

unsigned device_backend_slots(const struct backend *b)
{
	return b->slots > b->connections ? b->slots : b->connections;
}

/* ---- parsing ---- */

static int parse_uris(struct backend *b, char *buf, const char *text,
		      size_t len, struct nbd_diag *d)
{
	char one[BACKEND_BUF];

	if (len > NBDK_BACKEND_MAX)
		return nbd_diag(d, NBD_E_URI,
				"longer than the %u bytes that "
				"the kernel keeps of it",
				NBDK_BACKEND_MAX);
	for (b->servers = 0; len; b->servers++) {
		struct nbd_uri *u = &b->uris[b->servers];
		size_t n = boot_uris_first(text);

		/* the words after the URIs may contain a comma */
		if (n > len)
			n = len;
		if (b->servers == BACKEND_SERVERS)
			return nbd_diag(d, NBD_E_URI,
					"more than %d servers for one device",
					BACKEND_SERVERS);
		nbd_fmt(one, sizeof(one), "%.*s", (int)n, text);
		if (nbd_uri_parse(u, buf, n + 1, one) < 0)
			return nbd_diag(d, NBD_E_URI, "%s (at character %u)",
					u->wrong, (unsigned)u->wrong_at + 1);
		buf += n + 1;
		n += n < len;
		text += n;
		len -= n;
	}
	return b->servers ? 0 : nbd_diag(d, NBD_E_URI, "it is empty");
}

int device_backend_parse_uris(struct backend *b, char buf[BACKEND_BUF],
			      const char *text, struct nbd_diag *d)
{
	return parse_uris(b, buf, text, strlen(text), d);
}

/* Decodes in place.  %00 is refused: it would end the path early. */
static bool decode(char *to)
{
	for (const char *p = to; *p;) {
		int c = nbd_percent_next(&p);

		if (c <= 0)
			return false;
		*to++ = (char)c;
	}
	*to = '\0';
	return true;
}

/* Parses into an int or an unsigned: min and max must fit both. */
static bool take_number(void *to, const char *p, long min, long max)
{
	int v = (int)nbd_number(p, min, max);

	if (v >= 0)
		memcpy(to, &v, sizeof(v));
	return v >= 0;
}

static bool take_word(struct backend *b, char *word)
{
	size_t n = strcspn(word, "=");
	char *value = word[n] ? word + n + 1 : NULL;

	for (size_t i = 0; i < WORDS; i++) {
		void *field = (char *)b + words[i].field;

		if (strlen(words[i].name) != n ||
		    memcmp(words[i].name, word, n) != 0)
			continue;
		if (words[i].kind == YES)
			return *(bool *)field = !value;
		if (!value)
			return false;
		if (words[i].kind == NUMBER)
			return take_number(field, value, 1,
					   CONFIG_PORT_MAX_CONNECTIONS);
		if (words[i].kind == PORT)
			return take_number(field, value, 1, UINT16_MAX);
		if (words[i].kind == SECONDS)
			return take_number(field, value, 0, INT32_MAX);
		*(const char **)field = value;
		return decode(value);
	}
	return false;
}

int device_backend_parse(struct backend *b, char buf[BACKEND_BUF],
			 const char *text)
{
	size_t len = strlen(text), uris = strcspn(text, " ");
	/* the URIs' strings go first, then those of the words after them */
	char *p = buf + uris + BACKEND_SERVERS;

	memset(b, 0, sizeof(*b));
	b->connections = 1;
	b->dead_timeout = -1;
	if (len > NBDK_BACKEND_MAX || !nbd_is_uri(text) ||
	    parse_uris(b, buf, text, uris, NULL))
		return NBD_E_URI;
	memcpy(p, text + uris, len - uris + 1);
	for (bool more = *p; more;) {
		char *word = p + 1;

		p = word + strcspn(word, " ");
		more = *p;
		*p = '\0';
		if (!take_word(b, word))
			return NBD_E_URI;
	}
	return 0;
}

/* ---- printing ---- */

static void put_path(struct nbd_out *o, const char *p)
{
	for (; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c <= ' ' || c == '%' || c == 0x7f)
			nbd_putf(o, "%%%02x", c);
		else
			nbd_put(o, p, 1);
	}
}

static void put_word(struct nbd_out *o, const struct backend *b,
		     const struct word *w)
{
	const void *field = (const char *)b + w->field;
	int v;

	switch (w->kind) {
	case NUMBER:
	case PORT:
	case SECONDS:
		v = *(const int *)field;
		/* those above their defaults: 1, 0 and -1 */
		if (v > 1 - (int)w->kind)
			nbd_putf(o, " %s=%d", w->name, v);
		break;
	case YES:
		if (*(const bool *)field)
			nbd_putf(o, " %s", w->name);
		break;
	case PATH:
		if (!*(const char *const *)field)
			break;
		nbd_putf(o, " %s=", w->name);
		put_path(o, *(const char *const *)field);
	}
}

/* Encodes commas that a parser could take for the end of the URI. */
static int put_uri(const struct nbd_uri *u, char *text, size_t cap)
{
	int rc = nbd_uri_print(u, text, cap);

	for (char *p = text; rc > 0 && (p = strchr(p, ',')); p++) {
		if (!nbd_is_uri(p + 1))
			continue;
		if (cap - (size_t)rc < 3)
			return NBD_E_NO_MEMORY;
		memmove(p + 3, p + 1, strlen(p));
		p[0] = '%';
		p[1] = '2';
		p[2] = 'C';
		rc += 2;
	}
	return rc;
}

int device_backend_print(const struct backend *b, char *text, size_t cap)
{
	struct nbd_out o = { .buf = text, .cap = cap - 1 };

	for (unsigned i = 0; i < b->servers; i++) {
		int n;

		if (i)
			nbd_put(&o, ",", 1);
		n = put_uri(&b->uris[i], text + o.len, cap - o.len);
		if (n < 0)
			return n;
		o.len += (size_t)n;
	}
	for (size_t i = 0; i < WORDS; i++)
		put_word(&o, b, &words[i]);
	text[o.len] = '\0';
	return o.cut ? NBD_E_NO_MEMORY : (int)o.len;
}

/* ---- paths ---- */

/*
 * Makes a path independent of the working directory of the process that reads
 * the identifier later.  No path is longer than a URI.
 */
static int absolute(const char **path, struct nbd_out *o, struct nbd_diag *d)
{
	char *start = o->buf + o->len;

	/* the name of an abstract socket begins with a NUL */
	if (!*path || **path == '/' || !**path)
		return 0;
	if (!getcwd(start, o->cap - o->len))
		return nbd_diag(d, NBD_E_IO, "the current directory is gone");
	o->len += strlen(start);
	nbd_put(o, "/", 1);
	nbd_put(o, *path, strlen(*path) + 1);
	if (o->cut)
		return nbd_diag(d, NBD_E_NO_MEMORY, "%s is too long", *path);
	*path = start;
	return 0;
}

int device_backend_absolute(struct backend *b, char *text, size_t cap,
			    struct nbd_diag *d)
{
	struct nbd_out o = { .buf = text, .cap = cap };
	int err = absolute(&b->files.ca, &o, d);

	if (!err)
		err = absolute(&b->files.cert, &o, d);
	if (!err)
		err = absolute(&b->files.key, &o, d);
	for (unsigned i = 0; i < b->servers && !err; i++) {
		struct nbd_uri *u = &b->uris[i];

		err = absolute(&u->tls_certificates, &o, d);
		if (!err)
			err = absolute(&u->tls_psk_file, &o, d);
		if (!err)
			err = absolute(&u->socket, &o, d);
		if (*u->socket)
			u->socket_len = strlen(u->socket);
	}
	return err;
}
