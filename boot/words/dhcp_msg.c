/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec of DHCPv4: a table of the options that are read. */
#include "boot/words/dhcp_msg.h"

#include <string.h>

#include "boot/words/ip.h"
#include "core/be.h"

/* Offsets in the header. */
enum {
	OP,
	HTYPE,
	HLEN,
	XID = 4,
	SECS = 8,
	FLAGS = 10,
	CIADDR = 12,
	YIADDR = 16,
	SIADDR = 20,
	CHADDR = 28,
	SNAME = 44,
	BOOTFILE = 108,
	COOKIE = 236,
	OPTIONS = 240,
	LEAST = 300
};

enum {
	PAD = 0,
	MASK = 1,
	ROUTER = 3,
	DNS = 6,
	HOST = 12,
	DOMAIN = 15,
	ROOT_PATH = 17,
	MTU = 26,
	WANTED = 50,
	SECONDS = 51,
	OVERLOAD = 52,
	TYPE = 53,
	SERVER = 54,
	ASK_FOR = 55,
	MAX_SIZE = 57,
	T1 = 58,
	T2 = 59,
	VENDOR_CLASS = 60,
	CLIENT_ID = 61,
	SEARCH = 119,
	ROUTES = 121,
	OTHER_ROUTES = 249, /* the same, in Windows before 2008 */
	END = 255
};

/* s: of a lease of 0 s, and between two renewals. */
#define LEASE_SECONDS 3600
#define RENEW_LEAST   60
#define MTU_LEAST     576

static const uint8_t cookie[4] = { 99, 130, 83, 99 };

/* 121 comes before 3, as RFC 3442 demands. */
static const uint8_t ask_for[] = { ASK_FOR, 13,	     MASK,	  ROUTES,
				   ROUTER,  DNS,     HOST,	  DOMAIN,
				   MTU,	    SECONDS, T1,	  ROOT_PATH,
				   T2,	    SEARCH,  OTHER_ROUTES };

/* The values as sent. */
struct raw {
	uint8_t mask[4], router[4], dns[4 * DHCP_DNS], seconds[4], type[1],
		server[4];
	uint8_t t1[4], t2[4], mtu[2], overload[1];
	uint8_t host[255], search[512], root_path[512];
	uint8_t domain[255];
	uint8_t routes[DHCP_ROUTES], other_routes[DHCP_ROUTES];
};

/* What the length of an option may be: its cap, times of 4, any. */
enum kind { EXACT, ADDRESSES, ANY };

static const struct option {
	uint8_t code, kind;
	uint16_t at, cap;
} options[] = {
#define OPTION(code, kind, field)                        \
	{                                                \
		code, kind, offsetof(struct raw, field), \
			sizeof(((struct raw *)0)->field) \
	}
	OPTION(MASK, EXACT, mask),
	OPTION(ROUTER, ADDRESSES, router),
	OPTION(DNS, ADDRESSES, dns),
	OPTION(HOST, ANY, host),
	OPTION(DOMAIN, ANY, domain),
	OPTION(SEARCH, ANY, search),
	OPTION(ROOT_PATH, ANY, root_path),
	OPTION(MTU, EXACT, mtu),
	OPTION(SECONDS, EXACT, seconds),
	OPTION(OVERLOAD, EXACT, overload),
	OPTION(TYPE, EXACT, type),
	OPTION(SERVER, EXACT, server),
	OPTION(T1, EXACT, t1),
	OPTION(T2, EXACT, t2),
	OPTION(ROUTES, ANY, routes),
	OPTION(OTHER_ROUTES, ANY, other_routes),
};
#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

static unsigned place(unsigned code)
{
	unsigned i = 0;

	while (i < N_OPTIONS && options[i].code != code)
		i++;
	return i;
}

struct reading {
	struct raw raw;
	uint16_t len[N_OPTIONS];
	bool cut[N_OPTIONS]; /* there was more of it than fits */
};

/* ---- writing ---- */

static uint8_t *put(uint8_t *p, unsigned code, const void *data, size_t len)
{
	p[0] = (uint8_t)code;
	p[1] = (uint8_t)len;
	memcpy(p + 2, data, len);
	return p + 2 + len;
}

