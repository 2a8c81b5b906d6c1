/* SPDX-License-Identifier: BSD-2-Clause */
/* Router advertisements (RFC 4861, RFC 8106), as the kernel passes them on. */
#include "boot/net/ra.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/net/ip.h"
#include "port/linux/netlink.h"

#define RDNSS	  25
#define RDNSS_MIN 8 /* type, length in units of 8 bytes, reserved, lifetime */
#define SOLICIT	  133

unsigned net_ra_dns(const unsigned char *p, size_t len, int index,
		    struct link_addr dns[], unsigned n, unsigned max)
{
	struct link_addr a = { .family = AF_INET6, .prefix = 128 };
	struct nduseroptmsg h;

	if (len < sizeof(h))
		return n;
	memcpy(&h, p, sizeof(h));
	if (h.nduseropt_ifindex != index ||
	    h.nduseropt_opts_len > len - sizeof(h))
		return n;
	p += sizeof(h);
	len = h.nduseropt_opts_len;
	while (len >= RDNSS_MIN) {
		size_t size = p[1] * 8u, at;

		if (!size || size > len)
			return n;
		/* a lifetime of 0 withdraws them */
		if (p[0] == RDNSS && (p[4] | p[5] | p[6] | p[7]))
			for (at = RDNSS_MIN; size - at >= 16; at += 16) {
				memcpy(a.ip, p + at, sizeof(a.ip));
				n = net_ip_add(dns, n, max, &a);
			}
		p += size;
		len -= size;
	}
	return n;
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
	*flags = nl_num(&a) & (NET_RA_MANAGED | NET_RA_OTHER);
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
