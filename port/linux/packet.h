/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP over IPv4 on an interface without an address, through a packet socket
 * (packet(7)).
 */
#ifndef PORT_LINUX_PACKET_H
#define PORT_LINUX_PACKET_H

#include "port/port.h"
#include "port/udp4.h"

/*
 * Opens a non-blocking socket that receives only datagrams for that UDP port on
 * this interface, to any address.
 */
int packet_open(int index, unsigned port, struct nbd_diag *d);

/*
 * Broadcasts a datagram that udp4_head() completed; len does not include
 * UDP4_HEAD.  A datagram that cannot be sent now is dropped without an error.
 */
void packet_send(int fd, int index, const unsigned char *buf, size_t len);

/*
 * Reads the next datagram into buf.  Returns its payload in buf, and its length
 * in *len.  NULL: there is none, or it is damaged or for another port.
 */
unsigned char *packet_recv(int fd, unsigned port, unsigned char *buf,
			   size_t cap, size_t *len);

/*
 * Opens an ordinary non-blocking UDP socket on that port of an interface that
 * has an address; it may broadcast.  alone: do not share the port; NBD_E_IN_USE
 * if another program uses it there.
 */
int packet_udp(const char *interface, unsigned port, bool alone,
	       struct nbd_diag *d);

#endif
