/* SPDX-License-Identifier: BSD-2-Clause */
/* Which interface, and which address. */
#include "boot/uefi/nic.h"

#include <string.h>

#include "boot/uefi/dhcp_frames.h"
#include "port/lwip/lwip.h"

/*
 * ms: for a lease, and for a router's advertisement.  A port of a switch with
 * spanning tree (802.1D) passes nothing in the first 30 s of its link.
 */
#define LEASE_MS 45000
/* The same for the first try of each, where IPv6 may be all there is. */
#define FIRST_MS 5000

const struct ip_methods boot_ip_methods = {
	.unsaid = IP_DHCP,
	.bits = 1u << IP_OFF | 1u << IP_STATIC | 1u << IP_DHCP | 1u << IP_LINK |
		(LWIP_IPV6 ? 1u << IP_AUTO6 : 0),
	.has = LWIP_IPV6 ? "static addresses, DHCP of IPv4, and auto6"
			 : "static addresses and DHCP, of IPv4",
};

static void connect_all(const struct efi_guid *g, bool recursive)
{
	efi_handle *list;
	size_t n = efi_handles(g, &list);

	for (size_t i = 0; i < n; i++)
		efi.bs->connect(list[i], NULL, NULL, recursive);
	efi_free(list);
}

/* Is this the interface that the firmware booted from? */
static bool is_ours(efi_handle nic)
{
	const struct efi_path *of = efi_path_of(nic);
	const struct efi_path *us = efi_path_of(efi.self->device);

	return of && us && efi_path_begins(us, of);
}

static bool has_link(efi_handle nic)
{
	struct efi_network *snp = efi_protocol(nic, &efi_guid_network);

	return snp && (!snp->mode->has_media || snp->mode->media);
}

/*
 * PXE has handles of its own for each interface, which begin with its path, and
 * go away when the interface is opened.
 */
static bool is_network(efi_handle nic, const efi_handle *list, size_t n)
{
	struct efi_network *snp = efi_protocol(nic, &efi_guid_network);
	const struct efi_path *path = efi_path_of(nic), *of;

	if (!snp || snp->mode->mac_len != 6 || !path)
		return false;
	for (; n; n--, list++) {
		of = efi_path_of(*list);
		if (of && of != path && efi_path_begins(path, of))
			return false;
	}
	return true;
}

/* The place of an interface in the order to be tried: 0 is the first. */
static int rank(efi_handle nic)
{
	return is_ours(nic) ? 0 : has_link(nic) ? 1 : 2;
}

static void sort(efi_handle *list, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && rank(list[k]) < rank(list[k - 1]);
		     k--) {
			efi_handle h = list[k];

			list[k] = list[k - 1];
			list[k - 1] = h;
		}
}

int uefi_net_find(efi_handle **list, struct nbd_diag *d)
{
	size_t n = efi_handles(&efi_guid_network, list), ours = 0;

	if (!n) {
		connect_all(&efi_guid_pci, false);
		n = efi_handles(&efi_guid_network, list);
	}
	if (!n) {
		connect_all(&efi_guid_pci, true);
		n = efi_handles(&efi_guid_network, list);
	}
	for (size_t i = 0; i < n; i++)
		if (is_network((*list)[i], *list, n))
			(*list)[ours++] = (*list)[i];
	if (ours) {
		sort(*list, ours);
		return (int)ours;
	}
	efi_free(*list);
	return nbd_diag(d, NBD_E_NO_DEVICE,
			"the firmware has no network interface (is its network "
			"stack switched off, or has it no driver?)");
}

struct efi_pxe *uefi_net_pxe(void)
{
	struct efi_pxe *pxe = efi_protocol(efi.self->device, &efi_guid_pxe);

	return pxe && pxe->mode->started && (LWIP_IPV6 || !pxe->mode->v6)
		       ? pxe
		       : NULL;
}

static bool take_pxe(struct uefi_net *n)
{
	struct efi_pxe *pxe = is_ours(n->nic) ? uefi_net_pxe() : NULL;

	if (!pxe || pxe->mode->v6 || !pxe->mode->ack_received ||
	    !boot_lease_packet(&n->lease, pxe->mode->ack.raw,
			       sizeof(pxe->mode->ack.raw), n->mac))
		return false;
	/* PXE takes any offer; another server may have the root-path */
	if (n->root_path && !n->lease.root_path[0])
		return false;
	n->from = "PXE";
	return true;
}

