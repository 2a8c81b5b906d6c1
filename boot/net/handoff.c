/* SPDX-License-Identifier: BSD-2-Clause */
/* Files under /run. */
#include "boot/net/handoff.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/words/ip.h"
#include "boot/net/kept.h"
#include "port/linux/file.h"

#define ONLINE "NetworkManager/system-connections/nbdboot.nmconnection"

/* The text of a file while it is composed, and its data. */
struct page {
	const struct net_state *s;
	const struct dhcp *dhcp; /* used only if s->dhcp */
	struct nbd_out o;
	char text[4096];
};

/* ---- templates ---- */

/* "$x" stands for the item x below.  Shells read the first ones. */
static const char lease_dhcp[] =
	"DEVICE='$n'\nPROTO='dhcp'\nDHCPSERVER='$S'\n"
	"DHCPLEASETIME='$L'\nDHCPT1='$T'\nDHCPT2='$U'\nDHCPBOUND='$B'\n";
static const char lease_dhcp6[] =
	"DEVICE='$n'\nPROTO='dhcp6'\nIPV6PROTO='dhcp6'\n"
	"DHCPLEASETIME='$l'\nDHCPT1='$u'\nDHCPT2='$v'\nDHCPBOUND='$w'\n";
static const char lease_none[] = "DEVICE='$n'\nPROTO='none'\n";
static const char lease_4[] =
	"IPV4ADDR='$a'\nIPV4BROADCAST='$b'\nIPV4NETMASK='$k'\n"
	"IPV4GATEWAY='$g'\nIPV4DNS0='$0'\nIPV4DNS1='$1'\n";
static const char lease_6[] =
	"IPV6ADDR='$a'\nIPV6NETMASK='$p'\nIPV6GATEWAY='$g'\n";
static const char lease_any[] =
	"MAC='$m'\nHOSTNAME='$h'\nDNSDOMAIN='$d'\nROOTSERVER='$s'\n"
	"ROOTPATH='$r'\n";
/* a VLAN and a bond have the MAC of what is below them */
static const char match[] = "[Match]\nType=$t\nMACAddress=$m\n";
static const char match_member[] = "[Match]\nOriginalName=$n\n";
/*
 * udev often cannot rename an interface that is up, and then networkd waits for
 * the new name for ever.  So the names that udev would choose become
 * alternative names.
 */
static const char udev[] =
	"[Link]\nName=$n\n"
	"AlternativeNamesPolicy=database onboard slot path\n";
/*
 * networkd removes an address that it has set when the cable is out (252: that of
 * DHCPv4, too), and what would set it again is itself on the root.
 */
static const char networkd[] = "[Network]\nKeepConfiguration=yes\n"
			       "IgnoreCarrierLoss=yes\n";
static const char networkd_dhcp[] =
	"DHCP=ipv4\n[DHCPv4]\nClientIdentifier=mac\n";
/*
 * The process that renews the lease goes on: networkd takes an address of its own
 * DHCPv6 client away when it stops or restarts (252), whatever it is to keep.  It
 * gets the address as a static one, as it stays set for ever anyway: without one
 * of its own networkd calls no interface configured (257).
 */
static const char networkd_dhcp6[] = "[IPv6AcceptRA]\nDHCPv6Client=no\n";
static const char networkd_address[] = "Address=$a/$p\n";
static const char networkd_gateway[] = "[Route]\nGateway=$g\n";
/* of a machine with a /32 address: networkd waits for a prefix that covers it */
static const char networkd_onlink[] = "GatewayOnLink=yes\n";
/*
 * managed=0 does not keep `nmcli device connect` from activating a profile.  For
 * NetworkManager a bond, a bridge or a VLAN has no permanent MAC, which is all
 * that mac: matches; so the name is here as well.
 */
static const char manager[] =
	"[device-nbdboot-$n]\nmatch-device=interface-name:=$n,mac:$m\nmanaged=0\n"
	"allowed-connections=uuid:00000000-0000-0000-0000-000000000000\n";

