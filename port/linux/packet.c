/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet sockets. */
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

/* Of the IPv4 header: the offset and "more fragments"; see port/udp4.c. */
#define FRAGMENT  0x3fff
#define IP_OFFSET 6
#define IP_PROTO  9

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
	sendto(fd, buf, len + UDP4_HEAD, 0, (struct sockaddr *)&a, sizeof(a));
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
	return udp4_payload(buf, len, port, has_sums(&m));
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
