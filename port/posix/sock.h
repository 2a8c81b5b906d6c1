/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream sockets: TCP over IPv4 and IPv6, and UNIX. */
#ifndef PORT_POSIX_SOCK_H
#define PORT_POSIX_SOCK_H

#include "port/stack.h"

/* Sockets of the operating system; fd of a struct sock is the descriptor. */
extern struct nbd_stack sock_stack;

/*
 * As resolve() of a stack.  NBD_E_RESOLVE, or NBD_E_URI (the path of the socket
 * is too long).
 */
int sock_resolve(const struct nbd_uri *uri,
		 struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d);

/* "192.0.2.1", "2001:db8::1", "fe80::1%eth0", "fe80::1%2"; else false. */
bool sock_parse(const char *host, uint16_t port, struct sock_addr *a);

/*
 * The part of sock_resolve() that differs between builds: resolve.c looks names
 * up, noresolver.c takes addresses only.
 */
int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d);
/* The same for a name of a record of DNS, which is of no search domain. */
int sock_resolve_whole(const char *host, uint16_t port,
		       struct sock_addr addrs[SOCK_MAX_ADDRS],
		       struct nbd_diag *d);

/*
 * From now on sock_resolve() reads no file, such as those of a root that may be
 * away: it keeps what /etc/resolv.conf says, and the servers behind
 * systemd-resolved, forgets /etc/hosts, and waits for 2 s at most if no name
 * server answers.  For a process that stays, once.
 */
void sock_resolve_keep(void);
/* Needs no DNS: an address, this machine, or a name of /etc/hosts. */
bool sock_resolve_fixed(const char *host);

/* As connect(), connected() and clear() of a stack. */
int sock_connect(struct sock *s, const struct sock_addr *a);
int sock_connected(struct sock *s);
/*
 * A plain socket of SOCK_DGRAM or SOCK_STREAM to *a, which never blocks, and may
 * not be connected yet; the caller closes it.  NBD_E_UNREACHABLE and others:
 * there is no way to it.
 */
int sock_open(const struct sock_addr *a, int type);
/*
 * As sock_open(), but of a family that the kernel has (without /proc: of IPv4)
 * or NBD_E_UNREACHABLE.  For one that it lacks, socket() would run modprobe,
 * which never ends if it is on a root whose server is away.
 */
int sock_open_known(const struct sock_addr *a, int type);
/* The kernel has no such family: what sock_open_known() asks. */
bool sock_lacks(const struct sock_addr *a);
/* sock_lacks() is as it is now, even if /proc is away later. */
void sock_lacks_keep(void);
void sock_clear(const struct sock *s, const struct sock_addr *a);
void sock_close(struct sock *s);

/*
 * The part of sock_connect() that differs between builds: binds to s->port, if
 * that is set and free; and sets it to 0, and returns whether it was set.
 */
void sock_from_bind(const struct sock *s, int family, unsigned len);
/* Makes the server `to` drop connections from before. */
void sock_from_clear(const struct sock *s, const void *to, unsigned len);
bool sock_from_dropped(struct sock *s);

/* An errno of a socket call as a negative enum nbd_err. */
int sock_error(int err);

#endif
