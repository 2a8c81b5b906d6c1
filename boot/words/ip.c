/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of ip=. */
#include "boot/words/ip.h"
#include "core/nbd_uri.h"

#include <string.h>

/* The six bytes of a MAC take six fields. */
#define FIELDS 14
enum field { CLIENT, PEER, GATEWAY, NETMASK, HOST, DEVICE, METHOD, TAIL };

/* A method of the kernel or of dracut that no build supports. */
#define NONE 31

static const struct {
	char name[12];
	uint8_t method;
} methods[] = {
	{ "off", IP_OFF },	 { "none", IP_OFF },
	{ "static", IP_OFF },	 { "dhcp", IP_DHCP },
	{ "on", IP_DHCP },	 { "any", IP_DHCP },
	{ "either6", IP_AUTO6 }, { "auto6", IP_AUTO6 },
	{ "link6", IP_LINK6 },	 { "single-dhcp", IP_DHCP },
	{ "dhcp6", IP_DHCP6 },	 { "ibft", NONE },
	{ "bootp", NONE },	 { "rarp", NONE },
	{ "both", NONE },
};

static int wrong(struct nbd_diag *d, const char *field, const char *value)
{
	return nbd_diag(d, NBD_E_USAGE, "ip=: the %s is wrong: %s", field,
			value);
}

unsigned boot_ip_class(const unsigned char ip[4])
{
	return ip[0] < 128 ? 8 : ip[0] < 192 ? 16 : 24;
}

/* "24" or, only for IPv4, "255.255.255.0"; -1: neither. */
static int prefix_of(const char *text, const struct nbd_ip *addr)
{
	struct nbd_ip mask;

	if (addr->len == 4 && nbd_ip_parse(&mask, text) && mask.len == 4)
		return nbd_ip_mask(mask.ip);
	return (int)nbd_number(text, 0, (long)nbd_ip_bits(addr));
}

bool boot_ip_address(const char *text, struct nbd_ip *addr)
{
	char buf[64], *to = buf, *slash = NULL;
	int prefix;

	for (; *text && to < buf + sizeof(buf) - 1; text++) {
		if (*text == '/' && !slash)
			slash = to;
		if (*text != '[' && *text != ']')
			*to++ = *text;
	}
	*to = '\0';
	if (slash)
		*slash++ = '\0';
	if (*text || !nbd_ip_parse(addr, buf))
		addr->len = 0;
	prefix = slash ? prefix_of(slash, addr) : addr->prefix;
	if (prefix < 0)
		addr->len = 0;
	addr->prefix = (uint8_t)prefix;
	return addr->len;
}

bool boot_ip_mac(const char *p, unsigned char mac[6])
{
	for (int i = 0; i < 6; i++, p += 3) {
		int byte = nbd_hex_byte(p);

		if (byte < 0 ||
		    (i < 5 ? p[2] != ':' && p[2] != '-' : p[2] != '\0'))
			return false;
		mac[i] = (unsigned char)byte;
	}
	return true;
}

bool boot_ip_host(char to[IP_HOST + 1], const char *name)
{
	size_t n = strlen(name), label = strcspn(name, ".");
	bool cut = n > IP_HOST;

	if (cut)
		n = label < IP_HOST ? label : IP_HOST;
	memcpy(to, name, n);
	to[n] = '\0';
	return cut;
}

static int method_of(const char *word)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(word, methods[i].name))
			return methods[i].method;
	return -1;
}

static int take_client(struct ip_config *ip, char *f[FIELDS],
		       struct nbd_diag *d)
{
	struct nbd_ip *addr = &ip->client;
	int prefix;

	if (!boot_ip_address(f[CLIENT], addr))
		return wrong(d, "client address", f[CLIENT]);
	boot_ip_address(f[PEER], &ip->peer);
	if (strchr(f[CLIENT], '/'))
		return NBD_OK;
	addr->prefix = addr->len == 4 ? (uint8_t)boot_ip_class(addr->ip) : 64;
	if (!*f[NETMASK])
		return NBD_OK;
	prefix = prefix_of(f[NETMASK], addr);
	if (prefix < 0)
		return wrong(d, "netmask", f[NETMASK]);
	addr->prefix = (uint8_t)prefix;
	return NBD_OK;
}

static bool is_address(const char *s)
{
	return strpbrk(s, ".:");
}

