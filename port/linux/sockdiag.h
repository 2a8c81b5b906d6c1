/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What Linux tells of the TCP sockets that are open, whoever opened them: the
 * TLS that is done in the kernel (sock_diag(7), linux/inet_diag.h).
 */
#ifndef PORT_LINUX_SOCKDIAG_H
#define PORT_LINUX_SOCKDIAG_H

#include "port/linux/netlink.h"

/* Whom a socket is connected to. */
struct sockdiag_peer {
	uint16_t port;
	size_t len; /* of addr: 4, 16, or 0 where any address will do */
	unsigned char addr[16];
};

/* TLS_1_2_VERSION and TLS_CIPHER_* of linux/tls.h, or their like. */
struct sockdiag_tls {
	unsigned version, cipher;
};

/*
 * The TLS of the established sockets to a peer, asked for through s, a socket
 * of NETLINK_SOCK_DIAG.  Loads the module that it takes.  NBD_E_NOT_FOUND:
 * there are none with TLS both ways, or they differ, or the kernel does not
 * tell, as it tells only who has CAP_NET_ADMIN.
 */
int sockdiag_tls(struct nl_sock *s, const struct sockdiag_peer *peer,
		 struct sockdiag_tls *tls, struct nbd_diag *d);

/* Is this answer about an established socket to peer, with TLS both ways? */
bool sockdiag_read(const struct nl_reply *r, const struct sockdiag_peer *peer,
		   struct sockdiag_tls *tls);

#endif
