/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of DHCPv4 (RFC 2131, RFC 2132): the codec, which does no I/O.
 *
 *	BOOTP header, 236 bytes | cookie | option, length, value ... | end
 *	         file 128, sname 64 may hold more options (52, overload)
 */
#ifndef BOOT_WORDS_DHCP_MSG_H
#define BOOT_WORDS_DHCP_MSG_H

#include "boot/words/domains.h"
#include "port/ip.h"

#define DHCP_CLIENT 68
#define DHCP_SERVER 67

/* The longest message that we send; the shortest is 300 bytes, for relays. */
#define DHCP_MAX 576

enum dhcp_type {
	DHCP_DISCOVER = 1,
	DHCP_OFFER = 2,
	DHCP_REQUEST = 3,
	DHCP_ACK = 5,
	DHCP_NAK = 6,
	/* no message: an offer without an address, of a server for PXE alone */
	DHCP_PROXY = 256,
};

/* DNS servers of a lease; bytes of its routes: 63 with a prefix of 24. */
#define DHCP_DNS    6
#define DHCP_ROUTES 510

/* What a server sent and a lease has not, see boot_dhcp_left(). */
enum {
	DHCP_LEFT_HOST = 1,
	DHCP_LEFT_PATH = 2,
	DHCP_LEFT_ROUTES = 4, /* at least the last one */
	DHCP_LEFT_DNS = 8,
	DHCP_LEFT_NAMES = 16,
	DHCP_LEFT_VALUE = 32,
};

/* A value that was not given is 0 or "", and an address has no length. */
struct dhcp_lease {
	struct nbd_ip addr; /* ours; its prefix is that of the mask or class */
	struct nbd_ip server; /* of DHCP, that sent it; none only in an ACK */
	struct nbd_ip next;   /* siaddr: that of the next step; else `server` */
	struct nbd_ip router; /* the first */
	uint32_t seconds, t1, t2; /* UINT32_MAX: for ever; 0 < t1 <= t2 */
	uint16_t mtu; /* at least 576, which RFC 791 demands of all */
	uint8_t n_dns;
	struct nbd_ip dns[DHCP_DNS];
	uint16_t route_bytes;	     /* of routes[] */
	uint8_t routes[DHCP_ROUTES]; /* see boot_dhcp_route() */
	uint8_t left;		     /* DHCP_LEFT_* */
	bool cut;		     /* host was longer, see boot_ip_host() */
	char host[65];		     /* letters, digits, '-', '.', '_' only */
	char domain[BOOT_DOMAINS]; /* option 119, else 15, see boot_domains_read() */
	char root_path[513];	   /* printable ASCII only */
};

/* The contents of a message to send. */
struct dhcp_query {
	enum dhcp_type type;
	uint32_t xid;
	uint16_t secs;	/* since the first message */
	bool broadcast; /* the answer is to be one */
	uint8_t mac[6];
	const char *host; /* 12; "": none; at most 64 bytes */
	/*
	 * The wanted lease: option 50 is its address and, in a request, option
	 * 54 its server; or, to renew it, only ciaddr is its address.  NULL: any
	 * lease.
	 */
	const struct dhcp_lease *ours;
	bool renew;
	uint16_t max; /* bytes of an answer, with its IP header; 0: DHCP_MAX */
};

/* Writes the message.  Returns its length. */
size_t boot_dhcp_build(uint8_t buf[DHCP_MAX], const struct dhcp_query *q);

/*
 * Reads an answer.  Returns its dhcp_type, or 0 if it has another xid or MAC, is
 * malformed, or offers an address that no machine can have.  An option with a
 * wrong length or value is left out, see boot_dhcp_left(); the parts of a split
 * option are joined (RFC 3396).  For DHCP_NAK and DHCP_PROXY only `server` is
 * set.  Reads only p[0] to p[len - 1].
 */
int boot_dhcp_parse(const uint8_t *p, size_t len, uint32_t xid,
		    const uint8_t mac[6], struct dhcp_lease *l);

/* What was left out of l, one at a time, or NULL; advances *at, 0 at first. */
const char *boot_dhcp_left(const struct dhcp_lease *l, unsigned *at);

/* One classless static route (RFC 3442); via none: it is on the link. */
struct dhcp_route {
	struct nbd_ip to, via;
};

/*
 * Reads the route at *at, which starts at 0, and advances *at.  Returns false
 * at the end, or at a malformed route.
 */
bool boot_dhcp_route(const struct dhcp_lease *l, unsigned *at,
		     struct dhcp_route *r);

#endif
