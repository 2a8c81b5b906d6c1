/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket of a job, and what its messages begin with. */
#include "boot/net/job6.h"

#include <sys/random.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/udp6.h"

void net_job_close(struct job *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
}

uint32_t net_job_seed(const unsigned char mac[6], uint64_t now)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uint32_t)now;
	for (unsigned i = 0; i < 6; i++)
		seed = seed * 31 + mac[i];
	return seed;
}

/* All_DHCP_Relay_Agents_and_Servers, ff02::1:2 */
static const unsigned char servers[16] = { 0xff, 2, [13] = 1, [15] = 2 };

bool net_job6_open(struct job *j)
{
	struct nbd_diag d;

	j->fd = udp6_open(j->l.index, j->local.ip, DHCP6_CLIENT, &d);
	if (j->fd < 0) {
		j->no_dhcp6 = true;
		boot_say("%s: DHCPv6 is not possible: %s", j->l.name, d.text);
	}
	return j->fd >= 0;
}

void net_job6_send(const struct job *j, const void *p, size_t len)
{
	udp6_send(j->fd, j->l.index, servers, DHCP6_SERVER, p, len);
}
