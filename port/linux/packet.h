/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP over IPv4 on an interface without an address, by a packet socket
 * (packet(7)): we write and read the IP and UDP headers.
 */
#ifndef PORT_LINUX_PACKET_H
#define PORT_LINUX_PACKET_H

#include "port/port.h"

/* Bytes in front of the payload. */
#define PACKET_HEAD 28

/*
 * Writes the headers of a datagram from 0.0.0.0 to 255.255.255.255 in front
 * of the len bytes that are at buf + PACKET_HEAD.
 */
void packet_head(unsigned char *buf, size_t len, unsigned from, unsigned to);

/*
 * The payload of a UDP datagram for that port.  NULL: another packet, or a
 * damaged, truncated or fragmented one.  *len is the length of the packet and
 * becomes that of the payload, without padding.  sums: the UDP checksum is
 * filled in (between virtual machines on one host it is not).
 */
unsigned char *packet_payload(unsigned char *p, size_t *len, unsigned port,
			      bool sums);

/*
 * A non-blocking socket that receives only datagrams for that UDP port on this
 * interface, whatever their address.
 */
int packet_open(int index, unsigned port, struct nbd_diag *d);

/*
 * Broadcasts a datagram that packet_head() completed; len without PACKET_HEAD.
 * A datagram that cannot be sent now is lost, as on any network.
 */
void packet_send(int fd, int index, const unsigned char *buf, size_t len);

/*
 * The payload of the next datagram, which lies in buf, and its length in *len.
 * NULL: there is none, or it is damaged or for another port.
 */
unsigned char *packet_recv(int fd, unsigned port, unsigned char *buf,
			   size_t cap, size_t *len);

/*
 * An ordinary non-blocking UDP socket on that port of an interface that has an
 * address; it may broadcast.  alone: NBD_E_IN_USE if another program uses the
 * port there.
 */
int packet_udp(const char *interface, unsigned port, bool alone,
	       struct nbd_diag *d);

#endif
