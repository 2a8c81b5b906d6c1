/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of DHCPv6 about an address, and the client that they reach. */
#include "boot/net/lease6.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check_values(const struct lease6_values *v)
{
	same(v->server.len > 2 && v->server.len <= DUID6_MAX);
	same(v->status <= LEASE6_MULTICAST);
	same(v->config.n_dns <= DHCP6_DNS);
	same(memchr(v->config.url, '\0', sizeof(v->config.url)));
	if (!v->has)
		return;
	same(v->addr.ip[0] != 0xff && v->preferred <= v->valid);
	same(v->t1 && v->t1 <= v->t2 && (!v->valid || v->t2 <= v->valid));
}

/* Sends what is due, and gives it the message as an answer to that. */
static void answer(struct lease6 *d, uint8_t *p, size_t size)
{
	uint8_t buf[LEASE6_MAX];
	size_t len = net_lease6_send(d, buf, d->due);

	same(len <= sizeof(buf));
	if (!len || size < 4)
		return;
	memcpy(p + 1, buf + 1, 3);
	net_lease6_take(d, p, size, d->sent + 1);
	if (d->state == LEASE6_BOUND) {
		check_values(&d->lease);
		same(d->lease.has && d->lease.valid);
	}
}

static void check_client(const struct lease6_id *id, uint8_t *p, size_t size)
{
	struct lease6 d;
	uint8_t ours[16];

	net_lease6_start(&d, id, 1, 1000);
	same(!net_lease6_take(&d, p, size, 1000));
	for (unsigned i = 0; i < 4 && d.state != LEASE6_BOUND; i++)
		answer(&d, p, size);
	if (d.state != LEASE6_BOUND)
		return;
	/* the address in use does not change */
	memcpy(ours, d.lease.addr.ip, sizeof(ours));
	net_lease6_renewal(&d, 2, d.sent + 10);
	for (unsigned i = 0;
	     i < 4 && d.state != LEASE6_BOUND && d.state != LEASE6_LOST; i++)
		answer(&d, p, size);
	same(!memcmp(ours, d.lease.addr.ip, sizeof(ours)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t head[] = "\7\0\0\1"
				      "\0\1\0\x0a\0\3\0\1\x52\x54\0\1\2\3"
				      "\0\2\0\3abc"
				      "\0\x0e\0\0";
	const size_t n = sizeof(head) - 1;
	/* flush against its end, which the sanitizer guards */
	uint8_t *p = malloc(n + size);
	struct lease6_values v;
	struct lease6_id id;

	boot_lease6_id(&id, mac);
	/* past what is hard to guess: the input is the options */
	memcpy(p, head, n);
	if (size)
		memcpy(p + n, data, size);
	if (boot_lease6_parse(p, n + size, 1, &id, NULL, &v))
		check_values(&v);
	check_client(&id, p, n + size);
	free(p);
	p = malloc(size ? size : 1);
	if (size)
		memcpy(p, data, size);
	check_client(&id, p, size);
	free(p);
	return 0;
}
