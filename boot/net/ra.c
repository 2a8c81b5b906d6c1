/* SPDX-License-Identifier: BSD-2-Clause */
/* Router advertisements (RFC 4861, RFC 8106), as the kernel passes them on. */
#include "boot/net/ra.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/words/ip.h"
#include "port/linux/netlink.h"

#define RDNSS	25
#define DNSSL	31
#define HEAD	8 /* type, length in units of 8 bytes, reserved, lifetime */
#define SOLICIT 133

struct options {
	const unsigned char *p;
	size_t left;
};

static struct options options_of(const unsigned char *p, size_t len, int index)
{
	struct nduseroptmsg h;

	if (len < sizeof(h))
		return (struct options){ p, 0 };
	memcpy(&h, p, sizeof(h));
	if (h.nduseropt_ifindex != index ||
	    h.nduseropt_opts_len > len - sizeof(h))
		return (struct options){ p, 0 };
	return (struct options){ p + sizeof(h), h.nduseropt_opts_len };
}

/* The next option of that type and its size; a lifetime of 0 withdraws one. */
static const unsigned char *next(struct options *o, unsigned type, size_t *size)
{
	while (o->left >= HEAD) {
		const unsigned char *p = o->p;

		*size = p[1] * 8u;
		if (!*size || *size > o->left)
			break;
		o->p += *size;
		o->left -= *size;
		if (p[0] == type && (p[4] | p[5] | p[6] | p[7]))
			return p;
	}
	return NULL;
}

unsigned net_ra_dns(const unsigned char *p, size_t len, int index,
		    struct nbd_ip dns[], unsigned n, unsigned max)
{
	struct options o = options_of(p, len, index);
	struct nbd_ip addr = { .len = 16, .prefix = 128 };
	size_t size;

	while ((p = next(&o, RDNSS, &size)))
		for (size_t at = HEAD; size - at >= 16; at += 16) {
			memcpy(addr.ip, p + at, sizeof(addr.ip));
			n = nbd_ip_add(dns, n, max, &addr);
		}
	return n;
}

static bool has_name(const char *list, const char *name, size_t n)
{
	for (; *list; list += strspn(list, " ")) {
		size_t len = strcspn(list, " ");

		if (len == n && !memcmp(list, name, n))
			return true;
		list += len;
	}
	return false;
}

/* False: there was no room for one. */
static bool add_names(char to[BOOT_DOMAINS], const char *names)
{
	size_t used = strlen(to), n;

	for (; *names; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		if (has_name(to, names, n))
			continue;
		if (used + !!used + n > BOOT_DOMAINS - 1)
			return false;
		if (used)
			to[used++] = ' ';
		memcpy(to + used, names, n);
		used += n;
		to[used] = '\0';
	}
	return true;
}

bool net_ra_domains(const unsigned char *p, size_t len, int index,
		    char to[BOOT_DOMAINS])
{
	struct options o = options_of(p, len, index);
	char names[BOOT_DOMAINS];
	bool all = true;
	size_t size;

	while ((p = next(&o, DNSSL, &size))) {
		all &= boot_domains_read(names, p + HEAD, size - HEAD, false);
		all &= add_names(to, names);
	}
	return all;
}

int net_ra_flags(const unsigned char *p, size_t len, unsigned *flags)
{
	struct ifinfomsg h;
	struct nl_attr info, a;

	if (len < sizeof(h))
		return 0;
	memcpy(&h, p, sizeof(h));
	if (h.ifi_family != AF_INET6 ||
	    !nl_find(p, len, sizeof(h), IFLA_PROTINFO, &info) ||
	    !nl_find(info.data, info.len, 0, IFLA_INET6_FLAGS, &a))
		return 0;
	*flags = nl_num(&a) & (NET_RA_DHCP6 | NET_RA_SEEN);
	return h.ifi_index;
}

struct each {
	void (*fn)(void *ctx, int index, unsigned flags);
	void *ctx;
};

static void read_flags(void *ctx, const struct nl_reply *r)
{
	const struct each *e = ctx;
	unsigned flags;
	int index = r->type == RTM_NEWLINK
			    ? net_ra_flags(r->data, r->len, &flags)
			    : 0;

	if (index)
		e->fn(e->ctx, index, flags);
}

int net_ra_each(void (*fn)(void *ctx, int index, unsigned flags), void *ctx,
		struct nbd_diag *d)
{
	const struct ifinfomsg h = { .ifi_family = AF_INET6 };
	struct each e = { fn, ctx };
	unsigned char buf[64];
	struct nl_msg m;
	struct nl_sock s;
	int rc = nl_open(&s, NETLINK_ROUTE, 0, d);

	if (rc < 0)
		return rc;
	nl_begin(&m, buf, sizeof(buf), RTM_GETLINK, NLM_F_DUMP, &h, sizeof(h));
	rc = nl_talk(&s, &m, read_flags, &e, "list the flags of IPv6", d);
	nl_close(&s);
	return rc;
}

void net_ra_solicit(int index)
{
	static const unsigned char message[8] = { SOLICIT };
	struct sockaddr_in6 routers = { .sin6_family = AF_INET6,
					.sin6_scope_id = (uint32_t)index };
	int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
	int hops = 255;

	if (fd < 0)
		return;
	/* ff02::2 */
	memcpy(&routers.sin6_addr, "\xff\x02", 2);
	routers.sin6_addr.s6_addr[15] = 2;
	setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops));
	sendto(fd, message, sizeof(message), 0, (struct sockaddr *)&routers,
	       sizeof(routers));
	close(fd);
}
