/* SPDX-License-Identifier: BSD-2-Clause */
/* DHCP in frames: the client of boot/net, over Ethernet, IPv4 and UDP. */
#include "boot/uefi/dhcp_frames.h"

#include <string.h>

#include "boot/net/dhcp.h"
#include "port/udp4.h"

/*
 * ms between two messages at most: a port of a switch may pass them only after
 * a while.
 */
#define PAUSE_MAX 8000

/* The type in an Ethernet header, and that of IPv4. */
#define TYPE_AT 12
static const uint8_t ipv4[] = { 0x08, 0x00 };

static void send(struct nbd_ether *e, struct dhcp *dhcp, uint64_t now)
{
	uint8_t frame[NBD_ETHER_HEADER + UDP4_HEAD + DHCP_MAX];
	uint8_t *packet = frame + NBD_ETHER_HEADER;
	size_t len = net_dhcp_send(dhcp, packet + UDP4_HEAD, now);
	struct nbd_iov v = { frame, NBD_ETHER_HEADER + UDP4_HEAD + len };

	memset(frame, 0xff, 6);
	memcpy(frame + 6, e->mac, 6);
	memcpy(frame + TYPE_AT, ipv4, sizeof(ipv4));
	udp4_head(packet, len, DHCP_CLIENT, DHCP_SERVER);
	e->send(e, &v, 1);
}

/* The DHCP message in a frame of *len bytes, whose length *len becomes. */
static const uint8_t *message(uint8_t *frame, size_t *len, bool verified)
{
	if (*len < NBD_ETHER_HEADER ||
	    memcmp(frame + TYPE_AT, ipv4, sizeof(ipv4)))
		return NULL;
	*len -= NBD_ETHER_HEADER;
	return udp4_payload(frame + NBD_ETHER_HEADER, len, DHCP_CLIENT,
			    !verified);
}

/* Takes the next frame if it is an answer; waits if there is none. */
static void receive(struct nbd_ether *e, struct dhcp *dhcp)
{
	uint8_t frame[NBD_ETHER_PIECE];
	int got = e->receive(e, frame, sizeof(frame));
	size_t n = got & NBD_ETHER_LENGTH;
	const uint8_t *msg = NULL;

	/* a piece of a longer frame is none either */
	if (got > 0)
		msg = message(frame, &n, got & NBD_ETHER_VERIFIED);
	else if (e->wait)
		e->wait(e, 10);
	if (msg)
		net_dhcp_take(dhcp, msg, n, nbd_now_ms());
}

static bool wait_link(struct nbd_ether *e, uint64_t end)
{
	while (e->link && !e->link(e)) {
		if (nbd_now_ms() >= end)
			return false;
		if (e->wait)
			e->wait(e, 10);
	}
	return true;
}

/*
 * We ask for routes (option 121), and a server that sends them should leave the
 * router out (RFC 3442).  Of routes the firmware needs the default one.
 */
static void take_route(struct dhcp_lease *l)
{
	struct dhcp_route r;
	unsigned at = 0;

	while (boot_dhcp_route(l, &at, &r))
		if (!r.to.prefix && r.via.len)
			l->router = r.via;
}

int uefi_dhcp(struct dhcp_lease *l, struct nbd_ether *e, uint32_t seed,
	      bool need_path, unsigned ms, struct nbd_diag *d)
{
	uint64_t begin = nbd_now_ms(), end = begin + ms, now;
	struct dhcp dhcp;

	if (!wait_link(e, begin + ms / 4))
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"DHCP: the interface has no link");
	net_dhcp_start(&dhcp, e->mac, "", seed, nbd_now_ms());
	dhcp.need_path = need_path;
	while (dhcp.state != DHCP_BOUND && (now = nbd_now_ms()) < end) {
		if (now >= dhcp.due)
			send(e, &dhcp, now);
		if (dhcp.due > now + PAUSE_MAX)
			dhcp.due = now + PAUSE_MAX;
		receive(e, &dhcp);
	}
	if (dhcp.state == DHCP_BOUND) {
		*l = dhcp.lease;
		take_route(l);
		return NBD_OK;
	}
	return nbd_diag(d, NBD_E_TIMEOUT,
			"DHCP: no lease within %u s (is there a DHCP server on "
			"this network? ip= sets a fixed address)",
			ms / 1000);
}
