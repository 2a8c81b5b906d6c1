/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec of DHCPv6 with addresses. */
#include "boot/words/lease6_msg.h"

#include <string.h>

#include "boot/words/option6.h"
#include "core/nbd_uri.h"
#include "port/port.h"

#define HEAD	    OPTION6_HEAD
#define IA_HEAD	    12
#define ADDR_HEAD   24
/* s between two renewals at least. */
#define RENEW_LEAST 60

static const uint8_t ask_for[] = { 0,	DNS, 0,		 DOMAINS, 0,
				   URL, 0,   PARAMETERS, 0,	  SOL_MAX_RT };

/* ---- who we are ---- */

void boot_lease6_id(struct lease6_id *id, const uint8_t mac[6])
{
	memset(id, 0, sizeof(*id));
	id->duid.len = DUID_LL;
	duid_ll(id->duid.p, mac);
	id->iaid = be32(mac + 2);
}

/* Zeros, ones, and what boards have whose maker left the sample. */
static bool is_shared(const uint8_t uuid[16])
{
	static const uint8_t sample[16] = { 3, 0, 2, 0, 4, 0, 5, 0,
					    0, 6, 0, 7, 0, 8, 0, 9 };
	unsigned i = 1;

	while (i < 16 && uuid[i] == uuid[0])
		i++;
	return i == 16 || !memcmp(uuid, sample, sizeof(sample));
}

bool boot_lease6_uuid(struct lease6_id *id, const char *uuid)
{
	uint8_t bytes[16];
	unsigned n = 0;

	for (; n < 16; n++, uuid += 2) {
		int byte;

		/* 8-4-4-4-12 */
		if ((n == 4 || n == 6 || n == 8 || n == 10) && *uuid++ != '-')
			return false;
		byte = nbd_hex_byte(uuid);
		if (byte < 0)
			return false;
		bytes[n] = (uint8_t)byte;
	}
	if (*uuid || is_shared(bytes))
		return false;
	id->duid.len = 2 + sizeof(bytes);
	memcpy(id->duid.p, "\0\4", 2);
	memcpy(id->duid.p + 2, bytes, sizeof(bytes));
	return true;
}

/* ---- writing ---- */

/* The times are 0: a hint that we do not give. */
static uint8_t *put_ia(uint8_t *p, uint32_t iaid, const struct nbd_ip *addr)
{
	p = option6_head(p, IA_NA, IA_HEAD + (addr ? HEAD + ADDR_HEAD : 0));
	memset(p, 0, IA_HEAD);
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(iaid >> (24 - 8 * i));
	p += IA_HEAD;
	if (!addr)
		return p;
	p = option6_head(p, IA_ADDRESS, ADDR_HEAD);
	memset(p, 0, ADDR_HEAD);
	memcpy(p, addr->ip, 16);
	return p + ADDR_HEAD;
}

size_t boot_lease6_build(uint8_t buf[LEASE6_MAX], const struct lease6_query *q)
{
	const uint8_t time[2] = { (uint8_t)(q->elapsed >> 8),
				  (uint8_t)q->elapsed };
	uint8_t *p = buf + HEAD;

	buf[0] = (uint8_t)q->type;
	buf[1] = (uint8_t)(q->xid >> 16);
	buf[2] = (uint8_t)(q->xid >> 8);
	buf[3] = (uint8_t)q->xid;
	p = option6_put(p, CLIENT_ID, q->id->duid.p, q->id->duid.len);
	if (q->server)
		p = option6_put(p, SERVER_ID, q->server->p, q->server->len);
	p = option6_put(p, ELAPSED, time, sizeof(time));
	p = put_ia(p, q->id->iaid, q->addr);
	if (q->type == LEASE6_SOLICIT)
		p = option6_put(p, RAPID_COMMIT, "", 0);
	if (q->type == LEASE6_CONFIRM || q->type >= LEASE6_RELEASE)
		return (size_t)(p - buf);
	p = option6_put(p, ASK_FOR, ask_for, sizeof(ask_for));
	return (size_t)(option6_vendor(p) - buf);
}

/* ---- reading ---- */

/* What is still to be read of a message, or of an option with options. */
struct rest {
	const uint8_t *p;
	size_t len;
};

struct option {
	unsigned code;
	const uint8_t *p;
	size_t len;
};

/* 1, or 0 at the end, or -1: it extends beyond that. */
static int next(struct rest *r, struct option *o)
{
	if (!r->len)
		return 0;
	if (r->len < HEAD || be16(r->p + 2) > r->len - HEAD)
		return -1;
	*o = (struct option){ be16(r->p), r->p + HEAD, be16(r->p + 2) };
	r->p += HEAD + o->len;
	r->len -= HEAD + o->len;
	return 1;
}

static bool read_status(const struct option *o, enum lease6_status *status)
{
	unsigned code = o->len < 2 ? 0 : be16(o->p);

	if (o->len < 2)
		return false;
	/* the first that is an error counts, from the outside in */
	if (!*status)
		*status = code > LEASE6_MULTICAST ? LEASE6_UNSPEC
						  : (enum lease6_status)code;
	return true;
}

/* The options of an IA_NA or of an address, of which only status counts. */
static bool only_status(const uint8_t *p, size_t len,
			enum lease6_status *status)
{
	struct rest r = { p, len };
	struct option o;
	int rc;

	while ((rc = next(&r, &o)) > 0)
		if (o.code == STATUS && !read_status(&o, status))
			return false;
	return !rc;
}

/* Not an address of one link, of this machine, of a group or of IPv4. */
static bool usable(const uint8_t a[16])
{
	static const uint8_t zeros[10];

	return a[0] != 0xff && (a[0] != 0xfe || (a[1] & 0xc0) != 0x80) &&
	       memcmp(a, zeros, sizeof(zeros)) != 0;
}

