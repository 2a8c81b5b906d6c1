/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's side of DHCPv4 (RFC 2131, 4.4), without I/O and without a
 * clock: the caller sends what net_dhcp_send() writes when `due` has come, and
 * shows net_dhcp_take() what arrives.
 *
 *	SELECTING --offer--> REQUESTING --ack--> BOUND
 *	    ^-------nak, silence-----'
 *	RENEWING --T2--> REBINDING --ack--> BOUND, --nak, expiry--> LOST
 *
 * The first offer that is of use is taken: who boots waits for nobody.  The
 * pauses between two sendings are 1, 2, 4 ... 64 s, an eighth more or less; RFC
 * 2131 begins with 4 s, but a switch port that is slow to forward then costs
 * all of them.  After the first NAK there is none, then 1/4, 1/2 ... 16 s.
 */
#ifndef BOOT_NET_DHCP_H
#define BOOT_NET_DHCP_H

#include "boot/net/dhcp_msg.h"

enum dhcp_state {
	DHCP_SELECTING,
	DHCP_REQUESTING,
	DHCP_BOUND,
	DHCP_RENEWING,
	DHCP_REBINDING,
	DHCP_LOST
};

struct dhcp {
	enum dhcp_state state;
	uint32_t random;
	bool need_path; /* see net_dhcp_start(); set by the caller behind it */
	bool spare;	/* while SELECTING: lease is an offer without one */
	unsigned tries; /* messages sent in this state */
	unsigned naks;	/* before there is a lease */
	uint64_t started; /* ms; all times are of one clock of the caller's */
	uint64_t due;	  /* ms; when to send next; meaningless once BOUND */
	uint64_t bound;	  /* ms; when the lease began: the request was sent */
	uint64_t sent;	  /* ms; the latest message */
	struct dhcp_query q;	 /* who we are; the rest is net_dhcp_send()'s */
	struct dhcp_lease lease; /* what is asked for, then what is had */
};

/*
 * Begins anew: due at once.  seed is a random number, host outlives d.
 * d->need_path: the root comes from a root-path, so an offer without one is
 * only taken when no better one has come until two messages were sent (3 s).
 */
void net_dhcp_start(struct dhcp *d, const uint8_t mac[6], const char *host,
		    uint32_t seed, uint64_t now);

/*
 * Begins to renew d->lease, which was got at d->bound: to its server alone
 * until T2, then (REBINDING) to all.  The rest of d is filled in here.
 */
void net_dhcp_renewal(struct dhcp *d, const uint8_t mac[6], uint32_t seed,
		      uint64_t now);

/*
 * The link works only now: what was sent may be lost, so it is due again, and
 * the pauses begin anew.  Not for a renewal.
 */
void net_dhcp_again(struct dhcp *d, uint64_t now);

/*
 * Writes the message that is due and sets the next time.  0: nothing is to be
 * sent in this state (any more).
 */
size_t net_dhcp_send(struct dhcp *d, uint8_t buf[DHCP_MAX], uint64_t now);

/*
 * Looks at a datagram for the client's port; what is not for us, not expected
 * or malformed changes nothing.  True if the state has changed.
 */
bool net_dhcp_take(struct dhcp *d, const uint8_t *p, size_t len, uint64_t now);

#endif
