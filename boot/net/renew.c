/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of a machine that runs, over ordinary UDP. */
#include "boot/net/renew.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/net/export.h"
#include "boot/net/job.h"
#include "port/linux/packet.h"

static struct job j;

static void send_to(int fd, struct dhcp *dhcp, uint64_t now)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(DHCP_SERVER),
				  .sin_addr = { htonl(INADDR_BROADCAST) } };
	uint8_t buf[DHCP_MAX];
	size_t len = net_dhcp_send(dhcp, buf, now);

	if (dhcp->state == DHCP_RENEWING)
		memcpy(&to.sin_addr, dhcp->lease.server, 4);
	/* what cannot be sent now is sent when the next one is due */
	if (len)
		sendto(fd, buf, len, 0, (struct sockaddr *)&to, sizeof(to));
}

/* Sends and receives until the lease is renewed or lost, or time is over. */
static void talk(int fd, struct dhcp *dhcp, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now;

	while ((dhcp->state == DHCP_RENEWING ||
		dhcp->state == DHCP_REBINDING) &&
	       (now = nbd_now_ms()) < end) {
		uint64_t next = dhcp->due < end ? dhcp->due : end;
		uint8_t buf[1500];
		ssize_t n;

		if (next <= now)
			send_to(fd, dhcp, now);
		else if (poll(&p, 1, (int)(next - now)) > 0 &&
			 (n = recv(fd, buf, sizeof(buf), 0)) > 0)
			net_dhcp_take(dhcp, buf, (size_t)n, now);
	}
}

int net_renew_read(struct dhcp **dhcp, struct nbd_diag *d)
{
	static struct ip_config ip;
	int rc = net_export_read(j.l.name, &j.dhcp, d);

	if (!rc)
		rc = link_find(j.l.name, &j.l, d);
	j.ip = &ip;
	*dhcp = &j.dhcp;
	return rc < 0 ? rc : NBD_OK;
}

static void take_name(void *ctx, const struct link *l)
{
	(void)ctx;
	if (l->index == j.l.index)
		j.l = *l;
}

int net_renew_once(unsigned timeout_ms, bool alone, struct nbd_diag *d)
{
	uint64_t now = nbd_now_ms();
	uint32_t seed;
	int fd, rc = link_each(take_name, NULL, d);

	fd = rc < 0 ? rc : packet_udp(j.l.name, DHCP_CLIENT, alone, d);
	if (fd == NBD_E_IN_USE)
		nbd_diag(d, 0,
			 "another DHCP client has the interface, and the "
			 "lease from now on");
	if (fd < 0)
		return fd;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uint32_t)now;
	net_dhcp_renewal(&j.dhcp, j.l.mac, seed, now);
	talk(fd, &j.dhcp, now + timeout_ms);
	close(fd);
	if (j.dhcp.state == DHCP_LOST)
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"%s: the DHCP server refuses to renew the "
				"lease (DHCPNAK)",
				j.l.name);
	if (j.dhcp.state != DHCP_BOUND)
		return nbd_diag(d, NBD_E_TIMEOUT,
				j.dhcp.other
					? "%s: the DHCP server answered with "
					  "another address, which is not used"
					: "%s: no DHCP server answered",
				j.l.name);
	j.addr = (struct link_addr){ .family = AF_INET,
				     .prefix = j.dhcp.lease.prefix };
	memcpy(j.addr.ip, j.dhcp.lease.addr, 4);
	return NBD_OK;
}

int net_renew_keep(struct nbd_diag *d)
{
	static struct net_plan plan;
	struct net_state s;

	net_job_state(&j, &plan, &s);
	return net_export_lease(&s, &j.dhcp, true, d);
}

int net_dhcp_renew(unsigned timeout_ms, struct nbd_diag *d)
{
	struct dhcp *dhcp;
	int rc = net_renew_read(&dhcp, d);

	if (!rc)
		rc = net_renew_once(timeout_ms, false, d);
	if (!rc)
		rc = net_renew_keep(d);
	return rc < 0 ? rc
		      : (int)(dhcp->lease.t1 > 0x7fffffff ? 0x7fffffff
							  : dhcp->lease.t1);
}
