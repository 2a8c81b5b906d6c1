/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client of stateless DHCPv6 (RFC 8415, 18.2.6), without I/O and without a
 * clock: the caller sends the output of net_dhcp6_send() when `due` has come,
 * passes received datagrams to net_dhcp6_take(), and decides when to give up.
 *
 * The first message waits up to 1 s, so that machines that hear the same
 * advertisement do not all ask at once.  The pauses after it are 1, 2, 4 ... s,
 * a tenth more or less.
 */
#ifndef BOOT_NET_DHCP6_H
#define BOOT_NET_DHCP6_H

#include "boot/words/dhcp6_msg.h"

struct dhcp6 {
	bool answered;
	uint8_t mac[6];
	uint32_t random, xid;
	unsigned sent;	  /* messages */
	uint32_t timeout; /* ms; RT of RFC 8415, 15 */
	uint64_t started; /* ms; all times are of one clock of the caller's */
	uint64_t first;	  /* ms; when the first message was sent */
	uint64_t due;	  /* ms; when to send next; UINT64_MAX once answered */
	struct dhcp6_reply reply;
};

/* Initializes dhcp6.  seed is a random number. */
void net_dhcp6_start(struct dhcp6 *dhcp6, const uint8_t mac[6], uint32_t seed,
		     uint64_t now);

/* Writes the message, sets the time of the next one, returns the length. */
size_t net_dhcp6_send(struct dhcp6 *dhcp6, uint8_t buf[DHCP6_MAX],
		      uint64_t now);

/*
 * Reads a datagram for the client's port.  One that is malformed or unexpected
 * changes nothing.  Returns true if it is the answer.
 */
bool net_dhcp6_take(struct dhcp6 *dhcp6, const uint8_t *p, size_t len);

#endif
