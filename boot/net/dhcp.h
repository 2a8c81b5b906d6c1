/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DHCPv4 client (RFC 2131, 4.4), without I/O and without a clock: the caller
 * sends the output of net_dhcp_send() when `due` has come, and passes received
 * datagrams to net_dhcp_take().
 *
 *	SELECTING --offer--> REQUESTING --ack--> BOUND
 *	    ^-------nak, silence-----'
 *	RENEWING --T2--> REBINDING --ack--> BOUND
 *	    |                |   '--2 min after its end--> SELECTING, of that address
 *	    '-----------nak--'--> LOST
 *
 * The first useful offer is taken: a booting machine does not wait for others.
 * The pauses between two messages are 1, 2, 4 ... 64 s, an eighth more or less.
 * RFC 2131 begins with 4 s, but a switch port that is slow to forward would
 * then cost all of them.  From the third message on, answers are asked for by
 * broadcast: some networks lose what is sent to an address that nobody has yet.
 * After the first NAK there is no pause, then 1/4, 1/2 ... 16 s.
 *
 * An offer of a server that sent a fourth NAK, or did not answer four requests,
 * is accepted only if no other one has come after two messages (3 s).  Fewer NAKs
 * are usual where many machines ask together, and one server offers an address
 * to several.
 */
#ifndef BOOT_NET_DHCP_H
#define BOOT_NET_DHCP_H

#include "boot/words/dhcp_msg.h"

enum dhcp_state {
	DHCP_SELECTING,
	DHCP_CHOOSING, /* the same; lease is an offer that is not good */
	DHCP_REQUESTING,
	DHCP_BOUND,
	DHCP_RENEWING,
	DHCP_REBINDING,
	DHCP_LOST
};

struct dhcp {
	enum dhcp_state state;
	uint32_t random;
	bool need_path; /* see net_dhcp_start(); set by the caller after that */
	/* bytes of the interface, set by the caller as well; 0: not known */
	unsigned mtu;
	bool in_use; /* the root depends on the address: it cannot change */
	bool other;  /* the last answer to a renewal was for another address */
	bool proxy;  /* a server for PXE alone has answered */
	bool deaf;   /* answers may have come that were sent to our address */
	unsigned tries;	       /* messages sent in this state */
	unsigned naks;	       /* before there is a lease */
	struct nbd_ip refuser; /* the server of the latest */
	struct nbd_ip broke;   /* a server that did not keep to its offer */
	uint64_t started; /* ms; all times are of one clock of the caller's */
	uint64_t due;	  /* ms; when to send next; meaningless once BOUND */
	uint64_t bound;	  /* ms; when the lease began: the request was sent */
	uint64_t sent;	  /* ms; the latest message */
	struct dhcp_query q; /* mac and host; net_dhcp_send() sets the rest */
	struct dhcp_lease lease; /* the requested one, then ours */
};

/*
 * Starts, or starts again: a message is due at once.  seed is a random number;
 * host must outlive dhcp.  dhcp->need_path: the root comes from a root-path, so
 * an offer without one is accepted only if no better one has come after two
 * messages (3 s).
 */
void net_dhcp_start(struct dhcp *dhcp, const uint8_t mac[6], const char *host,
		    uint32_t seed, uint64_t now);

/*
 * Begins to renew dhcp->lease, which began at dhcp->bound: asks only its server
 * until T2, then (REBINDING) all servers, and two minutes after the end of the
 * lease for one of the same address, since servers have forgotten it.
 * Initializes the rest of dhcp.
 */
void net_dhcp_renewal(struct dhcp *dhcp, const uint8_t mac[6], uint32_t seed,
		      uint64_t now);

/*
 * Call this when the link begins to work, because earlier messages may be lost:
 * one is due again, and the pauses start from the first.  Not for a renewal.
 */
void net_dhcp_again(struct dhcp *dhcp, uint64_t now);

/*
 * Writes the message that is due, sets the time of the next one, and returns
 * the length.  0: this state sends nothing.
 */
size_t net_dhcp_send(struct dhcp *dhcp, uint8_t buf[DHCP_MAX], uint64_t now);

/*
 * Reads a datagram for the client's port.  One that is malformed, unexpected or
 * for another client changes nothing; nor, while one server is asked, does an
 * answer of another, but for an ACK of the address that was asked for.  Returns
 * true if the state has changed.
 */
bool net_dhcp_take(struct dhcp *dhcp, const uint8_t *p, size_t len,
		   uint64_t now);

#endif