size_t boot_dhcp_build(uint8_t buf[DHCP_MAX], const struct dhcp_query *q)
{
	unsigned max = q->max > DHCP_MAX ? q->max : DHCP_MAX;
	uint8_t max_size[2];
	uint8_t *p = buf + OPTIONS, id[7] = { 1 };
	const uint8_t type = (uint8_t)q->type;

	put16(max_size, (uint16_t)max);
	memset(buf, 0, DHCP_MAX);
	buf[OP] = buf[HTYPE] = 1;
	buf[HLEN] = sizeof(q->mac);
	put32(buf + XID, q->xid);
	put16(buf + SECS, q->secs);
	buf[FLAGS] = q->broadcast ? 0x80 : 0;
	if (q->renew)
		memcpy(buf + CIADDR, q->ours->addr.ip, 4);
	memcpy(buf + CHADDR, q->mac, sizeof(q->mac));
	memcpy(buf + COOKIE, cookie, sizeof(cookie));
	memcpy(id + 1, q->mac, sizeof(q->mac));
	p = put(p, TYPE, &type, 1);
	/* the same id as the firmware and the real system's client send */
	p = put(p, CLIENT_ID, id, sizeof(id));
	p = put(p, VENDOR_CLASS, "nbdboot", 7);
	p = put(p, MAX_SIZE, max_size, 2);
	if (q->ours && !q->renew)
		p = put(p, WANTED, q->ours->addr.ip, 4);
	if (q->ours && !q->renew && q->type == DHCP_REQUEST)
		p = put(p, SERVER, q->ours->server.ip, 4);
	if (q->host[0])
		p = put(p, HOST, q->host, strlen(q->host));
	memcpy(p, ask_for, sizeof(ask_for));
	p += sizeof(ask_for);
	*p++ = END;
	return p - buf < LEAST ? LEAST : (size_t)(p - buf);
}

/* ---- reading ---- */

static void take(struct reading *r, unsigned code, const uint8_t *p,
		 unsigned len)
{
	const struct option *o;
	unsigned i = place(code), room;

	if (i == N_OPTIONS)
		return;
	o = &options[i];
	room = (unsigned)o->cap - r->len[i];
	if (len > room) {
		r->cut[i] = true;
		len = room;
	}
	memcpy((uint8_t *)&r->raw + o->at + r->len[i], p, len);
	r->len[i] = (uint16_t)(r->len[i] + len);
}

/* False if an option extends beyond the field. */
static bool read_options(struct reading *r, const uint8_t *p, size_t len)
{
	while (len && *p != END) {
		size_t n;

		if (*p == PAD) {
			p++;
			len--;
			continue;
		}
		if (len < 2 || p[1] > len - 2)
			return false;
		take(r, p[0], p + 2, p[1]);
		n = 2u + p[1];
		p += n;
		len -= n;
	}
	return true;
}

static bool has(const struct reading *r, unsigned code)
{
	unsigned i = place(code);

	return r->len[i] == options[i].cap &&
	       (options[i].kind != EXACT || !r->cut[i]);
}

static bool is_name(unsigned c)
{
	return boot_domains_char(c) || c == '.';
}

/* The value of a text, without the NUL that some servers count; its length. */
static unsigned text_of(const struct reading *r, unsigned code,
			const uint8_t **p)
{
	unsigned i = place(code), n = r->len[i];

	*p = (const uint8_t *)&r->raw + options[i].at;
	while (n && !(*p)[n - 1])
		n--;
	return n;
}

/*
 * Copies a text of letters, digits, '-', '.', '_' (name) or of printable ASCII.
 * False, and "": it has any other character, or is too long.
 */
static bool read_text(const struct reading *r, unsigned code, char *to,
		      bool name)
{
	const uint8_t *p;
	unsigned n = text_of(r, code, &p), at;

	if (r->cut[place(code)])
		return false;
	for (at = 0; at < n; at++)
		if (name ? !is_name(p[at]) : p[at] < ' ' || p[at] > '~')
			return false;
	memcpy(to, p, n);
	to[n] = '\0';
	return true;
}

/*
 * Copies the names of a list with blanks or commas; option 15 has one by RFC
 * 2132, but is used for several.  False: some were left out, or one is cut.
 */