/*
 * nm-online waits for a connection of NetworkManager, of which the root's
 * interface must have none.  So there is one of an interface without a use.
 */
static const char online[] =
	"[connection]\nid=nbdboot\nuuid=8d0fb6a6-5f0c-4c56-a7f5-6e6264626f6f\n"
	"type=dummy\ninterface-name=nbdboot\n[dummy]\n"
	"[ipv4]\nmethod=disabled\n[ipv6]\nmethod=disabled\n";

/*
 * Debian's ifupdown: `ifup -a` skips the interfaces of EXCLUDE_INTERFACES, but
 * an interface in a stanza of its own (allow-hotplug) is configured all the
 * same.
 */
static const char ifup[] =
	"[Unit]\n"
	"ConditionPathExists=!/run/systemd/network/10-nbdboot-%I.link\n";

/*
 * Items from SERVER on are members of struct dhcp, those from SIX32 on of struct
 * lease6, the others of net_state.
 */
enum kind {
	ADDRESS,
	MASK,
	LAST,
	DNS,
	MAC,
	BITS,
	TEXT,
	LIST,
	SERVER,
	U32,
	U64,
	SIX32,
	SIX64
};

static const struct item {
	char c;
	uint8_t kind;
	uint16_t at;
} items[] = {
	{ 'n', TEXT, offsetof(struct net_state, name) },
	{ 't', TEXT, offsetof(struct net_state, kind) },
	{ 'h', TEXT, offsetof(struct net_state, host) },
	{ 'd', TEXT, offsetof(struct net_state, domain) },
	{ 'D', LIST, offsetof(struct net_state, domain) },
	{ 'r', TEXT, offsetof(struct net_state, root_path) },
	{ 'a', ADDRESS, offsetof(struct net_state, addr) },
	{ 's', ADDRESS, offsetof(struct net_state, server) },
	{ 'g', ADDRESS, offsetof(struct net_state, gateway) },
	{ 'm', MAC, offsetof(struct net_state, mac) },
	{ 'p', BITS, 0 },
	{ 'k', MASK, 0 },
	{ 'b', LAST, 0 },
	{ '0', DNS, 0 },
	{ '1', DNS, 1 },
	{ 'S', SERVER, offsetof(struct dhcp, lease.server) },
	{ 'L', U32, offsetof(struct dhcp, lease.seconds) },
	{ 'T', U32, offsetof(struct dhcp, lease.t1) },
	{ 'U', U32, offsetof(struct dhcp, lease.t2) },
	{ 'B', U64, offsetof(struct dhcp, bound) },
	{ 'l', SIX32, offsetof(struct lease6, lease.valid) },
	{ 'u', SIX32, offsetof(struct lease6, lease.t1) },
	{ 'v', SIX32, offsetof(struct lease6, lease.t2) },
	{ 'w', SIX64, offsetof(struct lease6, bound) },
};

/* Writes the nth IPv4 server; 0.0.0.0 without one, as klibc does. */
static void put_dns(struct page *page, unsigned nth)
{
	static const unsigned char none[4];
	const struct net_state *s = page->s;
	unsigned i, ip4 = 0;

	for (i = 0; i < s->n_dns; i++)
		if (s->dns[i].len == 4 && ip4++ == nth)
			break;
	nbd_put_ip(&page->o, i < s->n_dns ? s->dns[i].ip : none, 4);
}

/* Writes words with commas between them in place of blanks. */
static void put_list(struct page *page, const char *words)
{
	for (; *words; words++)
		nbd_put(&page->o, *words == ' ' ? "," : words, 1);
}

