/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The states of a DHCPv6 client: a table, and the transitions between its rows.
 */
#include "boot/net/lease6.h"

#include <string.h>

#include "boot/net/grace.h"
#include "core/nbd_uri.h"
#include "port/retry.h"

/* ms: SOL_MAX_DELAY and CNF_MAX_DELAY (RFC 8415, 7.6). */
#define DELAY_MS 1000
/* Solicits before an advertisement without the needed root-path is taken. */
#define PATIENCE 2
/* Refusals after which the pause does not get longer: 16 s. */
#define REFUSALS 6
/* A preference for which nobody waits for another server. */
#define BEST	 255
/* A score, see score(). */
#define GOOD	 257u

/* Handles a reply; true if the state has changed. */
typedef bool receive(struct lease6 *lease6, const struct lease6_values *v,
		     uint64_t now);

static receive advertised, rapid, requested, declined, renewed, confirmed,
	released;

/*
 * BOUND and LOST send and receive nothing.  The address stays in use after the
 * end of its lease, because the root depends on it.
 */
static const struct row {
	enum lease6_type send; /* 0: nothing */
	/* IRT and MRT of RFC 8415, 7.6, in ms; 0: no limit */
	uint32_t timeout, longest;
	unsigned tries;	   /* messages before `next`; 0: no limit */
	uint32_t duration; /* ms until `next`; 0: no limit */
	enum lease6_state next;
	bool server; /* only that of the lease is asked, and may answer */
	receive *advertise, *reply;
} rows[] = {
	[LEASE6_SOLICITING] = { .send = LEASE6_SOLICIT,
				.timeout = 1000,
				.longest = 3600000,
				.advertise = advertised,
				.reply = rapid },
	/* RFC 8415 has 10 tries, 2 minutes: another server may be better */
	[LEASE6_REQUESTING] = { .send = LEASE6_REQUEST,
				.timeout = 1000,
				.longest = 30000,
				.tries = 4,
				.next = LEASE6_SOLICITING,
				.server = true,
				.reply = requested },
	[LEASE6_DECLINING] = { .send = LEASE6_DECLINE,
			       .timeout = 1000,
			       .tries = 4,
			       .next = LEASE6_SOLICITING,
			       .server = true,
			       .reply = declined },
	[LEASE6_BOUND] = { 0 },
	/* until T2, and until the end of the lease: see is_over() */
	[LEASE6_RENEWING] = { .send = LEASE6_RENEW,
			      .timeout = 10000,
			      .longest = 600000,
			      .next = LEASE6_REBINDING,
			      .server = true,
			      .reply = renewed },
	[LEASE6_REBINDING] = { .send = LEASE6_REBIND,
			       .timeout = 10000,
			       .longest = 600000,
			       .next = LEASE6_SOLICITING,
			       .reply = renewed },
	[LEASE6_CONFIRMING] = { .send = LEASE6_CONFIRM,
				.timeout = 1000,
				.longest = 4000,
				.duration = 10000,
				.next = LEASE6_BOUND,
				.reply = confirmed },
	[LEASE6_RELEASING] = { .send = LEASE6_RELEASE,
			       .timeout = 1000,
			       .tries = 2,
			       .next = LEASE6_LOST,
			       .server = true,
			       .reply = released },
	[LEASE6_LOST] = { 0 },
};

static bool enter(struct lease6 *lease6, enum lease6_state state, uint64_t due)
{
	lease6->state = state;
	lease6->tries = 0;
	lease6->due = rows[state].send ? due : UINT64_MAX;
	lease6->xid = nbd_retry_random(&lease6->random);
	if (state == LEASE6_SOLICITING)
		lease6->offered = lease6->again = false;
	return true;
}

