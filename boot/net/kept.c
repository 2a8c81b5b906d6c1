/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of the root's address, between the boot and its renewal. */
#include "boot/net/kept.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "core/nbd_uri.h"
#include "port/linux/file.h"
#include "port/text.h"

/* The longest file: two identifiers of 130 bytes, and 400 for the rest. */
#define TEXT_MAX 1024

enum kind {
	NUMBER, /* a uint32_t, or a uint64_t if wide */
	WIDE,
	TEXT,
	IP4,
	IP6,
	DUID
};

/*
 * The lines of the file, "NAME=VALUE\n".  A version that has more of them reads
 * the files of those that have less, and the reverse: of a line that is not
 * known nothing is taken, and only those that are `needed` have to be there.
 */
struct field {
	const char *name;
	uint8_t kind;
	bool needed;
	uint16_t at;  /* in struct net_kept */
	uint8_t size; /* of a text */
};

#define KEPT(m) offsetof(struct net_kept, m)

static const struct field fields4[] = {
	{ "dhcp", TEXT, true, KEPT(name),
	  sizeof(((struct net_kept *)0)->name) },
	{ "index", NUMBER, false, KEPT(index), 0 },
	{ "begun", WIDE, true, KEPT(dhcp.bound), 0 },
	{ "seconds", NUMBER, true, KEPT(dhcp.lease.seconds), 0 },
	{ "t1", NUMBER, true, KEPT(dhcp.lease.t1), 0 },
	{ "t2", NUMBER, true, KEPT(dhcp.lease.t2), 0 },
	{ "address", IP4, true, KEPT(dhcp.lease.addr), 0 },
	{ "server", IP4, true, KEPT(dhcp.lease.server), 0 },
	{ "mtu", NUMBER, false, KEPT(dhcp.mtu), 0 },
	{ "host", TEXT, false, KEPT(dhcp.lease.host),
	  sizeof(((struct dhcp_lease *)0)->host) },
	{ 0 },
};

static const struct field fields6[] = {
	{ "dhcp6", TEXT, true, KEPT(name),
	  sizeof(((struct net_kept *)0)->name) },
	{ "index", NUMBER, false, KEPT(index), 0 },
	{ "begun", WIDE, true, KEPT(lease6.bound), 0 },
	{ "preferred", NUMBER, true, KEPT(lease6.lease.preferred), 0 },
	{ "seconds", NUMBER, true, KEPT(lease6.lease.valid), 0 },
	{ "t1", NUMBER, true, KEPT(lease6.lease.t1), 0 },
	{ "t2", NUMBER, true, KEPT(lease6.lease.t2), 0 },
	{ "address", IP6, true, KEPT(lease6.lease.addr), 0 },
	{ "local", IP6, true, KEPT(local), 0 },
	{ "duid", DUID, true, KEPT(lease6.id.duid), 0 },
	{ "iaid", NUMBER, true, KEPT(lease6.id.iaid), 0 },
	{ "server", DUID, false, KEPT(lease6.lease.server), 0 },
	{ 0 },
};

int net_kept_save(int run, const char *path, const void *data, size_t len,
		  struct nbd_diag *d)
{
	int rc = run < 0 ? run : file_replace(run, path, data, len);

	return rc ? nbd_diag(d, NBD_E_IO, "write /run/%s: %s", path,
			     run < 0 ? nbd_err_text(run) : strerror(errno))
		  : NBD_OK;
}

/* ---- write ---- */

static uint64_t number(const struct field *f, const char *p)
{
	uint64_t wide;
	uint32_t n;

	if (f->kind == WIDE)
		return memcpy(&wide, p, sizeof(wide)), wide;
	memcpy(&n, p, sizeof(n));
	return n;
}

static void put_duid(struct nbd_out *o, const char *p)
{
	struct duid6 duid;

	memcpy(&duid, p, sizeof(duid));
	for (unsigned i = 0; i < duid.len; i++)
		nbd_putf(o, "%02x", duid.p[i]);
}

static void put(struct nbd_out *o, const struct field *f,
		const struct net_kept *k)
{
	const char *p = (const char *)k + f->at;

	nbd_putf(o, "%s=", f->name);
	if (f->kind == TEXT)
		nbd_putf(o, "%s", p);
	else if (f->kind == DUID)
		put_duid(o, p);
	else if (f->kind == IP4 || f->kind == IP6)
		nbd_put_ip(o, ((const struct nbd_ip *)(const void *)p)->ip,
			   f->kind == IP4 ? 4 : 16);
	else
		nbd_putf(o, "%llu", (unsigned long long)number(f, p));
	nbd_put(o, "\n", 1);
}