static bool read_names(const struct reading *r, unsigned code, char *to)
{
	const uint8_t *p;
	unsigned n = text_of(r, code, &p), at, len;
	bool cut = r->cut[place(code)], all = !cut;
	char *begin = to;

	for (; n; n -= at, p += at) {
		for (len = 0; len < n && is_name(p[len]);)
			len++;
		for (at = len; at < n && p[at] != ' ' && p[at] != ',';)
			at++;
		if (at == n && cut)
			break;
		all &= len == at;
		if (len && len == at) {
			if (to > begin)
				*to++ = ' ';
			memcpy(to, p, len);
			to += len;
		}
		at += at < n;
	}
	*to = '\0';
	return all;
}

/* A time; one that is not given, or 0, which no client can keep, is `other`. */
static uint32_t read_time(const struct reading *r, unsigned code,
			  const uint8_t value[4], uint32_t other)
{
	return has(r, code) && be32(value) ? be32(value) : other;
}

/* RFC 2131, 4.4.5, and at most one renewal a minute if the lease is longer. */
static void read_times(const struct reading *r, struct dhcp_lease *l)
{
	bool given = has(r, SECONDS);
	uint32_t least;

	l->seconds = read_time(r, SECONDS, r->raw.seconds,
			       given ? LEASE_SECONDS : UINT32_MAX);
	least = l->seconds / 2 < RENEW_LEAST ? l->seconds / 2 : RENEW_LEAST;
	l->t1 = read_time(r, T1, r->raw.t1, l->seconds / 2);
	l->t2 = read_time(r, T2, r->raw.t2, l->seconds - l->seconds / 8);
	if (l->t2 > l->seconds)
		l->t2 = l->seconds - l->seconds / 8;
	if (l->t1 > l->t2)
		l->t1 = l->t2 / 2;
	if (l->t1 < least)
		l->t1 = least;
	if (!l->t1)
		l->t1 = 1;
	if (l->t2 < l->t1)
		l->t2 = l->t1;
}

/* Those before one that is malformed, or that does not fit; false: some. */
static bool read_routes(const struct reading *r, unsigned code,
			struct dhcp_lease *l)
{
	struct dhcp_route route;
	unsigned at = 0, i = place(code);
	bool all;

	l->route_bytes = r->len[i];
	memcpy(l->routes, (const uint8_t *)&r->raw + options[i].at,
	       sizeof(l->routes));
	while (boot_dhcp_route(l, &at, &route))
		;
	all = at == l->route_bytes && !r->cut[i];
	l->route_bytes = (uint16_t)at;
	return all;
}

/* An option of a wrong length; of several addresses the whole ones count. */
static bool has_wrong_length(const struct reading *r)
{
	for (unsigned i = 0; i < N_OPTIONS; i++)
		if ((options[i].kind == EXACT && r->len[i] &&
		     !has(r, options[i].code)) ||
		    (options[i].kind == ADDRESSES && r->len[i] % 4))
			return true;
	return false;
}

const char *boot_dhcp_left(const struct dhcp_lease *l, unsigned *at)
{
	static const char *const texts[] = {
		"the host name (12): it has other characters than a name",
		"the root-path (17): more than 512 bytes, or not ASCII",
		"routes (121, 249): from one on that is malformed or too many",
		"DNS servers (6): there are more than 6",
		"domains (119, 15): malformed, or more than 255 bytes",
		("a mask, router, DNS server, MTU or time (1, 3, 6, 26, 51, "
		 "58, 59) that cannot be one"),
	};

	while (*at < sizeof(texts) / sizeof(*texts))
		if (l->left >> (*at)++ & 1)
			return texts[*at - 1];
	return NULL;
}

static void unless(bool taken, struct dhcp_lease *l, unsigned left)
{
	if (!taken)
		l->left |= (uint8_t)left;
}

static void read_addresses(const struct reading *r, struct dhcp_lease *l)
{
	int prefix = has(r, MASK) ? nbd_ip_mask(r->raw.mask) : -1;

	l->addr.prefix = (uint8_t)(prefix > 0 ? (unsigned)prefix
					      : boot_ip_class(l->addr.ip));
	unless(prefix > 0 || !has(r, MASK), l, DHCP_LEFT_VALUE);
	if (has(r, ROUTER))
		l->router = nbd_ip_nonzero(r->raw.router, 4);
	l->n_dns = (uint8_t)(r->len[place(DNS)] / 4);
	for (unsigned i = 0; i < l->n_dns; i++)
		l->dns[i] = nbd_ip_nonzero(r->raw.dns + 4 * i, 4);
	unless(!r->cut[place(DNS)], l, DHCP_LEFT_DNS);
	unless(read_routes(r, ROUTES, l), l, DHCP_LEFT_ROUTES);
	if (!l->route_bytes)
		unless(read_routes(r, OTHER_ROUTES, l), l, DHCP_LEFT_ROUTES);
}

