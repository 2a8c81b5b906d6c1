/* SPDX-License-Identifier: BSD-2-Clause */
/* When a client of stateless DHCPv6 sends. */
#include "boot/net/dhcp6.h"

#include <string.h>

#include "port/retry.h"

/* ms: INF_MAX_DELAY, INF_TIMEOUT and INF_MAX_RT (RFC 8415, 7.6). */
#define DELAY_MS   1000
#define TIMEOUT_MS 1000
#define LONGEST_MS 3600000

void net_dhcp6_start(struct dhcp6 *dhcp6, const uint8_t mac[6], uint32_t seed,
		     uint64_t now)
{
	memset(dhcp6, 0, sizeof(*dhcp6));
	memcpy(dhcp6->mac, mac, sizeof(dhcp6->mac));
	dhcp6->random = seed;
	dhcp6->xid = nbd_retry_random(&dhcp6->random);
	dhcp6->started = now;
	dhcp6->due = now + nbd_retry_random(&dhcp6->random) % (DELAY_MS + 1);
}

/* RT = 2 * RTprev + RAND * RTprev, and RAND is from -0.1 to 0.1. */
static uint32_t next_timeout(struct dhcp6 *dhcp6)
{
	uint32_t before = dhcp6->sent ? dhcp6->timeout : TIMEOUT_MS;
	uint32_t base = dhcp6->sent ? before * 2 : before;

	if (base > LONGEST_MS)
		base = before = LONGEST_MS;
	return base - before / 10 +
	       nbd_retry_random(&dhcp6->random) % (before / 10 * 2 + 1);
}

size_t net_dhcp6_send(struct dhcp6 *dhcp6, uint8_t buf[DHCP6_MAX], uint64_t now)
{
	uint64_t elapsed;

	if (!dhcp6->sent)
		dhcp6->first = now;
	elapsed = (now - dhcp6->first) / 10;
	dhcp6->timeout = next_timeout(dhcp6);
	dhcp6->due = now + dhcp6->timeout;
	dhcp6->sent++;
	return boot_dhcp6_build(buf, dhcp6->xid, dhcp6->mac,
				(uint16_t)(elapsed < UINT16_MAX ? elapsed
								: UINT16_MAX));
}

bool net_dhcp6_take(struct dhcp6 *dhcp6, const uint8_t *p, size_t len)
{
	struct dhcp6_reply r;

	/* before the first message nobody can know its transaction ID */
	if (dhcp6->answered || !dhcp6->sent ||
	    !boot_dhcp6_parse(p, len, dhcp6->xid, dhcp6->mac, &r))
		return false;
	dhcp6->reply = r;
	dhcp6->answered = true;
	dhcp6->due = UINT64_MAX;
	return true;
}
