/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of stateless DHCPv6 (RFC 8415, 6.1): the codec, which does no I/O.
 *
 *	type, transaction ID of 3 bytes | code, length, value ...
 *
 * The client asks for everything but an address (Information-request), and a
 * server answers at once (Reply).
 */
#ifndef BOOT_WORDS_DHCP6_MSG_H
#define BOOT_WORDS_DHCP6_MSG_H

#include "boot/words/domains.h"
#include "port/ip.h"

#define DHCP6_CLIENT 546
#define DHCP6_SERVER 547

/* Bytes of the message that we send. */
#define DHCP6_MAX 57

/* DNS servers that are kept. */
#define DHCP6_DNS 6

/* What a server sent and a reply has not, see boot_dhcp6_left(). */
enum { DHCP6_LEFT_DNS = 1, DHCP6_LEFT_DOMAINS = 2, DHCP6_LEFT_URL = 4 };

/* A value that was not given is 0 or "". */
struct dhcp6_reply {
	uint8_t left; /* DHCP6_LEFT_* */
	unsigned n_dns;
	struct nbd_ip dns[DHCP6_DNS];
	char domain[BOOT_DOMAINS]; /* names, with a blank between two */
	char url[513];		   /* of the boot file; printable ASCII only */
};

/*
 * Writes an Information-request.  xid has 24 bits; elapsed is in 1/100 s since
 * the first message.  Returns its length.
 */
size_t boot_dhcp6_build(uint8_t buf[DHCP6_MAX], uint32_t xid,
			const uint8_t mac[6], uint16_t elapsed);

/*
 * Reads an answer.  False: it is no Reply, has another transaction ID or client
 * ID, no server ID, an error status, or is malformed.  An option with a wrong
 * length or value is ignored.  Reads only p[0] to p[len - 1].
 */
bool boot_dhcp6_parse(const uint8_t *p, size_t len, uint32_t xid,
		      const uint8_t mac[6], struct dhcp6_reply *r);

/* What was left out of r, one at a time, or NULL; advances *at, 0 at first. */
const char *boot_dhcp6_left(const struct dhcp6_reply *r, unsigned *at);

/*
 * Reads an option with DNS servers, domains or the URL, unless *r has those;
 * another one, or one with a wrong length or value, changes nothing.
 */
void boot_dhcp6_config(struct dhcp6_reply *r, unsigned code, const uint8_t *p,
		       size_t len);

/*
 * If the URL is none of NBD, takes the first of the boot file's parameters (RFC
 * 5970, 3.2) that is one; p is that option, after all others.
 */
void boot_dhcp6_parameters(struct dhcp6_reply *r, const uint8_t *p, size_t len);

#endif
