/* SPDX-License-Identifier: BSD-2-Clause */
/* An interface of Linux as an nbd_ether: tap device, packet socket, socket. */
#include "boot/lwip/lwip.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Not in headers of musl. */
#define ETHER_ALL	       0x0003
#define PACKET_IGNORE_OUTGOING 23

static struct lwip_tap *of(struct nbd_ether *e)
{
	return (struct lwip_tap *)e; /* its first member */
}

static int tap_send(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	struct iovec iov[NBD_ETHER_PIECES];

	for (unsigned i = 0; i < n; i++)
		iov[i] = (struct iovec){ v[i].base, v[i].len };
	if (writev(of(e)->fd, iov, (int)n) >= 0)
		return 0;
	return errno == EAGAIN || errno == ENOBUFS ? NBD_E_AGAIN : NBD_E_IO;
}

static int tap_receive(struct nbd_ether *e, void *buf, size_t cap)
{
	ssize_t n = read(of(e)->fd, buf, cap);

	if (n >= 0)
		return (int)n;
	return errno == EAGAIN || errno == EINTR ? 0 : NBD_E_IO;
}

static void tap_wait(struct nbd_ether *e, unsigned ms)
{
	struct pollfd p = { of(e)->fd, POLLIN, 0 };

	poll(&p, 1, ms < INT32_MAX ? (int)ms : INT32_MAX);
}

static void name_it(struct ifreq *req, const char *name)
{
	memset(req, 0, sizeof(*req));
	memcpy(req->ifr_name, name, strnlen(name, IFNAMSIZ - 1));
}

static uint16_t mtu_of(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = 1500;
	struct ifreq req;

	name_it(&req, name);
	if (fd >= 0 && ioctl(fd, SIOCGIFMTU, &req) == 0)
		mtu = req.ifr_mtu;
	if (fd >= 0)
		close(fd);
	return (uint16_t)(mtu < 9000 ? mtu : 9000);
}

static int open_tap(struct lwip_tap *t, const char *name, struct nbd_diag *d)
{
	struct ifreq req;

	t->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return nbd_diag(d, NBD_E_IO, "open /dev/net/tun: %s",
				strerror(errno));
	name_it(&req, name);
	req.ifr_flags = IFF_TAP | IFF_NO_PI;
	if (ioctl(t->fd, TUNSETIFF, &req) < 0)
		return nbd_diag(d, NBD_E_IO, "tap device %s: %s", name,
				strerror(errno));
	return 0;
}

static int open_packet(struct lwip_tap *t, const char *name, struct nbd_diag *d)
{
	struct sockaddr_ll a = { .sll_family = AF_PACKET,
				 .sll_protocol = htons(ETHER_ALL) };
	int on = 1;
	struct ifreq req;

	t->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	a.sll_ifindex = (int)if_nametoindex(name);
	if (t->fd < 0 || !a.sll_ifindex)
		return nbd_diag(d, NBD_E_IO, "interface %s: %s", name,
				strerror(errno));
	setsockopt(t->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	if (bind(t->fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return nbd_diag(d, NBD_E_IO, "packets of %s: %s", name,
				strerror(errno));
	name_it(&req, name);
	if (ioctl(t->fd, SIOCGIFHWADDR, &req) == 0)
		memcpy(t->e.mac, req.ifr_hwaddr.sa_data, 6);
	return 0;
}

int lwip_tap_open(struct lwip_tap *t, const struct lwip_options *o,
		  struct nbd_diag *d)
{
	const char *name = o->packet ? o->packet : o->tap;
	int err = 0;

	*t = (struct lwip_tap){ .e = { .mtu = CONFIG_PORT_LWIP_MTU,
				       .send = tap_send,
				       .receive = tap_receive,
				       .wait = tap_wait },
				.fd = o->fd };
	memcpy(t->e.mac, o->mac, 6);
	if (o->packet)
		err = open_packet(t, name, d);
	else if (o->tap)
		err = open_tap(t, name, d);
	else
		fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) | O_NONBLOCK);
	if (!err && name)
		t->e.mtu = mtu_of(name);
	return err;
}