static void put_item(struct page *page, char c)
{
	const struct item *i = items;
	const struct nbd_ip *addr;
	const unsigned char *p;
	unsigned char ip[4];
	uint64_t n = 0;

	while (i->c != c)
		i++;
	p = i->at + (i->kind < SERVER ? (const unsigned char *)page->s
		     : i->kind < SIX32
			     ? (const unsigned char *)page->dhcp
			     : (const unsigned char *)page->s->lease6);
	addr = (const void *)p;
	switch (i->kind) {
	case ADDRESS:
	case SERVER:
		nbd_put_ip(&page->o, addr->ip, addr->len);
		return;
	case MASK:
		nbd_ip_to_mask(page->s->addr.prefix, ip);
		nbd_put_ip(&page->o, ip, 4);
		return;
	case LAST:
		nbd_ip_last(&page->s->addr, ip);
		nbd_put_ip(&page->o, ip, 4);
		return;
	case DNS:
		put_dns(page, i->at);
		return;
	case MAC:
		nbd_put_mac(&page->o, p);
		return;
	case TEXT:
		nbd_put_quoted(&page->o, (const char *)p);
		return;
	case LIST:
		put_list(page, (const char *)p);
		return;
	case BITS:
		n = page->s->addr.prefix;
		break;
	case SIX32:
	case U32:
		n = *(const uint32_t *)(const void *)p;
		break;
	default:
		n = *(const uint64_t *)(const void *)p;
	}
	nbd_putf(&page->o, "%llu", (unsigned long long)n);
}

static void put(struct page *page, const char *template)
{
	for (; *template; template ++)
		if (*template == '$')
			put_item(page, *++template);
		else
			nbd_put(&page->o, template, 1);
}

/* ---- files ---- */

static void begin(struct page *page, const struct net_state *s,
		  const struct dhcp *dhcp)
{
	page->s = s;
	page->dhcp = dhcp;
	page->o = (struct nbd_out){ .buf = page->text,
				    .cap = sizeof(page->text) };
}

/* Writes each address, after `first` or `next`, and a newline at the end. */
static void put_all_dns(struct page *page, const char *first, const char *next)
{
	const struct net_state *s = page->s;

	for (unsigned i = 0; i < s->n_dns; i++) {
		const char *before = i ? next : first;
		bool zone = nbd_ip_link_local(&s->dns[i]);

		nbd_put(&page->o, before, strlen(before));
		nbd_put_ip(&page->o, s->dns[i].ip, s->dns[i].len);
		nbd_putf(&page->o, "%s%s", zone ? "%" : "",
			 zone ? s->name : "");
	}
	if (s->n_dns)
		nbd_put(&page->o, "\n", 1);
}

/* "%s" in path stands for the interface. */
static int save(int run, const char *path, const struct page *page,
		struct nbd_diag *d)
{
	char name[128];

	nbd_fmt(name, sizeof(name), path, page->s->name);
	return net_kept_save(run, name, page->text, page->o.len, d);
}

int net_handoff_lease(int run, const struct net_state *s,
		      const struct dhcp *dhcp, bool root, struct nbd_diag *d)
{
	bool v6 = s->addr.len == 16;
	struct page page;
	int rc;

	begin(&page, s, dhcp);
	put(&page, s->dhcp ? lease_dhcp : s->lease6 ? lease_dhcp6 : lease_none);
	put(&page, v6 ? lease_6 : lease_4);
	put(&page, lease_any);
	rc = save(run, v6 ? "net6-%s.conf" : "net-%s.conf", &page, d);
	if (!rc && root)
		rc = save(run, &HANDOFF_LEASE[sizeof("/run")], &page, d);
	return rc || !root ? rc : net_kept_write(run, s, dhcp, d);
}

void net_handoff_interface(char name[16])
{
	static const char begin[] = "DEVICE='";
	char text[256], *p;

	file_read(AT_FDCWD, HANDOFF_LEASE, text, sizeof(text));
	p = strstr(text, begin);
	p = p ? p + sizeof(begin) - 1 : &text[strlen(text)];
	nbd_fmt(name, 16, "%.*s", (int)strcspn(p, "'\n"), p);
}

static void begin_match(struct page *page, const struct net_state *s)
{
	begin(page, s, NULL);
	put(page, s->kind[0] ? match : match_member);
}

int net_handoff_name(int run, const struct net_state *s, struct nbd_diag *d)
{
	struct page page;

	begin_match(&page, s);
	put(&page, udev);
	return save(run, "systemd/network/10-nbdboot-%s.link", &page, d);
}

