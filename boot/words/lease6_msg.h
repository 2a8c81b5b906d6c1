/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of DHCPv6 about an address (RFC 8415, 21.4 and 21.6): the codec,
 * which does no I/O.
 *
 *	type, transaction ID of 3 bytes | option | IA_NA { address { status }
 *	                                                 | status } | option ...
 */
#ifndef BOOT_WORDS_LEASE6_MSG_H
#define BOOT_WORDS_LEASE6_MSG_H

#include "boot/words/dhcp6_msg.h"

/* The longest message that we send. */
#define LEASE6_MAX 256

enum lease6_type {
	LEASE6_SOLICIT = 1,
	LEASE6_ADVERTISE = 2,
	LEASE6_REQUEST = 3,
	LEASE6_CONFIRM = 4,
	LEASE6_RENEW = 5,
	LEASE6_REBIND = 6,
	LEASE6_REPLY = 7,
	LEASE6_RELEASE = 8,
	LEASE6_DECLINE = 9,
};

/* Status codes (RFC 8415, 21.13); others count as UNSPEC. */
enum lease6_status {
	LEASE6_SUCCESS = 0,
	LEASE6_UNSPEC = 1,
	LEASE6_NO_ADDRS = 2,
	LEASE6_NO_BINDING = 3,
	LEASE6_NOT_ON_LINK = 4,
	LEASE6_MULTICAST = 5,
};

/* The identity of a client or a server (RFC 8415, 11). */
#define DUID6_MAX 130
struct duid6 {
	uint8_t len; /* 0: not known */
	uint8_t p[DUID6_MAX];
};

/* Who we are: ours at each boot, and in the real system. */
struct lease6_id {
	struct duid6 duid; /* DUID-UUID or DUID-LL: at most 18 bytes */
	uint32_t iaid;
};

/* DUID-LL (RFC 8415, 11.4) of Ethernet, and an IAID of the same MAC. */
void boot_lease6_id(struct lease6_id *id, const uint8_t mac[6]);

/*
 * Makes it DUID-UUID (RFC 6355) of a UUID as text.  False, and nothing has
 * changed: it is none, or one that many machines have.
 */
bool boot_lease6_uuid(struct lease6_id *id, const char *uuid);

/* Times are in s; UINT32_MAX: for ever. */
struct lease6_values {
	struct duid6 server;
	uint8_t preference;
	bool rapid; /* the answer to a Solicit may be final */
	bool has;   /* the address, which no status refuses */
	enum lease6_status status;
	struct nbd_ip addr;
	uint32_t preferred, valid;
	uint32_t t1, t2; /* 0 < t1 <= t2 <= valid, if valid is not 0 */
	struct dhcp6_reply config;
};

/* The contents of a message to send. */
struct lease6_query {
	enum lease6_type type;
	uint32_t xid;	  /* 24 bits */
	uint16_t elapsed; /* 1/100 s since the first message */
	const struct lease6_id *id;
	const struct duid6 *server; /* NULL: all */
	const struct nbd_ip *addr;  /* NULL: any */
};

/* Writes the message.  Returns its length. */
size_t boot_lease6_build(uint8_t buf[LEASE6_MAX], const struct lease6_query *q);

/*
 * Reads an answer.  Returns LEASE6_ADVERTISE or LEASE6_REPLY, or 0: it has
 * another transaction ID or client ID, no server ID, or is malformed.  Of an
 * IA_NA that is ours the address `want` is taken, or (want NULL, or it is not
 * there) the first that a machine can have; one with wrong times is left out.
 * Reads only p[0] to p[len - 1].
 */
int boot_lease6_parse(const uint8_t *p, size_t len, uint32_t xid,
		      const struct lease6_id *id, const struct nbd_ip *want,
		      struct lease6_values *v);

#endif