int net_kept_write(int run, const struct net_state *s, const struct dhcp *dhcp,
		   struct nbd_diag *d)
{
	const struct field *f = s->lease6 ? fields6 : fields4;
	struct net_kept k = { .index = s->index };
	const char *path = &KEPT_STATE[sizeof("/run")];
	char text[TEXT_MAX];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	if (!s->dhcp && !s->lease6) {
		unlinkat(run, path, 0);
		return NBD_OK;
	}
	memcpy(k.name, s->name, sizeof(k.name));
	k.local = s->local;
	if (s->lease6)
		k.lease6 = *s->lease6;
	else
		k.dhcp = *dhcp;
	for (; f->name; f++)
		put(&o, f, &k);
	return net_kept_save(run, path, text, o.len, d);
}

/* ---- read ---- */

static bool take_duid(const char *p, const char *end, struct duid6 *duid)
{
	for (; end - p >= 2 && duid->len < DUID6_MAX; p += 2) {
		int byte = nbd_hex_byte(p);

		if (byte < 0)
			return false;
		duid->p[duid->len++] = (uint8_t)byte;
	}
	return p == end;
}

static bool take_number(const char *p, const char *end, const struct field *f,
			char *to)
{
	uint64_t n;
	uint32_t small;

	if (!nbd_take_number(&p, end, f->kind == WIDE ? UINT64_MAX : UINT32_MAX,
			     &n) ||
	    p != end)
		return false;
	small = (uint32_t)n;
	if (f->kind == WIDE)
		memcpy(to, &n, sizeof(n));
	else
		memcpy(to, &small, sizeof(small));
	return true;
}

/* Takes the value between p and end, which is a NUL in the file's text. */
static bool take(const char *p, const char *end, const struct field *f,
		 struct net_kept *k)
{
	char *to = (char *)k + f->at;
	struct duid6 duid = { 0 };
	struct nbd_ip ip;

	switch (f->kind) {
	case TEXT:
		if (end - p >= f->size)
			return false;
		memcpy(to, p, (size_t)(end - p) + 1);
		return true;
	case IP4:
	case IP6:
		if (!nbd_ip_parse(&ip, p) ||
		    ip.len != (f->kind == IP4 ? 4 : 16))
			return false;
		/* 0.0.0.0 is a server that did not name itself */
		ip = nbd_ip_nonzero(ip.ip, ip.len);
		memcpy(to, &ip, sizeof(ip));
		return true;
	case DUID:
		if (!take_duid(p, end, &duid))
			return false;
		memcpy(to, &duid, sizeof(duid));
		return true;
	default:
		return take_number(p, end, f, to);
	}
}

/* Finds the line NAME=VALUE, and ends it with a NUL; NULL: there is none. */
static char *value_of(char *text, const char *name, char **end)
{
	size_t len = strlen(name);

	for (char *p = text; *p; p = *end + 1) {
		*end = p + strcspn(p, "\n");
		if (!**end) /* cut */
			return NULL;
		if (!strncmp(p, name, len) && p[len] == '=')
			return &p[len + 1];
	}
	return NULL;
}

/* As boot_dhcp_parse() and boot_lease6_parse() leave them. */
static bool in_order(uint32_t t1, uint32_t t2)
{
	return t1 && t1 <= t2;
}

static bool parse(char *text, struct net_kept *k)
{
	char *end, *p;
	bool six = value_of(text, "dhcp6", &end);

	memset(k, 0, sizeof(*k));
	for (const struct field *f = six ? fields6 : fields4; f->name; f++) {
		p = value_of(text, f->name, &end);
		if (!p && !f->needed)
			continue;
		if (!p)
			return false;
		*end = '\0';
		if (!take(p, end, f, k))
			return false;
		*end = '\n';
	}
	k->lease6.lease.has = six;
	if (six)
		k->lease6.state = LEASE6_BOUND;
	else
		k->dhcp.state = DHCP_BOUND;
	if (six)
		return net_lease6_begun(&k->lease6) &&
		       in_order(k->lease6.lease.t1, k->lease6.lease.t2);
	return in_order(k->dhcp.lease.t1, k->dhcp.lease.t2);
}

int net_kept_read(int run, struct net_kept *k, struct nbd_diag *d)
{
	char text[TEXT_MAX];
	int n = file_read(run, &KEPT_STATE[sizeof("/run")], text, sizeof(text));

	if (n >= 0 && parse(text, k))
		return NBD_OK;
	return nbd_diag(d, NBD_E_NOT_FOUND, KEPT_STATE ": %s",
			n < 0 ? strerror(errno)
			      : "it has no lease that can be "
				"read");
}

struct nbd_ip net_kept_addr(const struct net_kept *k)
{
	return net_lease6_begun(&k->lease6) ? k->lease6.lease.addr
					    : k->dhcp.lease.addr;
}

uint64_t net_kept_bound(const struct net_kept *k)
{
	return net_lease6_begun(&k->lease6) ? k->lease6.bound : k->dhcp.bound;
}

uint32_t net_kept_seconds(const struct net_kept *k)
{
	return net_lease6_begun(&k->lease6) ? k->lease6.lease.valid
					    : k->dhcp.lease.seconds;
}