static int write_networkd(int run, const struct net_state *s,
			  struct nbd_diag *d)
{
	struct page page;

	begin_match(&page, s);
	put(&page, networkd);
	if (s->fixed || s->lease6)
		put(&page, networkd_address);
	put_all_dns(&page, "DNS=", " ");
	if (s->fixed && s->gateway.len)
		put(&page, networkd_gateway);
	if (s->fixed && s->gateway.len == 4 &&
	    !nbd_ip_covers(&s->addr, s->gateway.ip))
		put(&page, networkd_onlink);
	if (s->dhcp)
		put(&page, networkd_dhcp);
	if (s->lease6)
		put(&page, networkd_dhcp6);
	return save(run, "systemd/network/10-nbdboot-%s.network", &page, d);
}

static int write_manager(int run, const struct net_state *s, struct nbd_diag *d)
{
	struct page page;

	begin(&page, s, NULL);
	put(&page, manager);
	return save(run, "NetworkManager/conf.d/10-nbdboot-%s.conf", &page, d);
}

int net_handoff_write(int run, const struct net_state *s,
		      const struct dhcp *dhcp, bool root, struct nbd_diag *d)
{
	int rc = net_handoff_lease(run, s, dhcp, root, d);

	if (!rc)
		rc = net_handoff_name(run, s, d);
	if (!rc)
		rc = write_networkd(run, s, d);
	return rc ? rc : write_manager(run, s, d);
}

/*
 * Writes a file of name servers: `domain` with the search domain, if there is
 * one, then the servers, see put_all_dns().
 */
static int write_dns(int run, const char *path, const struct net_state *s,
		     const char *domain, const char *const servers[2],
		     struct nbd_diag *d)
{
	struct page page;

	begin(&page, s, NULL);
	if (s->domain[0])
		put(&page, domain);
	put_all_dns(&page, servers[0], servers[1]);
	return save(run, path, &page, d);
}

/*
 * For the C library, systemd-resolved, and NetworkManager without
 * systemd-resolved.
 */
static int write_all_dns(int run, const struct net_state *s, struct nbd_diag *d)
{
	static const char *const libc[] = { "nameserver ", "\nnameserver " };
	static const char *const resolved[] = { "[Resolve]\nDNS=", " " };
	static const char *const nm[] = { "[global-dns-domain-*]\nservers=",
					  "," };
	int rc = write_dns(run, &HANDOFF_RESOLV[sizeof("/run")], s,
			   "search $d\n", libc, d);

	if (!rc && s->n_dns)
		rc = write_dns(run, "systemd/resolved.conf.d/nbdboot.conf", s,
			       "[Resolve]\nDomains=$d\n", resolved, d);
	if (!rc && s->n_dns)
		rc = write_dns(run, "NetworkManager/conf.d/nbdboot-dns.conf", s,
			       "[global-dns]\nsearches=$D\n", nm, d);
	return rc;
}

static int write_online(int run, const struct net_state *s, struct nbd_diag *d)
{
	struct page page;
	int rc;

	begin(&page, s, NULL);
	put(&page, online);
	rc = save(run, ONLINE, &page, d);
	/* NetworkManager takes none that others may read */
	if (!rc && fchmodat(run, ONLINE, 0600, 0))
		rc = nbd_diag(d, NBD_E_IO, "/run/" ONLINE ": %s",
			      strerror(errno));
	return rc;
}

int net_handoff_machine(int run, const struct net_state *s, const char *names,
			struct nbd_diag *d)
{
	struct page page;
	int rc = write_all_dns(run, s, d);

	if (!rc)
		rc = write_online(run, s, d);
	begin(&page, s, NULL);
	nbd_putf(&page.o, "[Service]\nEnvironment=\"EXCLUDE_INTERFACES=%s\"\n",
		 names);
	if (!rc)
		rc = save(run,
			  "systemd/system/networking.service.d/nbdboot.conf",
			  &page, d);
	begin(&page, s, NULL);
	put(&page, ifup);
	return rc ? rc
		  : save(run, "systemd/system/ifup@.service.d/nbdboot.conf",
			 &page, d);
}
