/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages of a network that did not come up. */
#include "boot/net/failure.h"

#include <string.h>

#include "boot/net/joblease6.h"
#include "boot/net/ra.h"
#include "port/text.h"

/*
 * Does the switch ask for a login there?  A VLAN, a bond or a bridge does not
 * hear that, but an interface below it, which has no job.
 */
static bool asks_login(const struct net *net, const struct job *j)
{
	for (unsigned i = 0; i < net->n_heard; i++) {
		const struct job *own = net->job;

		while (own < net->job + net->n && own->l.index != net->heard[i])
			own++;
		if (own == net->job + net->n || own->l.index == j->l.index)
			return true;
	}
	return false;
}

/* Nobody gave the job an address. */
static void explain_silence(const struct net *net, const struct job *j,
			    struct nbd_diag *d)
{
	const struct nbd_ip *refuser = &j->dhcp.refuser;
	bool offered = j->dhcp.state > DHCP_SELECTING || j->dhcp.broke.len;
	/* then the port forwards, whatever else arrives */
	bool heard = offered || j->dhcp.naks || j->ra || j->lease6.offered ||
		     j->lease6.refused;
	const char *name = j->l.name;

	if (!heard && asks_login(net, j))
		nbd_diag(d, 0,
			 "%s: the switch port demands a login by 802.1X (EAPOL "
			 "requests arrive): put wpa_supplicant in the "
			 "initramfs (make initramfs WITH=), let the switch "
			 "admit this MAC address (MAB) or put it in a guest "
			 "VLAN, or use a port without 802.1X",
			 name);
	else if (j->dhcp.naks)
		nbd_diag(d, 0,
			 "%s: the DHCP server %u.%u.%u.%u refuses what it "
			 "offers (NAK), and no other one has an address",
			 name, refuser->ip[0], refuser->ip[1], refuser->ip[2],
			 refuser->ip[3]);
	else if (j->ip->method == IP_DHCP)
		nbd_diag(d, 0, "%s: no DHCP server answered%s", name,
			 offered	 ? " the request, but one made an offer"
			 : j->dhcp.proxy ? " with an address, only one that "
					   "serves PXE beside another"
					 : "");
	/* ip=link6 waits for that alone, and does not note it */
	else if (!j->local.len)
		nbd_diag(d, 0,
			 "%s: the interface has no link-local address of IPv6: "
			 "is IPv6 off (ipv6.disable=1), or does another "
			 "machine have the same MAC address?",
			 name);
	else if (net_joblease6_explain(j, d))
		return;
	else if (j->ra & NET_RA_MANAGED)
		nbd_diag(d, 0,
			 "%s: a router leaves addresses to DHCPv6 (flag M), "
			 "from which nbdboot takes none: let the router "
			 "advertise a prefix with the flag A, or use ip=dhcp "
			 "or a static address",
			 name);
	else
		nbd_diag(d, 0, "%s: no router advertised an IPv6 prefix", name);
}

struct list {
	struct nbd_out o;
	char text[256];
};

static void add_link(void *ctx, const struct iface *iface)
{
	struct list *list = ctx;

	if (!iface->ether || iface->loopback)
		return;
	nbd_putf(&list->o, "%s%s ", list->o.len ? ", " : "", iface->name);
	nbd_put_mac(&list->o, iface->mac);
}

/* What udev names by more than iface_path.h knows. */
static bool is_of_udev(const char *device)
{
	return !strncmp(device, "en", 2) || !strncmp(device, "wl", 2) ||
	       !strncmp(device, "ib", 2);
}

static void explain_absence(const char *device, struct nbd_diag *d)
{
	struct list list = { .o = { .buf = list.text,
				    .cap = sizeof(list.text) - 1 } };
	struct nbd_diag why;

	if (iface_each(add_link, &list, &why) < 0)
		list.o.len = 0;
	list.text[list.o.len] = '\0';
	nbd_diag(d, 0, "there is no %s: is its driver in this initramfs?%s%s%s",
		 *device ? device : "network interface",
		 is_of_udev(device)
			 ? "  Before udev runs there are the kernel's names, "
			   "enx with the MAC and enpXsY"
			 : "",
		 list.o.len ? "  There is: " : "", list.text);
}

void net_explain(const struct net *net, const struct ip_config *ip,
		 const struct job *j, struct nbd_diag *d)
{
	const char *device = ip->device[0] ? ip->device
					   : "any network interface";

	if (j && j->state == JOB_FAILED)
		*d = j->why;
	else if (!j)
		explain_absence(ip->device, d);
	else if (!j->l.carrier)
		nbd_diag(d, 0, "no link on %s: is the cable in?", device);
	else
		explain_silence(net, j, d);
}
