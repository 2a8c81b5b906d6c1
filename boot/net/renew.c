/* SPDX-License-Identifier: BSD-2-Clause */
/* Renews the lease of a running machine, over ordinary UDP. */
#include "boot/net/renew.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/words/cmdline.h"
#include "boot/net/handoff.h"
#include "boot/net/kept.h"
#include "boot/net/renew6.h"
#include "boot/net/select.h"
#include "port/linux/file.h"
#include "port/linux/packet.h"

/* s that an address lives at least: the old root is unmounted over it. */
#define LIFE_MIN 3600

static void send_to(int fd, struct dhcp *dhcp, uint64_t now)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(DHCP_SERVER),
				  .sin_addr = { htonl(INADDR_BROADCAST) } };
	uint8_t buf[DHCP_MAX];
	size_t len = net_dhcp_send(dhcp, buf, now);

	if (dhcp->state == DHCP_RENEWING)
		memcpy(&to.sin_addr, dhcp->lease.server.ip, 4);
	/* a message that cannot be sent counts as lost */
	if (len)
		sendto(fd, buf, len, 0, (struct sockaddr *)&to, sizeof(to));
}

/*
 * Sends and receives until the lease is renewed or lost, or the time is over.
 */
static void talk(int fd, struct dhcp *dhcp, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now;

	while (dhcp->state != DHCP_BOUND && dhcp->state != DHCP_LOST &&
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

/*
 * Without the words of the command line the files of a renewed lease would lack
 * what the lease does not have.
 */
static void read_plan(struct net_renewal *r)
{
	struct job *j = &r->j;
	struct cmdline c;
	struct nbd_diag d;

	j->ip = &r->ip;
	/* a wrong word was reported when the machine booted */
	if (boot_cmdline_read(&c, &d))
		return;
	(void)boot_plan_parse(&r->plan, c.line, NULL, &d);
	for (unsigned i = 0; i < r->plan.n_ip; i++)
		if (!r->plan.ip[i].device[0] ||
		    net_select_is_of(&r->plan.ip[i], &j->l))
			j->ip = &r->plan.ip[i];
}

int net_renew_read(struct net_renewal *r, struct nbd_diag *d)
{
	struct job *j = &r->j;
	struct net_kept k;
	int rc;

	memset(r, 0, sizeof(*r));
	r->run = file_run();
	rc = net_kept_read(r->run, &k, d);
	if (!rc) {
		memcpy(j->l.name, k.name, sizeof(k.name));
		j->local = k.local;
		j->addr = net_kept_addr(&k);
		j->dhcp = k.dhcp;
		j->lease6 = k.lease6;
		r->kept = net_kept_bound(&k);
		rc = iface_find(j->l.name, &j->l, d);
	}
	read_plan(r);
	return rc < 0 ? rc : NBD_OK;
}

static int result(const struct job *j, struct nbd_diag *d)
{
	switch (j->dhcp.state) {
	case DHCP_BOUND:
		return NBD_OK;
	case DHCP_LOST:
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"%s: the DHCP server refuses to renew the "
				"lease (DHCPNAK)",
				j->l.name);
	default:
		return nbd_diag(d, NBD_E_TIMEOUT,
				j->dhcp.other
					? "%s: the DHCP server answered with "
					  "another address, which is not used"
					: "%s: no DHCP server answered",
				j->l.name);
	}
}

int net_renew_once(struct net_renewal *r, unsigned timeout_ms, bool alone,
		   struct nbd_diag *d)
{
	struct job *j = &r->j;
	uint64_t now = nbd_now_ms();
	int fd, rc;

	if (net_lease6_begun(&r->j.lease6))
		return net_renew6_once(r, timeout_ms, d);
	rc = iface_refresh(&j->l, d);
	fd = rc < 0 ? rc : packet_udp(j->l.name, DHCP_CLIENT, alone, d);
	if (fd == NBD_E_IN_USE)
		nbd_diag(d, 0,
			 "another DHCP client has the interface, and the "
			 "lease from now on");
	if (fd < 0)
		return fd;
	r->resumed = false;
	net_dhcp_renewal(&j->dhcp, j->l.mac, net_job_seed(j->l.mac, now), now);
	/* what the boot sent: a server may not have sent it back */
	if (j->ip->host[0])
		j->dhcp.q.host = j->ip->host;
	talk(fd, &j->dhcp, now + timeout_ms);
	close(fd);
	return result(j, d);
}

int net_renew_keep(struct net_renewal *r, struct nbd_diag *d)
{
	const struct job *j = &r->j;
	uint64_t bound = net_lease6_begun(&j->lease6) ? j->lease6.bound
						      : j->dhcp.bound;
	struct net_state s;

	if (bound == r->kept)
		return NBD_OK;
	r->kept = bound;
	net_job_state(&r->j, &r->plan, &s);
	return net_handoff_lease(r->run, &s, &r->j.dhcp, true, d);
}

void net_renew_expire(void)
{
	uint64_t left, least = LIFE_MIN * 1000;
	struct iface_addr ours = { 0 };
	struct net_kept k;
	struct nbd_diag d;
	int run = file_run(), rc = net_kept_read(run, &k, &d);

	close(run);
	if (rc)
		return;
	ours.a = net_kept_addr(&k);
	/* the kernel knows the lifetime of one that has another client */
	if (iface_refresh_addr(&ours, &d) || !ours.index || !ours.lasting)
		return;
	left = net_renew_left(net_kept_bound(&k), net_kept_seconds(&k),
			      nbd_now_ms());
	if (left < least)
		left = least;
	/* if this fails, it lasts as it did */
	(void)iface_add_addr(ours.index, &ours.a, (uint32_t)(left / 1000), &d);
}
