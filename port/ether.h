/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An Ethernet interface without an operating system: all that a new world has
 * to bring for port/lwip.  Its owner fills it in and keeps it, with the state
 * of the driver behind it, for as long as a stack uses it.  Nothing here is
 * called from an interrupt, or by two threads at a time.
 */
#ifndef NBD_ETHER_H
#define NBD_ETHER_H

#include "core/nbd.h"

/* Bytes of a frame without its payload: addresses, type.  No checksum. */
#define NBD_ETHER_HEADER 14

struct nbd_ether {
	unsigned char mac[6];
	/* Bytes of payload in a frame, 576 to 9000; usually 1500. */
	uint16_t mtu;
	/*
	 * Bytes that a connection may announce as its window, for a driver
	 * that must not be sent more at once; 0: the configured ones.
	 */
	uint32_t window;
	/* Can frames pass?  NULL: always. */
	bool (*link)(struct nbd_ether *e);
	/*
	 * Sends one whole frame, from its header on, that lies in n pieces (at
	 * most NBD_ETHER_PIECES).  The memory is the caller's again on return.
	 * 0; NBD_E_AGAIN: no room now, the frame was not sent, and the caller
	 * drops or repeats it; another error: the frame is lost.
	 */
	int (*send)(struct nbd_ether *e, const struct nbd_iov v[], unsigned n);
	/*
	 * Writes the next frame that came, from its header on and without its
	 * checksum, to buf.  Returns its length (1 to NBD_ETHER_LENGTH), 0 if
	 * there is none, or an error.  A frame longer than cap is dropped.  It
	 * never waits.
	 *
	 * A driver may add flags to the length, and then wants a cap of
	 * NBD_ETHER_PIECE:
	 * NBD_ETHER_MORE      the frame goes on in what the next call returns
	 * NBD_ETHER_VERIFIED  the checksums of TCP and UDP in it are right, or
	 *		       were never filled in, as it did not leave this
	 *		       machine
	 */
	int (*receive)(struct nbd_ether *e, void *buf, size_t cap);
	/*
	 * Waits until a frame may have come, at most ms milliseconds; may
	 * return early.  NULL: the caller polls receive().
	 */
	void (*wait)(struct nbd_ether *e, unsigned ms);
};

#define NBD_ETHER_PIECES 8

/* Of what receive() returns. */
#define NBD_ETHER_LENGTH   0xffff
#define NBD_ETHER_MORE	   0x10000
#define NBD_ETHER_VERIFIED 0x20000
#define NBD_ETHER_PIECE	   1536

#endif
