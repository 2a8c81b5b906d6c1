/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of a DHCPv4 client. */
#include "boot/net/dhcp.h"

#include <string.h>

/* Requests for one offer; then another server may be better. */
#define REQUESTS  4
#define PAUSE_MS  1000u
#define DOUBLINGS 6
/* Sent until an offer without the root-path that is needed will do. */
#define PATIENCE  2

/* Knuth's generator will do: this only keeps a thousand machines apart. */
static uint32_t random_next(struct dhcp *d)
{
	d->random = d->random * 1664525 + 1013904223;
	return d->random >> 8;
}

/* After so many failures before this one. */
static uint64_t pause(struct dhcp *d, unsigned failures)
{
	unsigned n = failures < DOUBLINGS ? failures : DOUBLINGS;
	uint32_t base = PAUSE_MS << n;

	return base - base / 8 + random_next(d) % (base / 4);
}

static void enter(struct dhcp *d, enum dhcp_state state, uint64_t due)
{
	d->state = state;
	d->spare = false;
	d->tries = 0;
	d->due = due;
}

static void begin(struct dhcp *d, enum dhcp_state state, const uint8_t mac[6],
		  uint32_t seed, uint64_t now)
{
	memcpy(d->q.mac, mac, sizeof(d->q.mac));
	d->random = seed;
	d->q.xid = seed ^ random_next(d);
	d->started = now;
	enter(d, state, now);
}

void net_dhcp_start(struct dhcp *d, const uint8_t mac[6], const char *host,
		    uint32_t seed, uint64_t now)
{
	memset(d, 0, sizeof(*d));
	d->q.host = host;
	begin(d, DHCP_SELECTING, mac, seed, now);
}

void net_dhcp_renewal(struct dhcp *d, const uint8_t mac[6], uint32_t seed,
		      uint64_t now)
{
	memset(&d->q, 0, sizeof(d->q));
	d->q.host = d->lease.host;
	begin(d, DHCP_RENEWING, mac, seed, now);
}

void net_dhcp_again(struct dhcp *d, uint64_t now)
{
	if (d->state < DHCP_RENEWING)
		enter(d, d->state, now);
}

/* What passes by itself: an offer that is not confirmed, a lease that ends. */
static void age(struct dhcp *d, uint64_t now)
{
	uint64_t had = (now - d->bound) / 1000;

	if (d->spare && d->tries == PATIENCE)
		enter(d, DHCP_REQUESTING, now);
	if (d->state == DHCP_REQUESTING && d->tries == REQUESTS)
		enter(d, DHCP_SELECTING, now);
	if (d->state == DHCP_RENEWING && had >= d->lease.t2)
		enter(d, DHCP_REBINDING, now);
	if (d->state == DHCP_REBINDING && had >= d->lease.seconds)
		d->state = DHCP_LOST;
}

size_t net_dhcp_send(struct dhcp *d, uint8_t buf[DHCP_MAX], uint64_t now)
{
	uint64_t secs = (now - d->started) / 1000;
	struct dhcp_query *q = &d->q;

	age(d, now);
	if (d->state == DHCP_BOUND || d->state == DHCP_LOST)
		return 0;
	q->secs = (uint16_t)(secs > UINT16_MAX ? UINT16_MAX : secs);
	q->type = d->state == DHCP_SELECTING ? DHCP_DISCOVER : DHCP_REQUEST;
	q->ours = d->state >= DHCP_REQUESTING ? &d->lease : NULL;
	q->renew = d->state >= DHCP_RENEWING;
	d->due = now + pause(d, d->tries);
	d->tries++;
	d->sent = now;
	return net_dhcp_build(buf, q);
}

/*
 * Of two machines that ask at once one may be refused, as some servers offer
 * both the same address: it asks again at once, since the address is gone by
 * now.  A server that always refuses is asked ever more rarely.
 */
static void take_nak(struct dhcp *d, uint64_t now)
{
	if (d->state >= DHCP_RENEWING) {
		d->state = DHCP_LOST;
		return;
	}
	enter(d, DHCP_SELECTING, now);
	if (d->naks)
		d->due += pause(d, d->naks - 1) / 4;
	d->naks++;
}

bool net_dhcp_take(struct dhcp *d, const uint8_t *p, size_t len, uint64_t now)
{
	struct dhcp_lease l;
	int type = net_dhcp_parse(p, len, d->q.xid, d->q.mac, &l);
	bool same = !memcmp(l.server, d->lease.server, sizeof(l.server));

	if (type == DHCP_OFFER && d->state == DHCP_SELECTING) {
		bool poor = d->need_path && !l.root_path[0];

		if (!poor || !d->spare)
			d->lease = l;
		if (poor) {
			d->spare = true;
			return false;
		}
		enter(d, DHCP_REQUESTING, now);
		return true;
	}
	/* only who was asked may answer; when rebinding that is everybody */
	if (d->state == DHCP_SELECTING || d->state == DHCP_BOUND ||
	    d->state == DHCP_LOST || (!same && d->state != DHCP_REBINDING) ||
	    (type != DHCP_NAK && type != DHCP_ACK))
		return false;
	if (type == DHCP_NAK) {
		take_nak(d, now);
		return true;
	}
	d->lease = l;
	d->bound = d->sent;
	d->state = DHCP_BOUND;
	return true;
}
