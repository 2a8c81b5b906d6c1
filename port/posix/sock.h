/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream sockets: TCP over IPv4 and IPv6, and UNIX. */
#ifndef PORT_POSIX_SOCK_H
#define PORT_POSIX_SOCK_H

#include "core/nbd_uri.h"
#include "port/port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Addresses of one host at most; more are not tried. */
#define SOCK_MAX_ADDRS 16

/*
 * How long a peer may stay silent before the connection counts as dead: without
 * traffic (keepalive), and with unacknowledged data (TCP_USER_TIMEOUT).  These
 * stay in force when the kernel has the socket.
 */
#define SOCK_KEEP_IDLE	   10 /* s */
#define SOCK_KEEP_INTERVAL 3  /* s */
#define SOCK_KEEP_COUNT	   3
#define SOCK_USER_TIMEOUT  15000 /* ms */

struct sock_addr {
	socklen_t len;
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	} u;
};

/* A transport; fd is -1 when closed, non-blocking otherwise. */
struct sock {
	struct nbd_transport t;
	int fd;
	unsigned reads; /* after so many NBD_E_AGAIN; 0: no limit */
};

/*
 * The addresses of the URI's host and port, or of its socket.  Returns how many
 * are in addrs[] (1 to SOCK_MAX_ADDRS), or NBD_E_RESOLVE, or NBD_E_URI (the
 * path of the socket is too long).
 */
int sock_resolve(const struct nbd_uri *uri,
		 struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d);

/*
 * The part of sock_resolve() that differs between builds: resolve.c asks the
 * C library, noresolver.c takes addresses only ("192.0.2.1", "fe80::1%eth0").
 */
int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d);

/* Begins to connect: 0 at once, NBD_E_AGAIN until writable, or an error. */
int sock_connect(struct sock *s, const struct sock_addr *a);
/* After NBD_E_AGAIN, once the socket is writable: 0 or an error. */
int sock_connected(struct sock *s);
void sock_close(struct sock *s);

/* "192.0.2.1", "fd00::1", "/run/nbd.sock". */
void sock_host_print(struct nbd_out *o, const struct sock_addr *a);
/* "192.0.2.1 port 10809", "/run/nbd.sock". */
void sock_addr_print(struct nbd_out *o, const struct sock_addr *a);

/* An errno of a socket call as a negative enum nbd_err. */
int sock_error(int err);

#endif
