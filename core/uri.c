/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser of NBD URIs (nbd_uri.h names the specifications).
 *
 *	nbds://alice@[fe80::1%25eth0]:10810/disk?tls-type=psk
 *	scheme user  host             port  name query
 *
 * Each component is found first, by its delimiters, and decoded afterwards:
 * an escaped delimiter is never one.
 */
#include "core/uri.h"

struct scan {
	struct nbd_uri *u;
	const char *text; /* all of it, for offsets */
	char *out, *end;  /* the rest of the caller's buffer */
};

/* A decoded component, NUL-terminated. */
struct part {
	const char *s;
	size_t len;
};

static int wrong(struct scan *s, const char *at, const char *why)
{
	s->u->wrong = why;
	s->u->wrong_at = (size_t)(at - s->text);
	return NBD_E_URI;
}

/* The value of a hexadecimal digit, -1 if it is none. */
static int hex(char c)
{
	if (is_digit(c))
		return c - '0';
	return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

int nbd_hex_byte(const char *p)
{
	int high = hex(p[0]), low = high < 0 ? -1 : hex(p[1]);

	return low < 0 ? -1 : high << 4 | low;
}

int nbd_percent_next(const char **p)
{
	const char *at = *p;
	int byte = *at == '%' ? nbd_hex_byte(at + 1) : (unsigned char)*at;

	*p += *at == '%' && byte >= 0 ? 3 : 1;
	return byte;
}

/* The first of the delimiters in [p, e), or e. */
static const char *find(const char *p, const char *e, const char *delims)
{
	while (p < e && !in(delims, *p))
		p++;
	return p;
}

/* Compares with a word in lower case; the case of the text is ignored. */
static bool equal(const char *p, const char *e, const char *word)
{
	for (; p < e && *word && lower(*p) == *word; p++)
		word++;
	return p == e && !*word;
}

/* The index of [p, e) in a list of n words, or n. */
static unsigned look_up(const char *p, const char *e, const char *const words[],
			unsigned n)
{
	unsigned i = 0;

	while (i < n && !equal(p, e, words[i]))
		i++;
	return i;
}

/*
 * Decodes [p, e), in which the characters of `also` need no escaping.  With
 * abstract, the first byte may be NUL.
 */
static int decode(struct scan *s, struct part *to, const char *p, const char *e,
		  const char *also, bool abstract)
{
	const char *at = p;

	to->s = s->out;
	for (const char *start = p; p < e && s->out < s->end; at = p) {
		int c = nbd_percent_next(&p);

		if (c < 0)
			return wrong(s, at, "% without two hex digits");
		if (!c && !(abstract && at == start))
			return wrong(s, at, "a NUL (%00)");
		if (*at != '%' && !is_unreserved(*at) && !in(also, *at))
			return wrong(s, at, "must be percent-encoded");
		*s->out++ = (char)c;
	}
	if (s->out == s->end)
		return NBD_E_NO_MEMORY;
	*s->out++ = '\0';
	to->len = (size_t)(s->out - to->s) - 1;
	return 0;
}

/* Bytes of a host name (RFC 1035, 2.3.4): TLS takes no longer one. */
#define HOST_MAX 255

/*
 * A host name ends up in resolvers, logs and other programs' command lines:
 * let nothing through that could be taken for an option or a separator.
 */
static bool is_host_name(const char *h)
{
	const char *p = h;

	if (!*h || *h == '-')
		return false;
	while (is_unreserved(*p))
		p++;
	return !*p && p - h <= HOST_MAX;
}

/* Hexadecimal groups and perhaps a zone; the resolver checks the rest. */
static bool is_ipv6(const char *h)
{
	bool colon = false;

	for (; hex(*h) >= 0 || *h == ':' || *h == '.'; h++)
		colon |= *h == ':';
	return colon && (!*h || (*h == '%' && is_host_name(h + 1)));
}

static int parse_port(struct scan *s, const char *p, const char *e)
{
	const char *start = p;
	uint32_t port = 0;

	if (p == e)
		return 0;
	for (; p < e && is_digit(*p) && port <= 65535; p++)
		port = port * 10 + (uint32_t)(*p - '0');
	if (find(p, e, ":") < e)
		return wrong(s, start, "an IPv6 address without [brackets]");
	if (p < e || port == 0 || port > 65535)
		return wrong(s, start, "a port that is not 1 to 65535");
	s->u->port = (uint16_t)port;
	return 0;
}

/* [p, e) is what stands between the brackets. */
static int parse_ipv6(struct scan *s, struct part *host, const char *p,
		      const char *e)
{
	const char *zone = find(p, e, "%");
	int rc;

	/* "%1a" would silently become a part of the address. */
	if (zone < e && (e - zone < 4 || zone[1] != '2' || zone[2] != '5'))
		return wrong(s, zone, "a zone is written %25eth0");
	rc = decode(s, host, p, e, ":", false);
	if (rc < 0)
		return rc;
	return is_ipv6(host->s) ? 0 : wrong(s, p, "not an IPv6 address");
}

/* host:port or [address]:port; [p, e) is all of it. */
static int parse_host(struct scan *s, const char *p, const char *e)
{
	const char *colon = find(p, e, ":");
	struct part host;
	int rc;

	if (p == e || p == colon)
		return wrong(s, p, "no host");
	if (*p == '[') {
		colon = find(p, e, "]");
		if (colon == e)
			return wrong(s, p, "a [ without ]");
		rc = parse_ipv6(s, &host, p + 1, colon++);
		if (rc == 0 && colon < e && *colon != ':')
			rc = wrong(s, colon, "something between ] and :port");
	} else {
		rc = decode(s, &host, p, colon, SUB_DELIMS, false);
		if (rc == 0 && !is_host_name(host.s))
			rc = wrong(s, p, "not a host name");
	}
	if (rc < 0)
		return rc;
	s->u->host = host.s;
	return colon < e ? parse_port(s, colon + 1, e) : 0;
}

/* user@host:port; [p, e) is all of it. */
static int parse_authority(struct scan *s, const char *p, const char *e)
{
	const char *at = find(p, e, "@");
	struct part user;
	int rc;

	if (at < e) {
		if (find(p, at, ":") < at)
			return wrong(s, p,
				     "a password, which anyone could read");
		rc = decode(s, &user, p, at, in_user, false);
		if (rc < 0)
			return rc;
		s->u->user = user.s;
		p = at + 1;
	}
	if (!s->u->is_unix)
		return parse_host(s, p, e);
	return p == e ? 0
		      : wrong(s, p,
			      "a host in addition to a socket (write :///)");
}

static int parse_name(struct scan *s, const char *p, const char *e)
{
	struct part part = { "", 0 };
	int rc;

	if (p < e && *p == '/')
		p++;
	if (p == e)
		return 0;
	rc = decode(s, &part, p, e, in_name, false);
	if (rc == 0 && part.len > NBD_STRING_MAX)
		rc = wrong(s, p, "an export name of more than 4096 bytes");
	s->u->name = part.s;
	s->u->name_len = part.len;
	return rc;
}

/* Stores a decoded value in the result; at is its place in the text. */
static int take_value(struct scan *s, enum key k, const struct part *v,
		      const char *at)
{
	const char *e = v->s + v->len;
	unsigned i;

	if (k == TYPE) {
		i = look_up(v->s, e, tls_types, 4);
		if (i == 4)
			return wrong(s, at, "not anon, x509 or psk");
		s->u->tls_type = (enum nbd_tls_type)i;
	} else if (k == VERIFY) {
		if (!equal(v->s, e, "0") && !equal(v->s, e, "1"))
			return wrong(s, at, "not 0 or 1");
		s->u->tls_verify_peer = *v->s - '0';
	} else if (k == HOSTNAME && !is_host_name(v->s) && !is_ipv6(v->s)) {
		return wrong(s, at, "not a host name");
	}
	return 0;
}

/* One key=value, or nothing. */
static int parse_pair(struct scan *s, struct part val[], const char *p,
		      const char *e)
{
	const char *eq = find(p, e, "=");
	unsigned k = look_up(p, eq, key_names, KEYS);
	int rc;

	if (p == e)
		return 0;
	if (k == KEYS)
		return wrong(s, p, "an unknown key");
	if (val[k].len)
		return wrong(s, p, "a key that is given twice");
	if (k == SOCKET && !s->u->is_unix)
		return wrong(s, p, "socket= without nbd+unix or nbds+unix");
	if (e - eq < 2)
		return wrong(s, eq, "a key without a value");
	rc = decode(s, &val[k], eq + 1, e, in_value, k == SOCKET);
	return rc < 0 ? rc : take_value(s, (enum key)k, &val[k], eq + 1);
}

static int parse_query(struct scan *s, const char *p, const char *e)
{
	struct part val[KEYS];
	struct nbd_uri *u = s->u;
	const char *amp;

	for (unsigned k = 0; k < KEYS; k++)
		val[k] = (struct part){ "", 0 };
	do {
		int rc;

		amp = find(p, e, "&");
		rc = parse_pair(s, val, p, amp);
		if (rc < 0)
			return rc;
		p = amp + 1;
	} while (amp < e);
	if (u->is_unix && !val[SOCKET].len)
		return wrong(s, e, "no socket=/path");
	u->socket = val[SOCKET].s;
	u->socket_len = val[SOCKET].len;
	u->tls_hostname = val[HOSTNAME].s;
	u->tls_certificates = val[CERTIFICATES].s;
	u->tls_psk_file = val[PSK_FILE].s;
	return 0;
}

/* The index of the scheme, 4 if it is unknown; *colon is its end. */
static unsigned scheme(const char *text, const char **colon)
{
	const char *p = text;

	while (*p && *p != ':')
		p++;
	*colon = p;
	return *p ? look_up(text, p, schemes, 4) : 4;
}

bool nbd_is_uri(const char *text)
{
	const char *colon;

	return scheme(text, &colon) < 4;
}

const char *nbd_uri_service(const char *host)
{
	const char *of = "_nbd._tcp.";

	for (; *of && lower(*host) == *of; of++)
		host++;
	return *of || !*host ? NULL : host;
}

void nbd_uri_init(struct nbd_uri *u)
{
	*u = (struct nbd_uri){ .port = NBD_PORT,
			       .tls_verify_peer = -1,
			       .host = "",
			       .user = "",
			       .socket = "",
			       .name = "",
			       .tls_hostname = "",
			       .tls_certificates = "",
			       .tls_psk_file = "",
			       .wrong = "" };
}

const char *nbd_host_wrong(const char *text)
{
	if (in(text, ':'))
		return is_ipv6(text) ? NULL : "not an IPv6 address";
	return is_host_name(text) ? NULL : "not a host name";
}

int nbd_uri_check(struct nbd_uri *u)
{
	const char *why = nbd_host_wrong(u->host);

	if (!why && *u->tls_hostname)
		why = nbd_host_wrong(u->tls_hostname);
	if (!why && u->name_len > NBD_STRING_MAX)
		why = "an export name of more than 4096 bytes";
	u->wrong = why ? why : "";
	return why ? NBD_E_URI : 0;
}

int nbd_uri_parse(struct nbd_uri *u, char *buf, size_t cap, const char *text)
{
	struct scan s = { u, text, buf, buf + cap };
	const char *p, *e, *next, *path;
	unsigned kind = scheme(text, &p);
	int rc = 0;

	nbd_uri_init(u);
	u->tls = kind & 1;
	u->is_unix = kind & 2;
	if (kind == 4)
		return wrong(&s, text, "not nbd://, nbds:// or nbd[s]+unix://");
	for (e = ++p; *e && *e != '#';)
		e++;
	if (*e)
		return wrong(&s, e, "a # (write %23 for one in a name)");
	path = p;
	if (p[0] == '/' && p[1] == '/') {
		path = find(p + 2, e, "/?");
		rc = parse_authority(&s, p + 2, path);
	} else if (!u->is_unix) {
		rc = wrong(&s, p, "no //host");
	}
	if (rc < 0)
		return rc;
	next = find(path, e, "?");
	rc = parse_name(&s, path, next);
	return rc < 0 ? rc : parse_query(&s, next < e ? next + 1 : e, e);
}
