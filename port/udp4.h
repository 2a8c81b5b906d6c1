/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams of UDP over IPv4 with headers of our own, for a machine that has no
 * address yet.
 */
#ifndef NBD_UDP4_H
#define NBD_UDP4_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the IP and UDP headers in front of the payload. */
#define UDP4_HEAD 28

/*
 * Writes the headers of a datagram from 0.0.0.0 to 255.255.255.255 to buf.  The
 * payload is the len bytes at buf + UDP4_HEAD; from and to are UDP ports.
 */
void udp4_head(unsigned char *buf, size_t len, unsigned from, unsigned to);

/*
 * Returns the payload of a UDP datagram for that port, or NULL for any other
 * packet, or a damaged, truncated or fragmented one.  *len is the length of the
 * packet and becomes that of the payload, without padding.  sums: verify the
 * UDP checksum (between virtual machines on one host it is not filled in).
 */
unsigned char *udp4_payload(unsigned char *p, size_t *len, unsigned port,
			    bool sums);

#endif