/* RFC 8415, 21.4: the server leaves T1 and T2 to us if they are 0. */
static void set_times(struct lease6_values *v, uint32_t t1, uint32_t t2)
{
	uint32_t base = v->preferred ? v->preferred : v->valid;
	uint32_t least = v->valid / 2 < RENEW_LEAST ? v->valid / 2
						    : RENEW_LEAST;
	bool ever = base == UINT32_MAX;

	v->t1 = t1 && t1 <= v->valid ? t1 : ever ? base : base / 2;
	v->t2 = t2 && t2 <= v->valid ? t2 : ever ? base : base - base / 5;
	if (v->t1 > v->t2)
		v->t1 = v->t2 / 2;
	if (v->t1 < least)
		v->t1 = least;
	if (!v->t1)
		v->t1 = 1;
	if (v->t2 < v->t1)
		v->t2 = v->t1;
}

static bool is_wanted(const uint8_t *p, const struct nbd_ip *want)
{
	return want && !memcmp(p, want->ip, 16);
}

/* False: malformed. */
static bool take_address(struct lease6_values *v, const struct option *o,
			 const struct nbd_ip *want)
{
	enum lease6_status status = LEASE6_SUCCESS;
	uint32_t preferred, valid;

	if (o->len < ADDR_HEAD ||
	    !only_status(o->p + ADDR_HEAD, o->len - ADDR_HEAD, &status))
		return false;
	preferred = be32(o->p + 16);
	valid = be32(o->p + 20);
	if (preferred > valid || !usable(o->p) ||
	    (v->has && !is_wanted(o->p, want)))
		return true;
	/* the reason, in case that there is no other address */
	if (status) {
		if (!v->has && !v->status)
			v->status = status;
		return true;
	}
	/* times of 0 withdraw the address: for one that we do not have, no */
	if (!valid && !is_wanted(o->p, want))
		return true;
	v->has = true;
	v->status = LEASE6_SUCCESS;
	v->addr = nbd_ip_of(o->p, 16);
	v->preferred = preferred;
	v->valid = valid;
	return true;
}

/* False: malformed. */
static bool take_ia(struct lease6_values *v, const struct option *ia,
		    uint32_t iaid, const struct nbd_ip *want)
{
	enum lease6_status status = LEASE6_SUCCESS;
	struct rest r;
	uint32_t t1, t2;
	struct option o;
	int rc;

	if (ia->len < IA_HEAD)
		return false;
	r = (struct rest){ ia->p + IA_HEAD, ia->len - IA_HEAD };
	t1 = be32(ia->p + 4);
	t2 = be32(ia->p + 8);
	/* RFC 8415, 21.4: then it must be ignored */
	if (be32(ia->p) != iaid || (t1 > t2 && t2) || v->has)
		return true;
	while ((rc = next(&r, &o)) > 0) {
		if (o.code == IA_ADDRESS && !take_address(v, &o, want))
			return false;
		if (o.code == STATUS && !read_status(&o, &status))
			return false;
	}
	if (status)
		v->status = status;
	v->has = v->has && !status;
	if (v->has)
		set_times(v, t1, t2);
	return !rc;
}

struct reading {
	const struct lease6_id *id;
	const struct nbd_ip *want;
	struct lease6_values *v;
	struct option parameters;
	enum lease6_status status; /* of the message */
	bool ours;
};

static bool take_server(struct duid6 *server, const struct option *o)
{
	/* a type of 2 bytes, and something that differs by server */
	if (server->len || o->len < 3 || o->len > DUID6_MAX)
		return false;
	server->len = (uint8_t)o->len;
	memcpy(server->p, o->p, o->len);
	return true;
}

/* False: the message is malformed, or not for us. */
static bool take(struct reading *r, const struct option *o)
{
	const struct duid6 *duid = &r->id->duid;
	struct lease6_values *v = r->v;

	switch (o->code) {
	case CLIENT_ID:
		if (r->ours || o->len != duid->len ||
		    memcmp(o->p, duid->p, duid->len) != 0)
			return false;
		r->ours = true;
		return true;
	case SERVER_ID:
		return take_server(&v->server, o);
	case PREFERENCE:
		if (o->len == 1)
			v->preference = o->p[0];
		return true;
	case STATUS:
		return read_status(o, &r->status);
	case RAPID_COMMIT:
		v->rapid = !o->len;
		return true;
	case IA_NA:
		return take_ia(v, o, r->id->iaid, r->want);
	case PARAMETERS:
		if (!r->parameters.len)
			r->parameters = *o;
		return true;
	default:
		boot_dhcp6_config(&v->config, o->code, o->p, o->len);
		return true;
	}
}

int boot_lease6_parse(const uint8_t *p, size_t len, uint32_t xid,
		      const struct lease6_id *id, const struct nbd_ip *want,
		      struct lease6_values *v)
{
	struct reading r = { .id = id, .want = want, .v = v };
	struct rest rest;
	struct option o;
	int rc;

	memset(v, 0, sizeof(*v));
	if (len < HEAD || (p[0] != LEASE6_ADVERTISE && p[0] != LEASE6_REPLY) ||
	    (be32(p) & 0xffffff) != xid)
		return 0;
	rest = (struct rest){ p + HEAD, len - HEAD };
	while ((rc = next(&rest, &o)) > 0)
		if (!take(&r, &o))
			return 0;
	if (rc || !r.ours || !v->server.len)
		return 0;
	if (r.status)
		v->status = r.status;
	v->has = v->has && !r.status;
	boot_dhcp6_parameters(&v->config, r.parameters.p, r.parameters.len);
	return p[0];
}
