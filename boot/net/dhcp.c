/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The states of a DHCPv4 client: a table, and the transitions between its rows.
 */
#include "boot/net/dhcp.h"

#include <string.h>

#include "boot/net/grace.h"
#include "port/retry.h"

/* Requests for one offer; after that another server may be better. */
#define REQUESTS   4
/* NAKs of machines that ask together; after that another server may be better. */
#define NAKS	   3
/* ms after the first message, and at most. */
#define PAUSE_MS   1000u
#define PAUSE_MAX  64000u
/* Messages without an answer before answers are asked for by broadcast. */
#define DEAF	   2
/* What an answer may have at most, with its IP header. */
#define ANSWER_MAX 1500u
/* Messages sent before an offer without the needed root-path is accepted. */
#define PATIENCE   2

/* Handles a message; true if the state has changed. */
typedef bool receive(struct dhcp *dhcp, const struct dhcp_lease *l,
		     uint64_t now);

static receive take_offer, take_ack, take_nak, lose;

/*
 * BOUND and LOST send and receive nothing.  The address stays in use after the
 * end of its lease, because the root depends on it.
 */
static const struct state {
	enum dhcp_type send; /* 0: nothing; a request names dhcp->lease */
	bool any_server;     /* not only the server of dhcp->lease may answer */
	receive *offer, *ack, *nak; /* NULL: ignored */
	unsigned tries;		    /* messages before `next`; 0: no limit */
	enum dhcp_state next;
} states[] = {
	[DHCP_SELECTING] = { .send = DHCP_DISCOVER,
			     .any_server = true,
			     .offer = take_offer },
	[DHCP_CHOOSING] = { .send = DHCP_DISCOVER,
			    .any_server = true,
			    .offer = take_offer,
			    .tries = PATIENCE,
			    .next = DHCP_REQUESTING },
	[DHCP_REQUESTING] = { .send = DHCP_REQUEST,
			      .ack = take_ack,
			      .nak = take_nak,
			      .tries = REQUESTS,
			      .next = DHCP_SELECTING },
	/* until T2, and until the end of the lease: see expired() */
	[DHCP_RENEWING] = { .send = DHCP_REQUEST,
			    .ack = take_ack,
			    .nak = lose,
			    .next = DHCP_REBINDING },
	[DHCP_REBINDING] = { .send = DHCP_REQUEST,
			     .any_server = true,
			     .ack = take_ack,
			     .nak = lose,
			     .next = DHCP_SELECTING },
	[DHCP_LOST] = { 0 },
};

/* ms to wait after so many failures. */
static uint64_t pause(struct dhcp *dhcp, unsigned failures)
{
	return nbd_retry_ms(PAUSE_MS, PAUSE_MAX, failures, &dhcp->random);
}

/*
 * Discovery has an xid of its own each time.  Else a late answer to an earlier
 * request would count for the new one: dnsmasq sends a NAK for each request that
 * names another server.
 */
static bool enter(struct dhcp *dhcp, enum dhcp_state state, uint64_t due)
{
	if (state == DHCP_SELECTING)
		dhcp->q.xid ^= nbd_retry_random(&dhcp->random);
	dhcp->state = state;
	dhcp->tries = 0;
	dhcp->due = due;
	return true;
}

static void begin(struct dhcp *dhcp, enum dhcp_state state,
		  const uint8_t mac[6], uint32_t seed, uint64_t now)
{
	memcpy(dhcp->q.mac, mac, sizeof(dhcp->q.mac));
	dhcp->random = seed;
	dhcp->q.xid = seed ^ nbd_retry_random(&dhcp->random);
	dhcp->started = now;
	dhcp->other = false;
	enter(dhcp, state, now);
}

void net_dhcp_start(struct dhcp *dhcp, const uint8_t mac[6], const char *host,
		    uint32_t seed, uint64_t now)
{
	memset(dhcp, 0, sizeof(*dhcp));
	dhcp->q.host = host;
	begin(dhcp, DHCP_SELECTING, mac, seed, now);
}

void net_dhcp_renewal(struct dhcp *dhcp, const uint8_t mac[6], uint32_t seed,
		      uint64_t now)
{
	memset(&dhcp->q, 0, sizeof(dhcp->q));
	dhcp->q.host = dhcp->lease.host;
	dhcp->in_use = true;
	dhcp->need_path = false;
	dhcp->naks = 0;
	begin(dhcp, DHCP_RENEWING, mac, seed, now);
}

void net_dhcp_again(struct dhcp *dhcp, uint64_t now)
{
	if (dhcp->state < DHCP_RENEWING)
		enter(dhcp, dhcp->state, now);
}

static bool expired(const struct dhcp *dhcp, uint64_t now)
{
	uint64_t age = (now - dhcp->bound) / 1000;

	switch (dhcp->state) {
	case DHCP_RENEWING:
		return age >= dhcp->lease.t2;
	case DHCP_REBINDING:
		return dhcp->lease.seconds != UINT32_MAX &&
		       age >= (uint64_t)dhcp->lease.seconds + NET_GRACE_S;
	default:
		return states[dhcp->state].tries &&
		       dhcp->tries >= states[dhcp->state].tries;
	}
}

