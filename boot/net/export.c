/* SPDX-License-Identifier: BSD-2-Clause */
/* Files under /run. */
#include "boot/net/export.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/net/ip.h"
#include "port/linux/dir.h"

/* The lease as it is in memory: for a process of the same program. */
#define MAGIC (0x6e626400 ^ sizeof(struct dhcp))

static struct {
	uint64_t magic;
	char name[16];
	struct dhcp dhcp;
} kept;

static char text[4096];
static struct nbd_out o;

/* ---- templates ---- */

/* "$x" stands for the item x below.  A shell reads the first ones. */
static const char lease_dhcp[] =
	"DEVICE='$n'\nPROTO='dhcp'\nDHCPSERVER='$S'\n"
	"DHCPLEASETIME='$L'\nDHCPT1='$T'\nDHCPT2='$U'\nDHCPBOUND='$B'\n";
static const char lease_none[] = "DEVICE='$n'\nPROTO='none'\n";
static const char lease_4[] =
	"IPV4ADDR='$a'\nIPV4BROADCAST='$b'\nIPV4NETMASK='$k'\n"
	"IPV4GATEWAY='$g'\nIPV4DNS0='$0'\nIPV4DNS1='$1'\n";
static const char lease_6[] =
	"IPV6ADDR='$a'\nIPV6NETMASK='$p'\nIPV6GATEWAY='$g'\n";
static const char lease_any[] =
	"MAC='$m'\nHOSTNAME='$h'\nDNSDOMAIN='$d'\nROOTSERVER='$s'\n"
	"ROOTPATH='$r'\n";
/* a VLAN has the MAC of what it lies on */
static const char match_ether[] = "[Match]\nType=ether\nMACAddress=$m\n";
static const char match_vlan[] = "[Match]\nType=vlan\nMACAddress=$m\n";
/*
 * What is up udev can often not rename: after a try that failed networkd waits
 * for the new name for ever.  The names that were expected are others of it.
 */
static const char udev[] =
	"[Link]\nName=$n\n"
	"AlternativeNamesPolicy=database onboard slot path\n";
static const char networkd[] = "[Network]\nKeepConfiguration=yes\n";
static const char networkd_dhcp[] =
	"DHCP=ipv4\n[DHCPv4]\nClientIdentifier=mac\n";
static const char networkd_fixed[] = "Address=$a/$p\n";
static const char networkd_gateway[] = "Gateway=$g\n";
static const char manager[] =
	"[device-nbdboot-$n]\nmatch-device=mac:$m\nmanaged=0\n";

/* From RAW4 on they are struct dhcp's. */
enum kind { ADDRESS, MASK, LAST, DNS, MAC, BITS, TEXT, RAW4, U32, U64 };

static const struct item {
	char c;
	uint8_t kind;
	uint16_t at;
} items[] = {
	{ 'n', TEXT, offsetof(struct net_state, name) },
	{ 'h', TEXT, offsetof(struct net_state, host) },
	{ 'd', TEXT, offsetof(struct net_state, domain) },
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
	{ 'S', RAW4, offsetof(struct dhcp, lease.server) },
	{ 'L', U32, offsetof(struct dhcp, lease.seconds) },
	{ 'T', U32, offsetof(struct dhcp, lease.t1) },
	{ 'U', U32, offsetof(struct dhcp, lease.t2) },
	{ 'B', U64, offsetof(struct dhcp, bound) },
};

static void put_address(int family, const unsigned char *p)
{
	nbd_put_ip(&o, p, family == AF_INET6 ? 16 : 4);
}

/* The mask of the address, or the last one of its network. */
static void put_mask(const struct link_addr *a, bool last)
{
	unsigned char v[4];

	for (unsigned i = 0; i < 4; i++) {
		unsigned bits = a->prefix > i * 8 ? a->prefix - i * 8 : 0;
		unsigned host = bits < 8 ? 0xffu >> bits : 0;

		v[i] = (unsigned char)(last ? a->ip[i] | host : ~host);
	}
	put_address(AF_INET, v);
}

/* The nth of IPv4, for want of one zeros, as klibc has it. */
static void put_dns(const struct net_state *s, unsigned nth)
{
	static const unsigned char none[4];
	unsigned i;

	for (i = 0; i < s->n_dns; i++)
		if (s->dns[i].family == AF_INET && !nth--)
			break;
	put_address(AF_INET, i < s->n_dns ? s->dns[i].ip : none);
}

static void put_item(char c, const struct net_state *s, const struct dhcp *d)
{
	const struct item *i = items;
	const struct link_addr *a;
	const unsigned char *p;
	uint64_t n = 0;

	while (i->c != c)
		i++;
	p = i->at + (i->kind < RAW4 ? (const unsigned char *)s
				    : (const unsigned char *)d);
	a = (const void *)p;
	switch (i->kind) {
	case ADDRESS:
		put_address(a->family, a->ip);
		return;
	case MASK:
	case LAST:
		put_mask(&s->addr, i->kind == LAST);
		return;
	case DNS:
		put_dns(s, i->at);
		return;
	case MAC:
		nbd_put_mac(&o, p);
		return;
	case TEXT:
		nbd_put_quoted(&o, (const char *)p);
		return;
	case RAW4:
		put_address(AF_INET, p);
		return;
	case BITS:
		n = s->addr.prefix;
		break;
	case U32:
		n = *(const uint32_t *)(const void *)p;
		break;
	default:
		n = *(const uint64_t *)(const void *)p;
	}
	nbd_putf(&o, "%llu", (unsigned long long)n);
}