static void read_names_of(const struct reading *r, struct dhcp_lease *l)
{
	char host[sizeof(r->raw.host) + 1] = "";
	unsigned search = place(SEARCH);

	unless(read_text(r, HOST, host, true), l, DHCP_LEFT_HOST);
	l->cut = boot_ip_host(l->host, host);
	unless(boot_domains_read(l->domain, r->raw.search, r->len[search],
				 true) &&
		       !r->cut[search],
	       l, DHCP_LEFT_NAMES);
	if (!l->domain[0])
		unless(read_names(r, DOMAIN, l->domain), l, DHCP_LEFT_NAMES);
	unless(read_text(r, ROOT_PATH, l->root_path, false), l, DHCP_LEFT_PATH);
}

static void read_lease(const struct reading *r, struct dhcp_lease *l)
{
	unsigned mtu = has(r, MTU) ? be16(r->raw.mtu) : 0;

	read_addresses(r, l);
	read_names_of(r, l);
	read_times(r, l);
	unless(!has_wrong_length(r), l, DHCP_LEFT_VALUE);
	if (mtu >= MTU_LEAST)
		l->mtu = (uint16_t)mtu;
	else
		unless(!has(r, MTU), l, DHCP_LEFT_VALUE);
}

/* False for 0.x, loopback, multicast and above. */
static bool usable(const uint8_t a[4])
{
	return a[0] && a[0] != 127 && a[0] < 224;
}

int boot_dhcp_parse(const uint8_t *p, size_t len, uint32_t xid,
		    const uint8_t mac[6], struct dhcp_lease *l)
{
	struct reading r;
	unsigned where;

	memset(l, 0, sizeof(*l));
	memset(&r, 0, sizeof(r));
	if (len < OPTIONS || p[OP] != 2 || be32(p + XID) != xid ||
	    memcmp(p + CHADDR, mac, 6) != 0 || memcmp(p + COOKIE, cookie, 4) ||
	    !read_options(&r, p + OPTIONS, len - OPTIONS))
		return 0;
	where = has(&r, OVERLOAD) ? r.raw.overload[0] : 0;
	if (((where & 1) &&
	     !read_options(&r, p + BOOTFILE, COOKIE - BOOTFILE)) ||
	    ((where & 2) && !read_options(&r, p + SNAME, BOOTFILE - SNAME)))
		return 0;
	if (!has(&r, TYPE) || (!has(&r, SERVER) && r.raw.type[0] != DHCP_ACK))
		return 0;
	l->server = nbd_ip_nonzero(r.raw.server, 4);
	if (r.raw.type[0] == DHCP_NAK)
		return DHCP_NAK;
	if (r.raw.type[0] == DHCP_OFFER && !be32(p + YIADDR))
		return DHCP_PROXY;
	if ((r.raw.type[0] != DHCP_OFFER && r.raw.type[0] != DHCP_ACK) ||
	    !usable(p + YIADDR))
		return 0;
	l->addr = nbd_ip_of(p + YIADDR, 4);
	/* a server that names no other is meant itself */
	l->next = be32(p + SIADDR) ? nbd_ip_of(p + SIADDR, 4) : l->server;
	read_lease(&r, l);
	return r.raw.type[0];
}

bool boot_dhcp_route(const struct dhcp_lease *l, unsigned *at,
		     struct dhcp_route *r)
{
	const uint8_t *p = l->routes + *at;
	unsigned left = l->route_bytes - *at, n;

	if (!left || *p > 32)
		return false;
	n = (*p + 7u) / 8;
	if (left < 5 + n)
		return false;
	r->to = (struct nbd_ip){ .len = 4, .prefix = *p };
	memcpy(r->to.ip, p + 1, n);
	/* RFC 3442: the client clears what is behind the prefix */
	if (*p % 8)
		r->to.ip[n - 1] &= (unsigned char)(0xff00 >> *p % 8);
	r->via = nbd_ip_nonzero(p + 1 + n, 4);
	*at += 5 + n;
	return true;
}
