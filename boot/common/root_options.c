/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of nbd-client(8) in dracut's root=: words separated by commas,
 * with or without dashes, long or short, and the old "bs=".
 */
#include "boot/common/root_parse.h"

#include <string.h>

enum kind { NUMBER, YES, TLS, NAME, HOSTNAME, DONE };

static const struct option {
	char name[13];
	char letter;
	uint8_t kind;
	uint16_t field;	   /* in struct root_spec */
	uint16_t min, max; /* of a NUMBER; max 0: any */
} options[] = {
#define F(x) offsetof(struct root_spec, x)
	{ "block-size", 'b', NUMBER, F(block_size), 512, 4096 },
	{ "bs", 0, NUMBER, F(block_size), 512, 4096 },
	{ "connections", 'C', NUMBER, F(connections), 1,
	  CONFIG_PORT_MAX_CONNECTIONS },
	{ "timeout", 't', NUMBER, F(io_timeout), 1, 0 },
	{ "dead-timeout", 'T', NUMBER, F(dead_timeout), 0, 0 },
	{ "readonly", 'R', YES, F(read_only), 0, 0 },
	{ "swap", 's', YES, F(swap), 0, 0 },
	{ "persist", 'p', YES, F(persist), 0, 0 },
	{ "no-optgo", 'g', YES, F(no_go), 0, 0 },
	{ "name", 'N', NAME, 0, 0, 0 },
	{ "enable-tls", 'x', TLS, 0, 0, 0 },
	{ "certfile", 'F', TLS, F(cert), 0, 0 },
	{ "keyfile", 'K', TLS, F(key), 0, 0 },
	{ "cacertfile", 'A', TLS, F(ca), 0, 0 },
	{ "tlshostname", 'H', HOSTNAME, 0, 0, 0 },
	/* accepted without effect: nbdboot always works like this */
	{ "systemd-mark", 'm', DONE, 0, 0, 0 },
	{ "nofork", 'n', DONE, 0, 0, 0 },
#undef F
};

static bool store(struct parse *s, const struct option *o, const char *value,
		  size_t len)
{
	char *field = (char *)s->r + o->field;
	long n;

	switch (o->kind) {
	case NUMBER:
		n = nbd_numbern(value, len, o->min, o->max ? o->max : 1 << 30);
		if (n >= 0)
			*(int *)field = (int)n;
		return n >= 0;
	case YES:
		*(bool *)field = true;
		break;
	case NAME:
		root_name(s, value, len);
		break;
	case HOSTNAME:
		s->r->uri[0].tls_hostname = root_keep(s, value, len);
		s->r->tls = true;
		break;
	case TLS:
		s->r->tls = true;
		if (o->field)
			*(const char **)field = root_keep(s, value, len);
		break;
	}
	return true;
}

static bool take(struct parse *s, const char *p, size_t len)
{
	size_t n = strcspn(p, "=,");
	bool has_value = n < len;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const struct option *o = &options[i];
		bool wants = o->kind != YES && o->kind != DONE &&
			     (o->kind != TLS || o->field);

		if ((n == 1 && *p == o->letter) ||
		    (strlen(o->name) == n && !memcmp(o->name, p, n)))
			return wants == has_value &&
			       store(s, o, p + n + has_value,
				     len - n - has_value);
	}
	return false;
}

void root_options(struct parse *s, const char *p)
{
	while (*p) {
		size_t len = strcspn(p, ","), dashes = strspn(p, "-");

		/* an unknown option is reported */
		if (len &&
		    (dashes >= len || !take(s, p + dashes, len - dashes)))
			root_note(s, p, len);
		p += len + (p[len] == ',');
	}
}
