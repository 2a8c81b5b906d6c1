/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network between a client and a server in one test program: sockets over
 * the loopback, or lwIP in the client with a tap device to the kernel.  Root has
 * a network namespace of the test's own: a port that is free now stays free.
 */
#ifndef TESTS_PORT_NET_H
#define TESTS_PORT_NET_H

#include "port/dial.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#ifdef CONFIG_PORT_LWIP
#include "boot/lwip/lwip.h"
#include "tests/unit.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NET_SERVER "10.9.0.1" /* the kernel's address at the tap device */
#define NET_HOST   NET_SERVER

static struct lwip_tap net_tap;
static struct lwnet net_lwip;

static inline void net_interface(const char *name, const char *ip)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r = { .ifr_flags = IFF_UP };
	struct sockaddr_in a = { .sin_family = AF_INET };

	strcpy(r.ifr_name, name);
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &r), 0);
	inet_pton(AF_INET, ip, &a.sin_addr);
	memcpy(&r.ifr_addr, &a, sizeof(a));
	assert_int_equal(ioctl(fd, SIOCSIFADDR, &r), 0);
	close(fd);
}

/* For each program; never ends. */
static inline int net_start(void **state)
{
	const struct lwip_options o = { .tap = "tap0",
					.fd = -1,
					.mac = { 2, 0, 0, 0, 0, 1 } };
	const struct lwnet_config c = { .ip4.ip = { 4, 24, { 10, 9, 0, 2 } } };
	struct nbd_diag why;

	(void)state;
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	assert_int_equal(lwip_tap_open(&net_tap, &o, &why), 0);
	net_interface("tap0", NET_SERVER);
	assert_int_equal(lwnet_open(&net_lwip, &net_tap.e, &c), 0);
	return 0;
}

static inline struct nbd_stack *net_stack(void)
{
	return &net_lwip.stack;
}

#else
#include "port/linux/iface.h"
#include "port/posix/sock.h"

#include <sched.h>

#define NET_SERVER "127.0.0.1"
#define NET_HOST   "localhost"

static inline int net_start(void **state)
{
	(void)state;
	return unshare(CLONE_NEWNET) ? 0 : iface_up(IFACE_LO, NULL);
}

static inline struct nbd_stack *net_stack(void)
{
	return &sock_stack;
}
#endif

/* The address that a server of the test binds; any port. */
static inline struct sockaddr_in net_address(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	inet_pton(AF_INET, NET_SERVER, &a.sin_addr);
	return a;
}

#endif
