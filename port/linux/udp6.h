/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP over IPv6 on one link, between link-local addresses. */
#ifndef PORT_LINUX_UDP6_H
#define PORT_LINUX_UDP6_H

#include "port/port.h"

/*
 * Opens a non-blocking socket on that port of ip, a link-local address of the
 * interface that is no longer tentative.  NBD_E_IN_USE: another program has the
 * port.
 */
int udp6_open(int index, const unsigned char ip[16], unsigned port,
	      struct nbd_diag *d);

/* Sends a datagram; one that cannot be sent now is dropped without an error. */
void udp6_send(int fd, int index, const unsigned char to[16], unsigned port,
	       const void *data, size_t len);

/*
 * Reads the next datagram and its length.  False: there is none, or it is
 * longer than cap.
 */
bool udp6_recv(int fd, void *buf, size_t cap, size_t *len);

#endif
