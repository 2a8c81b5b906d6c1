/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot with lwIP below it in place of the system's TCP: linked with all of
 * the program, so that its tests with real and hostile servers run over lwIP as
 * they are.  UNIX sockets stay the system's.  The tap device is tap0, with the
 * kernel as 10.9.0.1 at its other end (tap0.sh).  At its end the program adds a
 * line to the file $LWIP_FRAMES: how many frames it sent.
 */
#include "boot/lwip/lwip.h"
#include "port/posix/sock.h"

#include <fcntl.h>
#include <lwip/ip4.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* Descriptors of our connections begin here, above those of the system. */
#define BASE 1000000
#define MAX  CONFIG_PORT_MAX_CONNECTIONS

static struct nbd_stack posix;
static struct lwip_tap tap;
static struct lwnet net;
static struct sock inner[MAX]; /* lwIP's, of the descriptors from BASE on */

static void stop(void)
{
	const char *name = getenv("LWIP_FRAMES");
	int fd = name ? open(name, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	lwnet_close(&net, 1000);
	if (fd < 0)
		return;
	dprintf(fd, "%llu\n", (unsigned long long)net.count.sent);
	close(fd);
}

static void start(void)
{
	const struct lwip_options o = { .tap = "tap0",
					.fd = -1,
					.mac = { 2, 'n', 'b', 'd', 0, 1 } };
	struct lwnet_config c = {
		.ip4 = { .ip = { 4, 24, { 10, 9, 0, 2 } },
			 .router = { 4, 32, { 10, 9, 0, 1 } },
			 .dns = { { 4, 32, { 10, 9, 0, 1 } } } }
	};
	struct nbd_diag d = { 0 };

	if (net.ether)
		return;
	if (getrandom(c.seed, sizeof(c.seed), 0) < 0 ||
	    lwip_tap_open(&tap, &o, &d) || lwnet_open(&net, &tap.e, &c)) {
		fprintf(stderr, "lwIP does not start: %s\n", d.text);
		exit(100);
	}
	atexit(stop);
}

/* ---- a transport ---- */

static int over_read(struct nbd_transport *t, void *buf, size_t len)
{
	struct sock *s = (struct sock *)t; /* its first member */
	struct sock *in = &inner[s->fd - BASE];
	int rc;

	in->reads = s->reads;
	rc = in->t.read(&in->t, buf, len);
	s->reads = in->reads;
	return rc;
}

static int over_write(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	struct sock *in = &inner[((struct sock *)t)->fd - BASE];

	return in->t.write(&in->t, v, n);
}

static void over_close(struct nbd_transport *t)
{
	struct sock *s = (struct sock *)t, *in = &inner[s->fd - BASE];

	in->t.close(&in->t);
	s->fd = -1;
}

/* ---- in place of the functions of sock_stack ---- */

static int resolve(struct nbd_stack *stack, const struct nbd_uri *uri,
		   struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	if (uri->is_unix)
		return posix.resolve(stack, uri, addrs, d);
	start();
	return lwnet_resolve(&net.stack, uri, addrs, d);
}

static int connect_to(struct nbd_stack *stack, struct sock *s,
		      const struct sock_addr *a)
{
	int i = 0, err;

	if (!a->host.len)
		return posix.connect(stack, s, a);
	while (i < MAX && inner[i].fd >= 0)
		i++;
	if (i == MAX)
		return NBD_E_NO_MEMORY;
	err = lwnet_connect(&net.stack, &inner[i], a);
	s->t = (struct nbd_transport){ over_read, over_write, over_close };
	s->net = stack;
	s->reads = 0;
	s->fd = inner[i].fd < 0 ? -1 : BASE + i;
	return err;
}

static int connected(struct sock *s)
{
	int err;

	if (s->fd < BASE)
		return posix.connected(s);
	err = lwnet_connected(&inner[s->fd - BASE]);
	if (err)
		s->fd = -1;
	return err;
}

__attribute__((constructor)) static void replace(void)
{
	posix = sock_stack;
	sock_stack.resolve = resolve;
	sock_stack.connect = connect_to;
	sock_stack.connected = connected;
	for (int i = 0; i < MAX; i++)
		inner[i].fd = -1;
}

/* lwIP has no route to the loopback address, which the tap device has. */
struct netif *__real_ip4_route(const ip4_addr_t *dest);
struct netif *__wrap_ip4_route(const ip4_addr_t *dest);

struct netif *__wrap_ip4_route(const ip4_addr_t *dest)
{
	return ip4_addr_isloopback(dest) ? &net.netif : __real_ip4_route(dest);
}

/* ---- poll() ---- */

int __real_poll(struct pollfd p[], nfds_t n, int ms);
int __wrap_poll(struct pollfd p[], nfds_t n, int ms);

static short events(const struct pollfd *p)
{
	const struct lwnet_link *l = &net.links[inner[p->fd - BASE].fd];
	short got = 0;

	if (p->events & POLLIN && lwnet_ready(l, NBD_RECV))
		got |= POLLIN;
	if (p->events & POLLOUT && lwnet_ready(l, NBD_SEND))
		got |= POLLOUT;
	return got;
}

/* Marks those of lwIP that are ready; how many are. */
static int mark(struct pollfd p[], nfds_t n)
{
	int any = 0;

	for (nfds_t i = 0; i < n; i++) {
		if (p[i].fd < BASE)
			continue;
		p[i].revents = events(&p[i]);
		any += p[i].revents != 0;
	}
	return any;
}

/* May return sooner than ms, which every caller expects of a signal. */
int __wrap_poll(struct pollfd p[], nfds_t n, int ms)
{
	struct pollfd q[2 * MAX + 1] = { { .fd = tap.fd, .events = POLLIN } };
	bool ours = false;
	int any, rc;

	for (nfds_t i = 0; i < n; i++)
		ours |= p[i].fd >= BASE;
	if (!ours)
		return __real_poll(p, n, ms);
	lwnet_poll(&net);
	any = mark(p, n);
	for (nfds_t i = 0; i < n; i++) {
		q[i + 1] = p[i];
		if (p[i].fd >= BASE)
			q[i + 1].fd = -1;
	}
	/* lwIP's timers have a period of 10 ms */
	rc = __real_poll(q, n + 1, any ? 0 : ms >= 0 && ms < 10 ? ms : 10);
	if (rc < 0)
		return rc;
	lwnet_poll(&net);
	any = mark(p, n);
	for (nfds_t i = 0; i < n; i++)
		if (p[i].fd < BASE) {
			p[i].revents = q[i + 1].revents;
			any += p[i].revents != 0;
		}
	return any;
}
