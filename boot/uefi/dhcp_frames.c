/* SPDX-License-Identifier: BSD-2-Clause */
/* DHCP in frames: DISCOVER, OFFER, REQUEST, ACK. */
#include "boot/uefi/dhcp_frames.h"
#include "port/udp4.h"

#include <string.h>

/* The type in an Ethernet header, and that of IPv4. */
#define TYPE_AT 12
static const uint8_t ipv4[] = { 0x08, 0x00 };

static int send(struct nbd_ether *e, const struct dhcp_query *q)
{
	uint8_t frame[NBD_ETHER_HEADER + UDP4_HEAD + DHCP_MAX];
	uint8_t *packet = frame + NBD_ETHER_HEADER;
	size_t len = net_dhcp_build(packet + UDP4_HEAD, q);
	struct nbd_iov v = { frame, NBD_ETHER_HEADER + UDP4_HEAD + len };

	memset(frame, 0xff, 6);
	memcpy(frame + 6, e->mac, 6);
	memcpy(frame + TYPE_AT, ipv4, sizeof(ipv4));
	udp4_head(packet, len, DHCP_CLIENT, DHCP_SERVER);
	return e->send(e, &v, 1);
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

/* The answer to q that comes before the time `end`; 0: none. */
static int answer(struct dhcp_lease *l, struct nbd_ether *e,
		  const struct dhcp_query *q, uint64_t end)
{
	uint8_t frame[NBD_ETHER_PIECE];

	for (;;) {
		int got = e->receive(e, frame, sizeof(frame)), type = 0;
		size_t n = got & NBD_ETHER_LENGTH;
		const uint8_t *msg = NULL;

		/* a piece of a longer frame is none either */
		if (got > 0)
			msg = message(frame, &n, got & NBD_ETHER_VERIFIED);
		if (msg)
			type = net_dhcp_parse(msg, n, q->xid, q->mac, l);
		if (type)
			return type;
		if (nbd_now_ms() >= end)
			return 0;
		if (got <= 0 && e->wait)
			e->wait(e, 10);
	}
}

/* Offer and acknowledgement; true: *l is ours. */
static bool exchange(struct dhcp_lease *l, struct nbd_ether *e,
		     struct dhcp_query *q, uint64_t end)
{
	struct dhcp_lease offer;

	q->type = DHCP_DISCOVER;
	q->ours = NULL;
	send(e, q);
	do {
		int type = answer(&offer, e, q, end);

		if (!type)
			return false;
		if (type == DHCP_OFFER)
			break;
	} while (true);
	q->type = DHCP_REQUEST;
	q->ours = &offer;
	send(e, q);
	for (;;) {
		int type = answer(l, e, q, end);

		/* others may offer theirs meanwhile */
		if (type == DHCP_ACK)
			return true;
		if (type != DHCP_OFFER)
			return false;
	}
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

int uefi_dhcp(struct dhcp_lease *l, struct nbd_ether *e, uint32_t xid,
	      unsigned ms, struct nbd_diag *d)
{
	uint64_t begin = nbd_now_ms(), end = begin + ms;
	struct dhcp_query q = { .xid = xid, .host = "" };
	uint64_t pause = 1000, now;

	memcpy(q.mac, e->mac, sizeof(q.mac));
	if (!wait_link(e, begin + ms / 4))
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"DHCP: the interface has no link");
	while ((now = nbd_now_ms()) < end) {
		q.secs = (uint16_t)((now - begin) / 1000);
		if (exchange(l, e, &q, now + pause < end ? now + pause : end))
			return NBD_OK;
		pause = pause < 8000 ? pause * 2 : pause;
		q.xid++;
	}
	return nbd_diag(d, NBD_E_TIMEOUT,
			"DHCP: no lease within %u s (is there a DHCP server on "
			"this network? ip= sets a fixed address)",
			ms / 1000);
}
