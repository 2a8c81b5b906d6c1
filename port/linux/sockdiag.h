/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets of a device, as Linux reports them (sock_diag(7),
 * linux/inet_diag.h, linux/unix_diag.h).
 *
 * The driver does not report which sockets a device has.  So each socket
 * carries the index of its device where sock_diag shows it: a TCP socket as its
 * priority (SO_PRIORITY), a UNIX socket in the name to which it is bound.
 */
#ifndef PORT_LINUX_SOCKDIAG_H
#define PORT_LINUX_SOCKDIAG_H

#include "port/ip.h"
#include "port/linux/netlink.h"

#include <sys/socket.h>

/* TLS_*_VERSION and TLS_CIPHER_* of linux/tls.h. */
struct sockdiag_tls {
	unsigned version, cipher;
};

struct sockdiag_link {
	unsigned family; /* AF_INET, AF_INET6, AF_UNIX */
	bool live;	 /* connected; a dead one soon leaves the list */
	/* from here on for TCP only */
	uint16_t local_port, peer_port;
	struct nbd_ip local, peer;
	struct sockdiag_tls tls; /* 0: in the clear, or unknown: the kernel */
				 /* reports it only to CAP_NET_ADMIN */
	uint64_t sent, received; /* bytes: acknowledged, and received */
	uint32_t rtt;		 /* us, smoothed */
	uint32_t min_rtt;	 /* us, of the last 5 minutes; 0: unknown */
	uint32_t retransmits;	 /* segments, so far */
	unsigned char id[48];	 /* struct inet_diag_sockid */
};

/* Marks the socket as one of nbdN.  TCP sockets need CAP_NET_ADMIN. */
int sockdiag_tag(int fd, int index);

/* Kinds of sockets.  The kernel has a module for each. */
#define SOCKDIAG_TCP  1u /* tcp_diag */
#define SOCKDIAG_UNIX 2u /* unix_diag */

/*
 * Calls fn for each socket of nbdN of those kinds in this network namespace.  s
 * is a NETLINK_SOCK_DIAG socket.  Loads the needed modules.  On failure fn has
 * not been called for all sockets.  NBD_E_NOT_FOUND: the kernel lacks a module.
 * It then runs /sbin/modprobe at each request and waits for it, which never
 * ends if modprobe is on a root whose server is away.
 */
int sockdiag_each(struct nl_sock *s, int index, unsigned kinds,
		  void (*fn)(void *ctx, const struct sockdiag_link *l),
		  void *ctx, struct nbd_diag *d);

/*
 * Ends a TCP connection as if the peer had reset it (requires CAP_NET_ADMIN and
 * CONFIG_INET_DIAG_DESTROY).  NBD_E_NOT_FOUND: it is gone already.
 */
int sockdiag_destroy(struct nl_sock *s, const struct sockdiag_link *l,
		     struct nbd_diag *d);

/* Is this answer about a socket of nbdN?  If so, fills in *l. */
bool sockdiag_read(const struct nl_reply *r, int index,
		   struct sockdiag_link *l);

#endif
