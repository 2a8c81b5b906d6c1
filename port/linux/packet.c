/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet sockets, and the headers of IPv4 (RFC 791) and UDP (RFC 768). */
#include "port/linux/packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

static unsigned be16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void put16(unsigned char *p, unsigned v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

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
	return sum(udp, len, sum(ip + IP_FROM, 8, IPPROTO_UDP + (unsigned)len));
}

void packet_head(unsigned char *buf, size_t len, unsigned from, unsigned to)
{
	unsigned char *udp = buf + IP_HEAD;
	unsigned s;

	memset(buf, 0, PACKET_HEAD);
	buf[0] = 4 << 4 | IP_HEAD / 4;
	put16(buf + IP_LENGTH, (unsigned)len + PACKET_HEAD);
	buf[IP_LIVES] = 64;
	buf[IP_PROTO] = IPPROTO_UDP;
	memset(buf + IP_FROM + 4, 0xff, 4);
	put16(buf + IP_SUM, ~sum(buf, IP_HEAD, 0));
	put16(udp, from);
	put16(udp + 2, to);
	put16(udp + 4, (unsigned)len + UDP_HEAD);
	s = ~udp_sum(buf, udp, len + UDP_HEAD) & 0xffff;
	put16(udp + UDP_SUM, s ? s : 0xffff);
}

unsigned char *packet_payload(unsigned char *p, size_t *len, unsigned port,
			      bool sums)
{
	unsigned char *udp;
	size_t head, total;

	if (*len < IP_HEAD || p[0] >> 4 != 4)
		return NULL;
	head = (p[0] & 15u) * 4;
	total = be16(p + IP_LENGTH);
	if (head < IP_HEAD || total > *len || total < head ||
	    total - head < UDP_HEAD || p[IP_PROTO] != IPPROTO_UDP ||
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

/* Accepts only unfragmented UDP datagrams for that port. */
static int filter(int fd, unsigned port)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, IP_PROTO),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 6),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, IP_OFFSET),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, FRAGMENT, 4, 0),
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
			  sizeof(prog));
}

static int failed(int fd, const char *what, struct nbd_diag *d)
{
	nbd_diag(d, NBD_E_KERNEL, "%s: %s", what, strerror(errno));
	if (fd >= 0)
		close(fd);
	return NBD_E_KERNEL;
}

int packet_open(int index, unsigned port, struct nbd_diag *d)
{
	struct sockaddr_ll a = { .sll_family = AF_PACKET,
				 .sll_protocol = htons(ETHERTYPE_IP),
				 .sll_ifindex = index };
	/* protocol 0, so that nothing arrives before the filter is set */
	int fd =
		socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1;

	if (fd < 0 || filter(fd, port) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)))
		return failed(fd, "packet socket (kernel module af_packet)", d);
	return fd;
}

void packet_send(int fd, int index, const unsigned char *buf, size_t len)
{
	struct sockaddr_ll a = { .sll_family = AF_PACKET,
				 .sll_protocol = htons(ETHERTYPE_IP),
				 .sll_ifindex = index,
				 .sll_halen = ETH_ALEN };

	memset(a.sll_addr, 0xff, ETH_ALEN);
	sendto(fd, buf, len + PACKET_HEAD, 0, (struct sockaddr *)&a, sizeof(a));
}

/* Is the checksum filled in?  Not if it was left to absent hardware. */
static bool has_sums(struct msghdr *m)
{
	struct tpacket_auxdata aux;
	struct cmsghdr *c = CMSG_FIRSTHDR(m);

	if (!c || c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
		return true;
	memcpy(&aux, CMSG_DATA(c), sizeof(aux));
	return !(aux.tp_status & TP_STATUS_CSUMNOTREADY);
}

unsigned char *packet_recv(int fd, unsigned port, unsigned char *buf,
			   size_t cap, size_t *len)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct iovec v = { buf, cap };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &m, 0);

	if (n < 0)
		return NULL;
	*len = (size_t)n;
	return packet_payload(buf, len, port, has_sums(&m));
}

int packet_udp(const char *interface, unsigned port, bool alone,
	       struct nbd_diag *d)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, share = !alone, rc;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface,
		       (socklen_t)strlen(interface)) ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &share, sizeof(share)) ||
	    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a))) {
		rc = errno == EADDRINUSE ? NBD_E_IN_USE : NBD_E_KERNEL;
		failed(fd, "UDP socket", d);
		return rc;
	}
	return fd;
}