/* Parses the fields after the method: f[0] to f[n - 1]. */
static int take_tail(struct ip_config *ip, char *f[], unsigned n,
		     struct nbd_diag *d)
{
	long mtu = 0;
	unsigned i;

	if (n && *f[0] && !is_address(f[0]))
		mtu = nbd_number(f[0], 0, 65535);
	if (mtu < 0)
		return wrong(d, "MTU or dns0", f[0]);
	ip->mtu = (unsigned)mtu;
	if (n == 7) {
		/* the MAC was split at its colons */
		for (i = 2; i < n; i++)
			*(f[i] - 1) = ':';
		return boot_ip_mac(f[1], ip->mac) ? NBD_OK
						  : wrong(d, "MAC", f[1]);
	}
	for (i = 0; i < n && i < IP_DNS; i++)
		if ((i || is_address(f[i])) && *f[i] &&
		    !boot_ip_address(f[i], &ip->dns[i]))
			return wrong(d, i ? "dns1" : "dns0", f[i]);
	return n > 3 ? wrong(d, "text after ntp0", f[3]) : NBD_OK;
}

static int take_method(struct ip_config *ip, const char *word,
		       struct nbd_diag *d)
{
	int method = *word ? method_of(word) : (int)boot_ip_methods.unsaid;

	if (method < 0)
		return wrong(d, "method", word);
	if (method == NONE || !(boot_ip_methods.bits >> method & 1))
		return nbd_diag(d, NBD_E_USAGE,
				"ip=: %s is not in this program, which has %s",
				word, boot_ip_methods.has);
	ip->method = ip->client.len	? IP_STATIC
		     : method == IP_OFF ? IP_LINK
					: (enum ip_method)method;
	return NBD_OK;
}

bool boot_ip_device(char to[18], const char *name)
{
	unsigned char mac[6];

	return nbd_fmt(to, 18, "%s", name) >= 0 && !strchr(name, '/') &&
	       (strlen(name) < 16 || boot_ip_mac(name, mac));
}

static int take_device(struct ip_config *ip, const char *name,
		       struct nbd_diag *d)
{
	return boot_ip_device(ip->device, name) ? NBD_OK
						: wrong(d, "device", name);
}

static int take_fields(struct ip_config *ip, char *f[FIELDS], unsigned n,
		       struct nbd_diag *d)
{
	int rc = NBD_OK;

	if (*f[GATEWAY] && !boot_ip_address(f[GATEWAY], &ip->gateway))
		return wrong(d, "gateway", f[GATEWAY]);
	ip->cut = boot_ip_host(ip->host, f[HOST]);
	if (*f[CLIENT])
		rc = take_client(ip, f, d);
	if (!rc)
		rc = take_device(ip, f[DEVICE], d);
	if (!rc)
		rc = take_method(ip, f[METHOD], d);
	return rc || n < TAIL ? rc : take_tail(ip, f + TAIL, n - TAIL, d);
}

unsigned boot_ip_split(const char *text, char *to, char *f[], unsigned max)
{
	bool inside = false;
	unsigned n = 0, i;

	for (f[n++] = to; *text; text++) {
		if (*text == '[' || *text == ']') {
			inside = *text == '[';
		} else if (*text != ':' || inside) {
			*to++ = *text;
		} else {
			*to++ = '\0';
			if (n < max)
				f[n] = to;
			n++;
		}
	}
	*to = '\0';
	for (i = n; i < max; i++)
		f[i] = to;
	return n;
}

int boot_ip_parse(struct ip_config *ip, const char *text, struct nbd_diag *d)
{
	char buf[IP_TEXT], *f[FIELDS];
	unsigned n;
	int rc;

	memset(ip, 0, sizeof(*ip));
	n = strlen(text) < sizeof(buf) ? boot_ip_split(text, buf, f, FIELDS)
				       : 99;
	if (n > FIELDS)
		return wrong(d, "length", text);
	if (n == 1 && !is_address(f[0])) {
		rc = take_method(ip, f[0], d);
		if (!*f[0] || ip->method == IP_LINK)
			ip->method = IP_OFF;
		return rc;
	}
	if (n > 1 && method_of(f[1]) >= 0) {
		rc = take_device(ip, f[0], d);
		if (!rc)
			rc = take_method(ip, f[1], d);
		return rc ? rc : take_tail(ip, f + 2, n - 2, d);
	}
	return take_fields(ip, f, n, d);
}