static void begin(struct lease6 *lease6, enum lease6_state state, uint32_t seed,
		  uint64_t due)
{
	lease6->random = seed;
	lease6->other = lease6->moved = lease6->again = false;
	lease6->refused = LEASE6_SUCCESS;
	lease6->refusals = 0;
	/* what another server did not confirm is still of this one */
	if (lease6->giver.len)
		lease6->lease.server = lease6->giver;
	enter(lease6, state, due);
}

static uint64_t delayed(struct lease6 *lease6, uint64_t now)
{
	return now + nbd_retry_random(&lease6->random) % (DELAY_MS + 1);
}

void net_lease6_start(struct lease6 *lease6, const struct lease6_id *id,
		      uint32_t seed, uint64_t now)
{
	memset(lease6, 0, sizeof(*lease6));
	lease6->id = *id;
	begin(lease6, LEASE6_SOLICITING, seed, now);
	lease6->due = delayed(lease6, now);
}

void net_lease6_renewal(struct lease6 *lease6, uint32_t seed, uint64_t now)
{
	begin(lease6, LEASE6_RENEWING, seed, now);
	lease6->in_use = true;
}

void net_lease6_confirm(struct lease6 *lease6, uint32_t seed, uint64_t now)
{
	begin(lease6, LEASE6_CONFIRMING, seed, now);
	lease6->in_use = true;
	lease6->due = delayed(lease6, now);
}

void net_lease6_release(struct lease6 *lease6, uint32_t seed, uint64_t now)
{
	begin(lease6, LEASE6_RELEASING, seed, now);
}

void net_lease6_decline(struct lease6 *lease6, uint64_t now)
{
	enter(lease6, LEASE6_DECLINING, now);
}

/* ---- sending ---- */

/*
 * RT = 2 * RTprev + RAND * RTprev, and RAND is from -0.1 to 0.1; for the first
 * Solicit it is above 0, so that a server has the whole second (RFC 8415, 15 and
 * 18.2.1).
 */
static uint32_t next_timeout(struct lease6 *lease6, const struct row *r)
{
	uint32_t before = lease6->tries ? lease6->timeout : r->timeout;
	uint32_t base = lease6->tries ? before * 2 : before, tenth;

	if (r->longest && base > r->longest)
		base = before = r->longest;
	tenth = before / 10;
	if (!lease6->tries && r->send == LEASE6_SOLICIT)
		return base + 1 + nbd_retry_random(&lease6->random) % tenth;
	return base - tenth +
	       nbd_retry_random(&lease6->random) % (tenth * 2 + 1);
}

static bool is_over(const struct lease6 *lease6, const struct row *r,
		    uint64_t now)
{
	uint64_t age = (now - lease6->bound) / 1000;

	if (lease6->state == LEASE6_RENEWING)
		return age >= lease6->lease.t2;
	if (lease6->state == LEASE6_REBINDING)
		return lease6->lease.valid != UINT32_MAX &&
		       age >= (uint64_t)lease6->lease.valid + NET_GRACE_S;
	if (r->duration)
		return lease6->tries && now - lease6->first >= r->duration;
	return r->tries && lease6->tries >= r->tries;
}

static bool same_server(const struct duid6 *a, const struct duid6 *b)
{
	return a->len == b->len && !memcmp(a->p, b->p, b->len);
}

/* An advertisement below GOOD is taken when others had their time. */
static unsigned score(const struct lease6 *lease6,
		      const struct lease6_values *v)
{
	/* it may be the fastest of several, or of the highest preference */
	if (same_server(&v->server, &lease6->broke))
		return 0;
	return (lease6->need_path && !nbd_is_uri(v->config.url) ? 1 : GOOD) +
	       v->preference;
}

/* A server that did not answer a Request while the address is in use. */
static enum lease6_state next_of(const struct lease6 *lease6,
				 const struct row *r)
{
	return lease6->state == LEASE6_REQUESTING && lease6->in_use
		       ? LEASE6_REBINDING
		       : r->next;
}

