/* SPDX-License-Identifier: BSD-2-Clause */
/* The headers of IPv4 (RFC 791) and UDP (RFC 768). */
#include "port/udp4.h"
#include "core/be.h"

#include <string.h>

#define IP_HEAD	 20
#define UDP_HEAD 8
#define FRAGMENT \
	0x3fff /* the offset and "more fragments", not "do not fragment" */
#define IP_LENGTH 2
#define IP_OFFSET 6
#define IP_LIVES  8
#define IP_PROTO  9
#define IP_SUM	  10
#define IP_FROM	  12
#define UDP_SUM	  6
/* The protocol of IPv4. */
#define UDP	  17

/* Adds len bytes to a ones' complement sum (RFC 1071). */
static unsigned sum(const unsigned char *p, size_t len, unsigned s)
{
	for (; len > 1; p += 2, len -= 2)
		s += be16(p);
	if (len)
		s += (unsigned)*p << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s;
}

/* The sum of a UDP datagram and its addresses: 0xffff if it is correct. */
static unsigned udp_sum(const unsigned char *ip, const unsigned char *udp,
			size_t len)
{
	return sum(udp, len, sum(ip + IP_FROM, 8, UDP + (unsigned)len));
}

void udp4_head(unsigned char *buf, size_t len, unsigned from, unsigned to)
{
	unsigned char *udp = buf + IP_HEAD;
	unsigned s;

	memset(buf, 0, UDP4_HEAD);
	buf[0] = 4 << 4 | IP_HEAD / 4;
	put16(buf + IP_LENGTH, (uint16_t)(len + UDP4_HEAD));
	buf[IP_LIVES] = 64;
	buf[IP_PROTO] = UDP;
	memset(buf + IP_FROM + 4, 0xff, 4);
	put16(buf + IP_SUM, (uint16_t)~sum(buf, IP_HEAD, 0));
	put16(udp, (uint16_t)from);
	put16(udp + 2, (uint16_t)to);
	put16(udp + 4, (uint16_t)(len + UDP_HEAD));
	s = ~udp_sum(buf, udp, len + UDP_HEAD) & 0xffff;
	put16(udp + UDP_SUM, (uint16_t)(s ? s : 0xffff));
}

unsigned char *udp4_payload(unsigned char *p, size_t *len, unsigned port,
			    bool sums)
{
	unsigned char *udp;
	size_t head, total;

	if (*len < IP_HEAD || p[0] >> 4 != 4)
		return NULL;
	head = (p[0] & 15u) * 4;
	total = be16(p + IP_LENGTH);
	if (head < IP_HEAD || total > *len || total < head ||
	    total - head < UDP_HEAD || p[IP_PROTO] != UDP ||
	    (be16(p + IP_OFFSET) & FRAGMENT) || sum(p, head, 0) != 0xffff)
		return NULL;
	udp = p + head;
	total = be16(udp + 4);
	if (total < UDP_HEAD || total > be16(p + IP_LENGTH) - head ||
	    be16(udp + 2) != port)
		return NULL;
	if (sums && be16(udp + UDP_SUM) && udp_sum(p, udp, total) != 0xffff)
		return NULL;
	*len = total - UDP_HEAD;
	return udp + UDP_HEAD;
}