/* Its path has no root-path. */
static bool take_http(struct uefi_net *n)
{
	const struct efi_path *p = efi_path_of(efi.self->device);

	if (n->root_path || !is_ours(n->nic) ||
	    !boot_lease_path(&n->lease, (const uint8_t *)p, efi_path_len(p)))
		return false;
	n->from = "HTTP boot";
	return true;
}

/* Is what a router advertises no use without a lease? */
static bool needs_lease(const struct uefi_net *n)
{
	return n->root_path || n->ip4 || n->ip.method == IP_DHCP;
}

/* The same by IPv6, where DHCPv6 gives the address. */
static bool take_boot6(struct uefi_net *n)
{
	const struct efi_path *p = efi_path_of(efi.self->device);
	struct efi_pxe *pxe = uefi_net_pxe();
	struct efi_pxe_mode *m = pxe ? pxe->mode : NULL;

	if (!LWIP_IPV6 || !is_ours(n->nic))
		return false;
	if (m && m->v6) {
		boot_lease_packet6(&n->ip, m->station.v6, m->ack.raw,
				   sizeof(m->ack.raw));
		n->from = "PXE";
	} else {
		boot_lease_path6(&n->ip, (const uint8_t *)p, efi_path_len(p));
		n->from = "HTTP boot";
	}
	n->ip_text = "dhcp6";
	return n->ip.client.len;
}

/* The address of ip=, of either kind. */
static int take_static(struct uefi_net *n, const char *text, struct nbd_diag *d)
{
	n->from = "ip=";
	n->ip_text = text;
	if (boot_lease_static(&n->lease, &n->ip) ||
	    (LWIP_IPV6 && !nbd_ip_link_local(&n->ip.client)))
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE, "ip=%s: not an %s address", text,
			LWIP_IPV6 ? "IPv4 or a global IPv6" : "IPv4");
}

/* The address, as far as it is known before the interface is up. */
static int take_address(struct uefi_net *n, const char *text,
			struct nbd_diag *d)
{
	int rc = NBD_OK;

	memset(&n->ip, 0, sizeof(n->ip));
	if (text)
		rc = boot_ip_parse(&n->ip, text, d);
	if (rc)
		return rc;
	if (n->ip.method == IP_STATIC)
		return take_static(n, text, d);
	if (n->ip.method != IP_AUTO6) {
		if (take_pxe(n) || take_http(n))
			return NBD_OK;
		if (!needs_lease(n) && take_boot6(n))
			return NBD_OK;
	}
	n->from = "DHCP";
	n->ip_text = "auto6";
	memset(&n->ip.client, 0, sizeof(n->ip.client));
	memset(&n->lease, 0, sizeof(n->lease));
	return NBD_OK;
}

static void on_idle(void *ctx)
{
	struct uefi_net *n = ctx;

	if (n->idle)
		n->idle(n->ctx);
}

/* ---- lwIP over EFI_SIMPLE_NETWORK ---- */

static int get_lease(struct uefi_net *n, unsigned ms, struct nbd_diag *d)
{
	uint32_t seed;

	if (n->lease.addr.len)
		return NBD_OK;
	efi_random(&seed, sizeof(seed));
	return uefi_dhcp(&n->lease, &n->snp.e, seed, n->root_path, ms, d);
}

static bool has_ip6(const struct uefi_net *n)
{
	return n->ip.client.len == 16;
}

/* Those of IPv4, which ip= may have beside, are none. */
static void by_hand(struct lwnet_by_hand *to, const struct ip_config *ip)
{
	unsigned n = 0;

	to->ip = ip->client;
	if (ip->gateway.len == 16)
		to->router = ip->gateway;
	_Static_assert(IP_DNS <= LWNET_DNS, "there is room for each");
	for (unsigned i = 0; i < IP_DNS; i++)
		if (ip->dns[i].len == 16)
			to->dns[n++] = ip->dns[i];
}

static int open_lwip(struct uefi_net *n, struct nbd_diag *d)
{
	struct lwnet_config c = { .hostname = NULL };
	const struct dhcp_lease *l = &n->lease;

	if (!n->lwip)
		n->lwip = efi_pages(sizeof(*n->lwip));
	if (!n->lwip)
		return nbd_diag(d, NBD_E_NO_MEMORY, "network: out of memory");
	if (l->mtu >= 576 && l->mtu < n->snp.e.mtu)
		n->snp.e.mtu = l->mtu;
	c.ip4.ip = l->addr;
	c.ip4.router = l->router;
	memcpy(c.ip4.dns, l->dns, sizeof(c.ip4.dns));
	if (LWIP_IPV6 && has_ip6(n))
		by_hand(&c.ip6, &n->ip);
	efi_random(c.seed, sizeof(c.seed));
	if (lwnet_open(n->lwip, &n->snp.e, &c))
		return nbd_diag(d, NBD_E_PARAM, "network: no stack");
	n->stack = &n->lwip->stack;
	return NBD_OK;
}

