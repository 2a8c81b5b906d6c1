/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP over IPv4 on an interface that has no address yet, by a packet socket
 * (packet(7)): the IP and UDP headers are ours.
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
 * The payload of a UDP datagram for that port; NULL if this is none, or one
 * that is damaged, cut or a fragment.  *len is that of the packet and becomes
 * the payload's; padding behind the packet is cut off.  sums: whether the UDP
 * checksum is filled in already (between machines on one host it is not).
 */
unsigned char *packet_payload(unsigned char *p, size_t *len, unsigned port,
			      bool sums);

/*
 * A non-blocking socket that gets datagrams for that UDP port only, sent to
 * this interface, whatever their address.
 */
int packet_open(int index, unsigned port, struct nbd_diag *d);

/*
 * Broadcasts what packet_head() completed; len without PACKET_HEAD.  What
 * cannot be sent now is lost, as it may be on any network.
 */
void packet_send(int fd, int index, const unsigned char *buf, size_t len);

/*
 * One payload, in buf, its length in *len; NULL: nothing has come, or what
 * has come is not for that port or damaged.
 */
unsigned char *packet_recv(int fd, unsigned port, unsigned char *buf,
			   size_t cap, size_t *len);

/*
 * An ordinary non-blocking UDP socket on that port of the interface, for an
 * interface that has an address; it may broadcast.  alone: NBD_E_IN_USE if
 * another program has one there.
 */
int packet_udp(const char *interface, unsigned port, bool alone,
	       struct nbd_diag *d);

#endif
