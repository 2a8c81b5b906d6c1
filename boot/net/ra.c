/* SPDX-License-Identifier: BSD-2-Clause */
/* Router advertisements (RFC 4861, RFC 8106). */
#include "boot/net/ra.h"

#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/net/ip.h"

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