/* The stack with an address by hand, or what a router advertises within ms. */
static int open_ip6(struct uefi_net *n, unsigned ms, struct nbd_diag *d)
{
	int rc = open_lwip(n, d);

	if (rc)
		return rc;
	rc = lwnet_up(n->lwip, ms, NULL, d);
	n->ip6 = lwnet_ip6(n->lwip);
	if (!rc && n->ip6.len) {
		if (!has_ip6(n))
			n->from = "router advertisement";
		return NBD_OK;
	}
	if (rc && lwnet_ip6_taken(n->lwip))
		rc = nbd_diag(d, rc, "another machine has the address by %s",
			      n->from);
	lwnet_close(n->lwip, 0);
	n->stack = NULL;
	return rc ? rc : NBD_E_TIMEOUT;
}

/* A network may have DHCP, routers that advertise, or both. */
static int open_any(struct uefi_net *n, struct nbd_diag *d)
{
	struct nbd_diag no_lease, no_router;
	int rc;

	if (LWIP_IPV6 && (n->ip.method == IP_AUTO6 || has_ip6(n)))
		return open_ip6(n, LEASE_MS, d);
	if (LWIP_IPV6 && !needs_lease(n) && get_lease(n, FIRST_MS, &no_lease) &&
	    !open_ip6(n, FIRST_MS, &no_router))
		return NBD_OK;
	rc = get_lease(n, LEASE_MS, d);
	return rc ? rc : open_lwip(n, d);
}

/* Firmware keeps the pages of a program that ends. */
static void down_lwip(struct uefi_net *n)
{
	efi_snp_close(&n->snp);
	efi_free_pages(n->lwip, sizeof(*n->lwip));
	n->lwip = NULL;
}

static int up_lwip(struct uefi_net *n, struct nbd_diag *d)
{
	int rc;

	n->snp.idle = on_idle;
	n->snp.ctx = n;
	rc = efi_snp_open(&n->snp, n->nic, d);
	if (rc)
		return rc;
	n->via = n->snp.virtio ? "virtio-net" : "EFI_SIMPLE_NETWORK";
	n->polled = true;
	rc = open_any(n, d);
	if (rc)
		down_lwip(n);
	return rc;
}

/* ---- EFI_TCP4 ---- */

static int up_tcp4(struct uefi_net *n, struct nbd_diag *d)
{
	struct efi_tcp4 *t = &n->tcp4;
	int rc;

	n->via = "EFI_TCP4";
	n->polled = false;
	if (!n->lease.addr.len)
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"EFI_TCP4 needs ip= or the lease of PXE");
	t->addr = n->lease.addr;
	t->router = n->lease.router;
	t->idle = on_idle;
	t->ctx = n;
	rc = efi_tcp4_open(t, n->nic, d);
	n->stack = rc ? NULL : &t->net;
	return rc;
}

int uefi_net_up(struct uefi_net *n, efi_handle nic, const char *ip,
		struct nbd_diag *d)
{
	struct efi_network *snp = efi_protocol(nic, &efi_guid_network);
	int rc;

	if (!snp)
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"the network interface is gone");
	n->nic = nic;
	n->path = efi_path_of(nic);
	n->stack = NULL;
	memset(&n->lease, 0, sizeof(n->lease));
	memcpy(n->mac, snp->mode->mac.a, sizeof(n->mac));
	rc = take_address(n, ip, d);
	if (rc)
		return rc;
	rc = up_lwip(n, d);
	/* with a lease it is the interface that failed */
	return rc && n->lease.addr.len ? up_tcp4(n, d) : rc;
}

void uefi_net_down(struct uefi_net *n)
{
	if (n->stack && n->polled) {
		lwnet_close(n->lwip, 100);
		down_lwip(n);
	} else if (n->stack) {
		efi_tcp4_close(&n->tcp4);
	}
	n->stack = NULL;
}

void uefi_net_exit(struct uefi_net *n)
{
	if (n->stack && n->polled)
		efi_snp_exit(&n->snp);
}
