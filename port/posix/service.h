/* SPDX-License-Identifier: BSD-2-Clause */
/* Services: names for which DNS has SRV records (RFC 2782). */
#ifndef PORT_POSIX_SERVICE_H
#define PORT_POSIX_SERVICE_H

#include "port/posix/dns.h"

/*
 * The addresses of the servers of a service ("_nbd._tcp.example"), in the order
 * in which to try them, with their ports; `server` is set in the first of each.
 * Only records of a server's own name count, none that came with the service.
 * As resolve() of a stack; port is that of the URI.
 */
int service_resolve(const struct dns_conf *c, const char *host, uint16_t port,
		    struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d);

#endif