size_t net_dhcp_send(struct dhcp *dhcp, uint8_t buf[DHCP_MAX], uint64_t now)
{
	uint64_t secs = (now - dhcp->started) / 1000;
	const struct state *s;
	struct dhcp_query *q = &dhcp->q;

	while (expired(dhcp, now)) {
		if (dhcp->state == DHCP_REQUESTING)
			dhcp->broke = dhcp->lease.server;
		enter(dhcp, states[dhcp->state].next, now);
	}
	s = &states[dhcp->state];
	if (!s->send)
		return 0;
	q->secs = (uint16_t)(secs > UINT16_MAX ? UINT16_MAX : secs);
	/* the kernel drops an offer of another address that is sent to that */
	dhcp->deaf = dhcp->deaf || dhcp->in_use || dhcp->tries >= DEAF;
	q->broadcast = dhcp->deaf && dhcp->state < DHCP_RENEWING;
	q->type = s->send;
	q->ours = s->send == DHCP_REQUEST || dhcp->in_use ? &dhcp->lease : NULL;
	q->renew = dhcp->state >= DHCP_RENEWING;
	q->max = (uint16_t)(dhcp->mtu < ANSWER_MAX ? dhcp->mtu : ANSWER_MAX);
	dhcp->due = now + pause(dhcp, dhcp->tries);
	dhcp->tries++;
	dhcp->sent = now;
	return boot_dhcp_build(buf, q);
}

/*
 * How good an offer is.  A server that did not keep to one may be the fastest of
 * several, each time.
 */
static enum {
	BROKEN,
	POOR,
	GOOD
} rank(const struct dhcp *dhcp, const struct dhcp_lease *l)
{
	if (nbd_ip_same(&l->server, &dhcp->broke))
		return BROKEN;
	return dhcp->need_path && !l->root_path[0] ? POOR : GOOD;
}

/*
 * The address cannot change while the root depends on it.  An answer with another
 * one is ignored: we keep what we have, and ask the other servers.
 */
static bool is_other(struct dhcp *dhcp, const struct dhcp_lease *l)
{
	dhcp->other = dhcp->in_use && !nbd_ip_same(&l->addr, &dhcp->lease.addr);
	return dhcp->other;
}

/* If there is no good offer, the first one of the best that came is kept. */
static bool take_offer(struct dhcp *dhcp, const struct dhcp_lease *l,
		       uint64_t now)
{
	if (dhcp->in_use) {
		if (is_other(dhcp, l))
			return false;
		/* its times count from the ACK on */
		dhcp->lease.server = l->server;
		return enter(dhcp, DHCP_REQUESTING, now);
	}
	if (dhcp->state == DHCP_CHOOSING &&
	    rank(dhcp, l) <= rank(dhcp, &dhcp->lease))
		return false;
	dhcp->lease = *l;
	if (rank(dhcp, l) == GOOD)
		return enter(dhcp, DHCP_REQUESTING, now);
	dhcp->state = DHCP_CHOOSING;
	/*
	 * after a long silence the pause is too long to wait for other offers
	 */
	if (dhcp->due > now + PATIENCE * PAUSE_MS)
		dhcp->due = now + PATIENCE * PAUSE_MS;
	return true;
}

static bool take_ack(struct dhcp *dhcp, const struct dhcp_lease *l,
		     uint64_t now)
{
	(void)now;
	if (is_other(dhcp, l))
		return false;
	dhcp->lease = *l;
	dhcp->bound = dhcp->sent;
	dhcp->state = DHCP_BOUND;
	return true;
}

/*
 * Some servers offer the same address to two machines that ask at the same
 * time, and then send one of them a NAK.  Retry at once after the first NAK,
 * since that address is taken by now.  If a server sends only NAKs, back off.
 */
static bool take_nak(struct dhcp *dhcp, const struct dhcp_lease *l,
		     uint64_t now)
{
	enter(dhcp, DHCP_SELECTING, now);
	if (dhcp->naks)
		dhcp->due += pause(dhcp, dhcp->naks - 1) / 4;
	dhcp->refuser = l->server;
	if (++dhcp->naks > NAKS)
		dhcp->broke = l->server;
	return true;
}

/* A server that withdraws the address; see RFC 2131, 4.3.2. */
static bool lose(struct dhcp *dhcp, const struct dhcp_lease *l, uint64_t now)
{
	(void)l;
	return enter(dhcp, DHCP_LOST, now);
}

/*
 * An ACK for the address that was asked for counts from any server, as in
 * udhcpc and networkd: those of a failover pair, and relays with their own
 * address in it, name another server than in their offer, or none.  A NAK does
 * not.
 */
static bool may_answer(const struct dhcp *dhcp, const struct dhcp_lease *l,
		       int type)
{
	const struct dhcp_lease *ours = &dhcp->lease;

	return states[dhcp->state].any_server ||
	       nbd_ip_same(&l->server, &ours->server) ||
	       (type == DHCP_ACK && nbd_ip_same(&l->addr, &ours->addr));
}

/* Servers that an ACK does not name are those of the offer. */
static void fill_servers(struct dhcp_lease *l, const struct dhcp_lease *ours)
{
	if (!l->server.len)
		l->server = ours->server;
	if (!l->next.len)
		l->next = ours->next;
}

bool net_dhcp_take(struct dhcp *dhcp, const uint8_t *p, size_t len,
		   uint64_t now)
{
	const struct state *s = &states[dhcp->state];
	struct dhcp_lease l;
	int type = boot_dhcp_parse(p, len, dhcp->q.xid, dhcp->q.mac, &l);
	receive *fn = type == DHCP_OFFER ? s->offer
		      : type == DHCP_ACK ? s->ack
		      : type == DHCP_NAK ? s->nak
					 : NULL;

	dhcp->proxy = dhcp->proxy || type == DHCP_PROXY;
	if (!fn || !may_answer(dhcp, &l, type))
		return false;
	fill_servers(&l, &dhcp->lease);
	return fn(dhcp, &l, now);
}
