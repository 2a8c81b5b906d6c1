/* SPDX-License-Identifier: BSD-2-Clause */
/* The printer of NBD URIs. */
#include "core/uri.h"

struct sink {
	char *buf;
	size_t cap, len; /* len keeps counting when buf is full */
};

static void put(struct sink *o, char c)
{
	if (o->len < o->cap)
		o->buf[o->len] = c;
	o->len++;
}

unsigned nbd_percent_put(char out[3], char c)
{
	static const char digits[] = "0123456789ABCDEF";

	out[0] = c;
	if (is_unreserved(c))
		return 1;
	out[0] = '%';
	out[1] = digits[(unsigned char)c >> 4];
	out[2] = digits[c & 15];
	return 3;
}

static void encode(struct sink *o, const char *p, size_t len, const char *also)
{
	for (; len; p++, len--) {
		char text[3] = { *p };
		unsigned n = *p && in(also, *p) ? 1 : nbd_percent_put(text, *p);

		for (unsigned i = 0; i < n; i++)
			put(o, text[i]);
	}
}

static void encode_str(struct sink *o, const char *s, const char *also)
{
	size_t len = 0;

	while (s[len])
		len++;
	encode(o, s, len, also);
}

static void put_host(struct sink *o, const struct nbd_uri *u)
{
	/* by subtraction: armv7 calls libgcc for a division */
	static const uint16_t units[] = { 10000, 1000, 100, 10, 1, 0 };
	bool v6 = in(u->host, ':');
	uint16_t port = u->port;

	if (v6)
		put(o, '[');
	encode_str(o, u->host, ":");
	if (v6)
		put(o, ']');
	if (port == NBD_PORT)
		return;
	put(o, ':');
	for (const uint16_t *unit = units; *unit; unit++) {
		char digit = '0';

		for (; port >= *unit; port = (uint16_t)(port - *unit))
			digit++;
		if (u->port >= *unit)
			put(o, digit);
	}
}

static void put_key(struct sink *o, char *sep, enum key k)
{
	put(o, *sep);
	*sep = '&';
	encode_str(o, key_names[k], "");
	put(o, '=');
}

static void put_pair(struct sink *o, char *sep, enum key k, const char *value)
{
	if (!*value)
		return;
	put_key(o, sep, k);
	encode_str(o, value, in_value);
}

int nbd_uri_print(const struct nbd_uri *u, char *buf, size_t cap)
{
	static const char *const verify[] = { "", "0", "1" };
	struct sink o = { buf, cap, 0 };
	char sep = '?';

	encode_str(&o, schemes[(u->is_unix ? 2 : 0) + u->tls], "+");
	encode_str(&o, "://", ":/");
	if (*u->user) {
		encode_str(&o, u->user, in_user);
		put(&o, '@');
	}
	if (!u->is_unix)
		put_host(&o, u);
	put(&o, '/');
	encode(&o, u->name, u->name_len, in_name);
	if (u->is_unix) {
		put_key(&o, &sep, SOCKET);
		encode(&o, u->socket, u->socket_len, in_value);
	}
	put_pair(&o, &sep, TYPE, tls_types[u->tls_type]);
	put_pair(&o, &sep, VERIFY, verify[u->tls_verify_peer + 1]);
	put_pair(&o, &sep, HOSTNAME, u->tls_hostname);
	put_pair(&o, &sep, CERTIFICATES, u->tls_certificates);
	put_pair(&o, &sep, PSK_FILE, u->tls_psk_file);
	put(&o, '\0');
	return o.len > cap ? NBD_E_NO_MEMORY : (int)(o.len - 1);
}