/* The address that is asked for; NULL: any. */
static const struct nbd_ip *wanted(const struct lease6 *lease6)
{
	return lease6->in_use || lease6->state > LEASE6_SOLICITING
		       ? &lease6->lease.addr
		       : NULL;
}

static void advance(struct lease6 *lease6, uint64_t now)
{
	while (is_over(lease6, &rows[lease6->state], now)) {
		if (lease6->state == LEASE6_REQUESTING)
			lease6->broke = lease6->lease.server;
		enter(lease6, next_of(lease6, &rows[lease6->state]), now);
	}
	if (lease6->state == LEASE6_SOLICITING && lease6->offered &&
	    (score(lease6, &lease6->lease) >= GOOD ||
	     lease6->tries >= PATIENCE))
		enter(lease6, LEASE6_REQUESTING, now);
}

size_t net_lease6_send(struct lease6 *lease6, uint8_t buf[LEASE6_MAX],
		       uint64_t now)
{
	const struct row *r;
	struct lease6_query q = { .id = &lease6->id };
	uint64_t elapsed;

	advance(lease6, now);
	r = &rows[lease6->state];
	if (!r->send)
		return 0;
	if (!lease6->tries)
		lease6->first = now;
	elapsed = (now - lease6->first) / 10;
	q.type = r->send;
	q.xid = lease6->xid;
	q.elapsed = (uint16_t)(elapsed < UINT16_MAX ? elapsed : UINT16_MAX);
	q.server = r->server ? &lease6->lease.server : NULL;
	q.addr = wanted(lease6);
	lease6->timeout = next_timeout(lease6, r);
	lease6->due = now + lease6->timeout;
	if (r->duration && lease6->due > lease6->first + r->duration)
		lease6->due = lease6->first + r->duration;
	lease6->sent = now;
	lease6->tries++;
	return boot_lease6_build(buf, &q);
}

/* ---- receiving ---- */

static bool is_ours(const struct lease6 *lease6, const struct lease6_values *v)
{
	return v->has && nbd_ip_same(&v->addr, &lease6->lease.addr);
}

/*
 * The address cannot change while the root depends on it: another one is
 * ignored.
 */
static bool is_other(struct lease6 *lease6, const struct lease6_values *v)
{
	lease6->other = lease6->in_use && !is_ours(lease6, v);
	return lease6->other;
}

/* Without a reason a server offers nothing, or an address for 0 s. */
static enum lease6_status reason(const struct lease6_values *v)
{
	return v->status ? v->status : LEASE6_NO_ADDRS;
}

static bool advertised(struct lease6 *lease6, const struct lease6_values *v,
		       uint64_t now)
{
	if (!v->has) {
		lease6->refused = reason(v);
		return false;
	}
	if (lease6->in_use) {
		if (is_other(lease6, v))
			return false;
		/* its times count from the reply on */
		lease6->lease.server = v->server;
		return enter(lease6, LEASE6_REQUESTING, now);
	}
	if (!lease6->offered ||
	    score(lease6, v) > score(lease6, &lease6->lease))
		lease6->lease = *v;
	lease6->offered = true;
	/* after a long silence the pause is too long to wait for others */
	if (lease6->due > now + PATIENCE * UINT64_C(1000))
		lease6->due = now + PATIENCE * UINT64_C(1000);
	/* in the first second others may be better */
	if (score(lease6, &lease6->lease) < GOOD ||
	    (lease6->tries < 2 && lease6->lease.preference < BEST))
		return false;
	return enter(lease6, LEASE6_REQUESTING, now);
}

static bool bind_to(struct lease6 *lease6, const struct lease6_values *v)
{
	lease6->lease = *v;
	lease6->giver = v->server;
	lease6->bound = lease6->sent;
	lease6->refused = LEASE6_SUCCESS;
	lease6->other = lease6->moved = false;
	return enter(lease6, LEASE6_BOUND, 0);
}

