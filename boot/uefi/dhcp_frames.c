/* SPDX-License-Identifier: BSD-2-Clause */
/* DHCP in frames: DISCOVER, OFFER, REQUEST, ACK. */
#include "boot/uefi/dhcp_frames.h"

#include <string.h>

/* Ethernet, IPv4 without options, UDP. */
#define IP	 NBD_ETHER_HEADER
#define IP_LEN	 20u
#define UDP_LEN	 8u
#define OVERHEAD (IP + IP_LEN + UDP_LEN)

static unsigned be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint32_t sum(uint32_t s, const uint8_t *p, size_t len)
{
	for (; len > 1; p += 2, len -= 2)
		s += be16(p);
	return len ? s + ((unsigned)*p << 8) : s;
}

/* 0 over data with its right checksum. */
static unsigned checksum(uint32_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s & 0xffff;
}

static int send(struct nbd_ether *e, const struct dhcp_query *q)
{
	uint8_t head[OVERHEAD], msg[DHCP_MAX], *ip = head + IP;
	size_t len = net_dhcp_build(msg, q);
	struct nbd_iov v[] = { { head, sizeof(head) }, { msg, len } };

	memset(head, 0, sizeof(head));
	memset(head, 0xff, 6);
	memcpy(head + 6, e->mac, 6);
	head[12] = 8; /* IPv4 */
	ip[0] = 0x45;
	put16(ip + 2, IP_LEN + UDP_LEN + len);
	ip[8] = 64; /* hops */
	ip[9] = 17; /* UDP */
	memset(ip + 16, 0xff, 4);
	put16(ip + 10, checksum(sum(0, ip, IP_LEN)));
	put16(ip + 20, DHCP_CLIENT);
	put16(ip + 22, DHCP_SERVER);
	put16(ip + 24, UDP_LEN + len);
	/* a checksum of 0 means that there is none */
	return e->send(e, v, 2);
}

const uint8_t *uefi_dhcp_open(const uint8_t *frame, size_t len, size_t *n)
{
	const uint8_t *ip = frame + IP, *udp;
	size_t head, all;

	if (len < OVERHEAD || be16(frame + 12) != 0x800 || ip[0] >> 4 != 4)
		return NULL;
	head = (ip[0] & 15u) * 4;
	all = be16(ip + 2);
	if (head < IP_LEN || all < head + UDP_LEN || all > len - IP ||
	    ip[9] != 17 || be16(ip + 6) & 0x3fff || checksum(sum(0, ip, head)))
		return NULL;
	udp = ip + head;
	*n = be16(udp + 4);
	if (be16(udp + 2) != DHCP_CLIENT || *n < UDP_LEN || *n > all - head)
		return NULL;
	/* with the pseudo header: addresses, protocol, length */
	if (be16(udp + 6) &&
	    checksum(sum(17 + (uint32_t)*n, ip + 12, 8) + sum(0, udp, *n)))
		return NULL;
	*n -= UDP_LEN;
	return udp + UDP_LEN;
}

/* The answer to q that comes before the time `end`; 0: none. */
static int answer(struct dhcp_lease *l, struct nbd_ether *e,
		  const struct dhcp_query *q, uint64_t end)
{
	uint8_t frame[NBD_ETHER_HEADER + 1500];

	for (;;) {
		int len = e->receive(e, frame, sizeof(frame)), type = 0;
		const uint8_t *msg;
		size_t n;

		msg = len > 0 ? uefi_dhcp_open(frame, (size_t)len, &n) : NULL;
		if (msg)
			type = net_dhcp_parse(msg, n, q->xid, q->mac, l);
		if (type)
			return type;
		if (nbd_now_ms() >= end)
			return 0;
		if (len <= 0 && e->wait)
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
