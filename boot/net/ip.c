/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of ip=. */
#include "boot/net/ip.h"

#include <arpa/inet.h>
#include <string.h>

#include "boot/init/cmdline.h"

#define FIELDS 10
enum field { CLIENT, SERVER, GATEWAY, NETMASK, HOST, DEVICE, AUTO, DNS0, DNS1 };

static const char *const names[FIELDS] = {
	"client address", "server address", "gateway", "netmask", "host name",
	"device",	  "autoconf",	    "dns0",    "dns1",	  "ntp0",
};

static int wrong(struct nbd_diag *d, const char *field, const char *value)
{
	return nbd_diag(d, NBD_E_USAGE, "ip=: the %s is wrong: %s", field,
			value);
}

/* A contiguous mask, as a prefix; -1 if it is none. */
static int mask_prefix(const char *text)
{
	uint8_t m[4];
	uint32_t v;
	int n = 0;

	if (inet_pton(AF_INET, text, m) != 1)
		return (int)cmdline_number(text, 0, 32);
	v = (uint32_t)m[0] << 24 | (uint32_t)m[1] << 16 | (uint32_t)m[2] << 8 |
	    m[3];
	for (; v & 0x80000000; v <<= 1)
		n++;
	return v ? -1 : n;
}

/* What the kernel takes when no mask is given. */
static unsigned class_prefix(const uint8_t a[4])
{
	return a[0] < 128 ? 8 : a[0] < 192 ? 16 : 24;
}

static bool address(const char *text, uint8_t to[4])
{
	return inet_pton(AF_INET, text, to) == 1;
}

static int take_client(struct ip_config *ip, char *client, const char *mask,
		       struct nbd_diag *d)
{
	char *slash = strchr(client, '/');
	int prefix;

	if (slash)
		*slash++ = '\0';
	if (!address(client, ip->client))
		return wrong(d, names[CLIENT], client);
	ip->is_static = true;
	ip->prefix = class_prefix(ip->client);
	if (!slash && !*mask)
		return NBD_OK;
	prefix = mask_prefix(slash ? slash : mask);
	if (prefix < 0)
		return wrong(d, names[NETMASK], slash ? slash : mask);
	ip->prefix = (unsigned)prefix;
	return NBD_OK;
}

static int take_fields(struct ip_config *ip, char *f[FIELDS],
		       struct nbd_diag *d)
{
	unsigned i;

	ip->has_gateway = *f[GATEWAY];
	if (ip->has_gateway && !address(f[GATEWAY], ip->gateway))
		return wrong(d, names[GATEWAY], f[GATEWAY]);
	for (i = 0; i < IP_DNS; i++) {
		ip->has_dns[i] = *f[DNS0 + i];
		if (ip->has_dns[i] && !address(f[DNS0 + i], ip->dns[i]))
			return wrong(d, names[DNS0 + i], f[DNS0 + i]);
	}
	if (nbd_fmt(ip->host, sizeof(ip->host), "%s", f[HOST]) < 0)
		return wrong(d, names[HOST], f[HOST]);
	if (nbd_fmt(ip->device, sizeof(ip->device), "%s", f[DEVICE]) < 0 ||
	    strchr(ip->device, '/'))
		return wrong(d, names[DEVICE], f[DEVICE]);
	return *f[CLIENT] ? take_client(ip, f[CLIENT], f[NETMASK], d) : NBD_OK;
}

static bool is_none(const char *s)
{
	return !*s || !strcmp(s, "off") || !strcmp(s, "none");
}

int ip_parse(struct ip_config *ip, const char *text, struct nbd_diag *d)
{
	char buf[256], *f[FIELDS], *p = buf;
	unsigned i;
	int rc;

	memset(ip, 0, sizeof(*ip));
	ip->up = !text || !is_none(text);
	if (!text || !ip->up)
		return NBD_OK;
	if (nbd_fmt(buf, sizeof(buf), "%s", text) < 0)
		return wrong(d, "length", "over 255 bytes");
	if (!strchr(buf, ':') && !strchr(buf, '.'))
		return nbd_diag(d, NBD_E_USAGE,
				"ip=%s: not supported; give the address as ip="
				"ADDRESS/PREFIX::GATEWAY::HOST:DEVICE:none",
				text);
	for (i = 0; i < FIELDS; i++) {
		size_t n = strcspn(p, ":");
		bool more = p[n];

		f[i] = p;
		p[n] = '\0';
		p += n + more;
	}
	if (*p)
		return wrong(d, "rest behind ntp0", p);
	rc = take_fields(ip, f, d);
	if (!rc && !is_none(f[AUTO]) && !ip->is_static)
		return nbd_diag(d, NBD_E_USAGE,
				"ip=: autoconf \"%s\" is not supported; give a "
				"client address",
				f[AUTO]);
	return rc;
}
