/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client of DHCPv6 that gets one address (RFC 8415, IA_NA), without I/O and
 * without a clock: the caller sends the output of net_lease6_send() to all
 * servers when `due` has come, and passes received datagrams to
 * net_lease6_take().
 *
 *	SOLICITING --advertise--> REQUESTING --reply--> BOUND
 *	  ^  '-------------reply, rapid commit------------^
 *	  |                           |
 *	  '---refused, silence--------'     DECLINING --reply, silence--> SOLICITING
 *
 *	RENEWING --T2--> REBINDING --reply--> BOUND
 *	    |               |   '--2 min after its end--> SOLICITING, of that address
 *	    '-- no binding -'--> REQUESTING, once --refused--> LOST
 *	CONFIRMING --reply, silence--> BOUND
 *	    '------- not on link ----> SOLICITING, of that address
 *	RELEASING --reply, silence--> LOST
 *
 * A second after the first Solicit the best advertisement is taken: the one with
 * the root-path if that is needed, then the one of the highest preference; one
 * of the preference 255 at once.  Later the first is taken at once.  A server that
 * refused a second Request, or did not answer four, is the last choice: its
 * advertisement is taken if no other one has come after two messages (3 s).
 */
#ifndef BOOT_NET_LEASE6_H
#define BOOT_NET_LEASE6_H

#include "boot/words/lease6_msg.h"

enum lease6_state {
	LEASE6_SOLICITING,
	LEASE6_REQUESTING,
	LEASE6_DECLINING,
	LEASE6_BOUND,
	LEASE6_RENEWING,
	LEASE6_REBINDING,
	LEASE6_CONFIRMING,
	LEASE6_RELEASING,
	LEASE6_LOST,
};

struct lease6 {
	enum lease6_state state;
	uint32_t random, xid;
	bool need_path; /* set by the caller after net_lease6_start() */
	bool in_use;	/* the root depends on the address: it cannot change */
	bool other;	/* a renewal was answered with another address only */
	bool moved;	/* a server says that it does not belong to this link */
	bool again;	/* REQUESTING, because a server had no binding */
	bool offered;	/* lease is an advertisement */
	enum lease6_status refused; /* why there is no address, if not 0 */
	unsigned refusals;
	struct duid6 giver; /* the server that gave the lease */
	struct duid6 broke; /* a server that did not keep to its advertisement */
	unsigned tries;	    /* messages sent in this state */
	uint32_t timeout;   /* ms; RT of RFC 8415, 15 */
	/* ms; all times are of one clock of the caller's */
	uint64_t first; /* when the first message of this state was sent */
	uint64_t sent;	/* the latest */
	uint64_t due;	/* when to send next; UINT64_MAX in BOUND and LOST */
	uint64_t bound; /* when the lease began: the request was sent */
	struct lease6_id id;
	struct lease6_values lease; /* the best so far, then ours */
};

/*
 * Was it started, or read from a file?  There is one beside each lease of
 * DHCPv4, and this tells which of the two is in use.
 */
static inline bool net_lease6_begun(const struct lease6 *lease6)
{
	return lease6->id.duid.len;
}

/* Starts, or starts again.  seed is a random number. */
void net_lease6_start(struct lease6 *lease6, const struct lease6_id *id,
		      uint32_t seed, uint64_t now);

/*
 * These begin with a lease that was BOUND, of id, bound and lease, and
 * initialize the rest.
 *
 * Asks to keep the address, which is in use: its server until T2, then all, and
 * two minutes after the end of the lease for one of the same address, since
 * servers have forgotten it.
 */
void net_lease6_renewal(struct lease6 *lease6, uint32_t seed, uint64_t now);

/* Asks whether the address still belongs to this link; it is in use. */
void net_lease6_confirm(struct lease6 *lease6, uint32_t seed, uint64_t now);

/* Gives the address back: twice, unless the server answers. */
void net_lease6_release(struct lease6 *lease6, uint32_t seed, uint64_t now);

/* Another machine has the address of a lease that is BOUND: asks anew. */
void net_lease6_decline(struct lease6 *lease6, uint64_t now);

/*
 * Writes the message that is due, sets the time of the next one, and returns
 * the length.  0: this state sends nothing (any more).
 */
size_t net_lease6_send(struct lease6 *lease6, uint8_t buf[LEASE6_MAX],
		       uint64_t now);

/*
 * Reads a datagram for the client's port.  One that is malformed, unexpected,
 * for another client or of another server than the one that is asked changes
 * nothing.  Returns true if the state has changed.
 */
bool net_lease6_take(struct lease6 *lease6, const uint8_t *p, size_t len,
		     uint64_t now);

#endif