static bool rapid(struct lease6 *lease6, const struct lease6_values *v,
		  uint64_t now)
{
	(void)now;
	if (!v->has)
		lease6->refused = reason(v);
	return v->rapid && v->has && v->valid && !is_other(lease6, v) &&
	       bind_to(lease6, v);
}

/*
 * A server that offers an address and then refuses it: its other answers come
 * after 1/4, 1/2 ... 16 s.
 */
static bool refuse(struct lease6 *lease6, uint64_t now)
{
	unsigned n = lease6->refusals < REFUSALS ? lease6->refusals : REFUSALS;

	if (lease6->again)
		return enter(lease6, LEASE6_LOST, 0);
	lease6->refusals++;
	return enter(lease6, LEASE6_SOLICITING, now + (UINT64_C(250) << n));
}

static bool requested(struct lease6 *lease6, const struct lease6_values *v,
		      uint64_t now)
{
	if (v->has && v->valid && (!lease6->in_use || is_ours(lease6, v)))
		return bind_to(lease6, v);
	lease6->refused = reason(v);
	/* it may be better next time */
	if (v->status == LEASE6_UNSPEC || v->status == LEASE6_MULTICAST)
		return false;
	lease6->other = v->has;
	/* once it may have been too slow for two machines */
	if (lease6->refusals)
		lease6->broke = v->server;
	return refuse(lease6, now);
}

/*
 * RFC 8415, 18.2.10.1.  The address cannot change while the root depends on it:
 * another one is ignored, and after T2 the other servers are asked.
 */
static bool renewed(struct lease6 *lease6, const struct lease6_values *v,
		    uint64_t now)
{
	if (is_ours(lease6, v))
		return v->valid ? bind_to(lease6, v)
				: enter(lease6, LEASE6_LOST, 0);
	lease6->other = lease6->other || v->has;
	lease6->refused = v->has ? LEASE6_SUCCESS : reason(v);
	if (v->status != LEASE6_NO_BINDING)
		return false;
	if (lease6->again)
		return enter(lease6, LEASE6_LOST, 0);
	/* as after a server's loss of memory: the same address, once more */
	lease6->again = true;
	lease6->lease.server = v->server;
	return enter(lease6, LEASE6_REQUESTING, now);
}

/* 18.2.10.3: another server may have the network of the address. */
static bool confirmed(struct lease6 *lease6, const struct lease6_values *v,
		      uint64_t now)
{
	if (v->status && v->status != LEASE6_NOT_ON_LINK)
		return false;
	lease6->moved = v->status == LEASE6_NOT_ON_LINK;
	return lease6->moved
		       ? enter(lease6, LEASE6_SOLICITING, delayed(lease6, now))
		       : enter(lease6, LEASE6_BOUND, 0);
}

/* It may give the same address again. */
static bool declined(struct lease6 *lease6, const struct lease6_values *v,
		     uint64_t now)
{
	(void)v;
	return refuse(lease6, now);
}

static bool released(struct lease6 *lease6, const struct lease6_values *v,
		     uint64_t now)
{
	(void)v, (void)now;
	return enter(lease6, LEASE6_LOST, 0);
}

bool net_lease6_take(struct lease6 *lease6, const uint8_t *p, size_t len,
		     uint64_t now)
{
	const struct row *r = &rows[lease6->state];
	const struct duid6 *server = &lease6->lease.server;
	struct lease6_values v;
	receive *fn;
	int type;

	/* before the first message nobody can know its transaction ID */
	if (!lease6->tries)
		return false;
	type = boot_lease6_parse(p, len, lease6->xid, &lease6->id,
				 wanted(lease6), &v);
	fn = type == LEASE6_ADVERTISE ? r->advertise
	     : type == LEASE6_REPLY   ? r->reply
				      : NULL;
	if (!fn || (r->server && !same_server(&v.server, server)))
		return false;
	return fn(lease6, &v, now);
}
