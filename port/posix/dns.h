/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client of DNS.  It asks all name servers of /etc/resolv.conf at once, for
 * both kinds of addresses:
 *
 *	UDP, twice --> an address          --> found
 *	    |          truncated --> TCP ----^
 *	    '--------> all of them say no  --> no such name
 *
 * An address counts whoever it comes from, and "no such name" only if no other
 * server has another answer within 1/2 s: of two servers one may know only the
 * names of the Internet.  The other kind has as long after an address: a server
 * may drop what asks for AAAA (RFC 4074, 4.1).  One that refuses a question is
 * asked again only if no other one helps: at once if all of them refuse.
 */
#ifndef PORT_POSIX_DNS_H
#define PORT_POSIX_DNS_H

#include "port/dns_msg.h"
#include "port/stack.h"

/* As many as boot/net writes; glibc and musl take 3. */
#define DNS_SERVERS 16

/* What resolv.conf(5) says. */
struct dns_conf {
	unsigned n; /* of server[] */
	struct sock_addr server[DNS_SERVERS];
	unsigned ndots, attempts, timeout_ms; /* timeout_ms: of all attempts */
	char search[256];		      /* names with blanks */
};

/* Reads the file.  Without any server that of this machine is asked. */
void dns_conf_read(struct dns_conf *c, const char *path);

/*
 * Looks up a whole name, without the search list.  Returns whether there are
 * addresses in four or six; NBD_E_RESOLVE: there is no such name; or why that of
 * one kind is not known: NBD_E_TIMEOUT (a server was silent), NBD_E_REFUSED (all
 * of them refuse), or NBD_E_UNREACHABLE (there is no way to any).  want_six: ask
 * for those of IPv6, too.
 */
int dns_ask(const struct dns_conf *c, const char *name, bool want_six,
	    struct dns_found *four, struct dns_found *six);

/* The same for the servers of a service, in f->target[]. */
int dns_ask_service(const struct dns_conf *c, const char *name,
		    struct dns_found *f);

/* A number that is another one each time. */
uint32_t dns_random(void);

#endif