static void put(const char *template, const struct net_state *s,
		const struct dhcp *d)
{
	for (; *template; template ++)
		if (*template == '$')
			put_item(*++template, s, d);
		else
			nbd_put(&o, template, 1);
}

/* ---- files ---- */

static void begin(void)
{
	o = (struct nbd_out){ .buf = text, .cap = sizeof(text) };
}

static void put_all_dns(const struct net_state *s, const char *before)
{
	for (unsigned i = 0; i < s->n_dns; i++) {
		bool zone = net_ip_link_local(&s->dns[i]);

		nbd_put(&o, before, strlen(before));
		put_address(s->dns[i].family, s->dns[i].ip);
		nbd_putf(&o, "%s%s\n", zone ? "%" : "", zone ? s->name : "");
	}
}

/* Opened once: the root of who renews the lease has no /run later. */
static int open_run(void)
{
	static int run = -1;

	if (run < 0)
		run = open("/run", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return run;
}

static int save_as(const char *before, const char *name, const char *after,
		   const void *data, size_t len, struct nbd_diag *d)
{
	char path[128], *slash = path;
	int run = open_run(), rc = -errno;

	nbd_fmt(path, sizeof(path), "%s%s%s", before, name, after);
	while (run >= 0 && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdirat(run, path, 0755);
		*slash = '/';
	}
	if (run >= 0)
		rc = dir_write(run, path, data, len);
	return rc ? nbd_diag(d, NBD_E_IO, "write /run/%s: %s", path,
			     strerror(-rc))
		  : NBD_OK;
}

static int save(const char *before, const char *name, const char *after,
		struct nbd_diag *d)
{
	return save_as(before, name, after, text, o.len, d);
}

int net_export_lease(const struct net_state *s, const struct dhcp *dhcp,
		     bool root, struct nbd_diag *d)
{
	bool v6 = s->addr.family == AF_INET6;
	int rc;

	begin();
	put(s->dhcp ? lease_dhcp : lease_none, s, dhcp);
	put(v6 ? lease_6 : lease_4, s, dhcp);
	put(lease_any, s, dhcp);
	rc = save(v6 ? "net6-" : "net-", s->name, ".conf", d);
	if (rc || !root)
		return rc;
	kept.magic = MAGIC;
	memcpy(kept.name, s->name, sizeof(kept.name));
	kept.dhcp = *dhcp;
	rc = save("nbdboot/", "lease", "", d);
	return rc || !s->dhcp ? rc
			      : save_as("nbdboot/", "lease", ".state", &kept,
					sizeof(kept), d);
}

static void begin_match(const struct net_state *s)
{
	begin();
	put(s->vlan ? match_vlan : match_ether, s, NULL);
}

int net_export_name(const struct net_state *s, struct nbd_diag *d)
{
	begin_match(s);
	put(udev, s, NULL);
	return save("systemd/network/10-nbdboot-", s->name, ".link", d);
}

int net_export_write(const struct net_state *s, const struct dhcp *dhcp,
		     bool root, struct nbd_diag *d)
{
	int rc = net_export_lease(s, dhcp, root, d);

	if (!rc)
		rc = net_export_name(s, d);
	begin_match(s);
	put(networkd, s, dhcp);
	if (s->fixed)
		put(networkd_fixed, s, dhcp);
	if (s->fixed && s->gateway.family)
		put(networkd_gateway, s, dhcp);
	put_all_dns(s, "DNS=");
	if (s->dhcp)
		put(networkd_dhcp, s, dhcp);
	if (!rc)
		rc = save("systemd/network/10-nbdboot-", s->name, ".network",
			  d);
	begin();
	put(manager, s, dhcp);
	if (!rc)
		rc = save("NetworkManager/conf.d/10-nbdboot-", s->name, ".conf",
			  d);
	begin();
	if (s->domain[0])
		nbd_putf(&o, "search %s\n", s->domain);
	put_all_dns(s, "nameserver ");
	return rc || !root ? rc : save("nbdboot/", "resolv.conf", "", d);
}

int net_export_read(char name[16], struct dhcp *dhcp, struct nbd_diag *d)
{
	int fd = openat(open_run(), &EXPORT_STATE[sizeof("/run")],
			O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, &kept, sizeof(kept));

	if (fd >= 0)
		close(fd);
	if (n != sizeof(kept) || kept.magic != MAGIC)
		return nbd_diag(d, NBD_E_NOT_FOUND, EXPORT_STATE ": %s",
				n < 0 ? strerror(errno)
				      : "not of this version of nbdboot");
	memcpy(name, kept.name, sizeof(kept.name));
	*dhcp = kept.dhcp;
	return NBD_OK;
}
