/* SPDX-License-Identifier: BSD-2-Clause */
/* When a client of stateless DHCPv6 sends. */
#include "boot/net/dhcp6.h"

#include <string.h>

#include "port/retry.h"

/* ms: INF_MAX_DELAY, INF_TIMEOUT and INF_MAX_RT (RFC 8415, 7.6). */
#define DELAY_MS   1000
#define TIMEOUT_MS 1000
#define LONGEST_MS 3600000

void net_dhcp6_start(struct dhcp6 *d, const uint8_t mac[6], uint32_t seed,
		     uint64_t now)
{
	memset(d, 0, sizeof(*d));
	memcpy(d->mac, mac, sizeof(d->mac));
	d->random = seed;
	d->xid = nbd_retry_random(&d->random);
	d->started = now;
	d->due = now + nbd_retry_random(&d->random) % (DELAY_MS + 1);
}

/* RT = 2 * RTprev + RAND * RTprev, and RAND is from -0.1 to 0.1. */
static uint32_t next_timeout(struct dhcp6 *d)
{
	uint32_t before = d->sent ? d->timeout : TIMEOUT_MS;
	uint32_t base = d->sent ? before * 2 : before;

	if (base > LONGEST_MS)
		base = before = LONGEST_MS;
	return base - before / 10 +
	       nbd_retry_random(&d->random) % (before / 10 * 2 + 1);
}

size_t net_dhcp6_send(struct dhcp6 *d, uint8_t buf[DHCP6_MAX], uint64_t now)
{
	uint64_t elapsed;

	if (!d->sent)
		d->first = now;
	elapsed = (now - d->first) / 10;
	d->timeout = next_timeout(d);
	d->due = now + d->timeout;
	d->sent++;
	return net_dhcp6_build(buf, d->xid, d->mac,
			       (uint16_t)(elapsed < UINT16_MAX ? elapsed
							       : UINT16_MAX));
}

bool net_dhcp6_take(struct dhcp6 *d, const uint8_t *p, size_t len)
{
	struct dhcp6_reply r;

	/* before the first message nobody can know its transaction ID */
	if (d->answered || !d->sent ||
	    !net_dhcp6_parse(p, len, d->xid, d->mac, &r))
		return false;
	d->reply = r;
	d->answered = true;
	d->due = UINT64_MAX;
	return true;
}
