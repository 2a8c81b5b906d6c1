/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams from the network: IP, UDP, DHCP, and the states of a client. */
#include "boot/net/dhcp.h"
#include "port/linux/packet.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check_lease(const struct dhcp_lease *l)
{
	struct dhcp_route r;
	unsigned at = 0;

	same(l->addr.prefix >= 1 && l->addr.prefix <= 32 &&
	     l->n_dns <= DHCP_DNS);
	same(l->route_bytes <= sizeof(l->routes));
	same(l->t1 > 0 && l->t1 <= l->t2);
	same(strlen(l->host) < sizeof(l->host) && !strchr(l->host, '\''));
	same(strlen(l->domain) < sizeof(l->domain));
	same(strlen(l->root_path) < sizeof(l->root_path));
	while (boot_dhcp_route(l, &at, &r))
		same(r.to.prefix <= 32 && at <= l->route_bytes);
}

/* A copy flush against its end, which the sanitizer guards. */
static unsigned char *copy(const uint8_t *data, size_t size)
{
	unsigned char *p = malloc(size ? size : 1);

	if (size)
		memcpy(p, data, size);
	return p;
}

static void check_packet(const uint8_t *data, size_t size)
{
	unsigned char *p = copy(data, size), *payload;
	size_t len = size;

	payload = udp4_payload(p, &len, DHCP_CLIENT, size & 1);
	if (payload)
		same(payload >= p + UDP4_HEAD && payload + len <= p + size);
	free(p);
}

/* The message as an answer to the client in each of its states. */
static void check_client(const uint8_t *data, size_t size)
{
	unsigned char *p = copy(data, size);
	uint8_t buf[DHCP_MAX], addr[4];
	struct dhcp d;
	uint64_t now = 1000;

	net_dhcp_start(&d, mac, "", 1, now);
	d.need_path = size & 1;
	for (int i = 0; i < 8; i++) {
		enum dhcp_state before;

		if (net_dhcp_send(&d, buf, now) && size >= 8)
			memcpy(p + 4, buf + 4, 4); /* the xid */
		before = d.state;
		same(net_dhcp_take(&d, p, size, now) || d.state == before);
		if (d.state == DHCP_BOUND) {
			check_lease(&d.lease);
			/* a renewal is about the address that is in use */
			same(before == DHCP_REQUESTING ||
			     !memcmp(addr, d.lease.addr.ip, sizeof(addr)));
			memcpy(addr, d.lease.addr.ip, sizeof(addr));
			net_dhcp_renewal(&d, mac, 2, now);
		}
		if (i == 3 && size > 242)
			p[242] = DHCP_ACK; /* an offer, then its ACK */
		now += 100000;
	}
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *p = copy(data, size);
	struct dhcp_lease l;

	/* past what is easy to guess */
	if (size >= 240) {
		memcpy(p, "\2\1\6\0\0\0\0\1", 8);
		memcpy(p + 28, mac, 6);
		memcpy(p + 236, "\x63\x82\x53\x63", 4);
	}
	if (boot_dhcp_parse(p, size, 1, mac, &l) == DHCP_ACK)
		check_lease(&l);
	check_client(p, size);
	free(p);
	check_packet(data, size);
	return 0;
}
