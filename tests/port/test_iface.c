/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interfaces, in a network namespace of the test's own: only loopback is in
 * it, and it is down.
 */
#include "port/linux/iface.h"
#include "tests/world/clock.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static struct nbd_diag diag;
static void (*on_poll)(void);

/* What happens in the world while iface_wait() sleeps. */
static int played_wait(struct pollfd *p, nfds_t n, int timeout)
{
	void (*f)(void) = on_poll;

	on_poll = NULL;
	if (f)
		f();
	return world_real_poll(p, n, timeout);
}

static int own_namespace(void **state)
{
	(void)state;
	world = (struct world){ .real = true, .wait = played_wait };
	on_poll = NULL;
	memset(&diag, 0, sizeof(diag));
	return unshare(CLONE_NEWNET);
}

static struct nbd_ip addr(const char *text, unsigned prefix)
{
	struct nbd_ip a;

	assert_true(nbd_ip_parse(&a, text));
	a.prefix = (uint8_t)prefix;
	return a;
}

static int route(const struct nbd_ip *to, const struct nbd_ip *gw)
{
	struct iface_route r = { .dst = *to };

	if (gw)
		r.gw = *gw;
	return iface_add_route(IFACE_LO, &r, &diag);
}

static void count(void *ctx, const struct iface *l)
{
	*(unsigned *)ctx += l->index == IFACE_LO;
}

static void loopback_is_listed_and_found(void **state)
{
	struct iface l;
	unsigned n = 0;

	(void)state;
	assert_int_equal(iface_each(count, &n, &diag), 0);
	assert_int_equal(n, 1);
	assert_int_equal(iface_find("lo", &l, &diag), IFACE_LO);
	assert_true(l.loopback && !l.up && !l.carrier);
	assert_int_equal(l.mtu, 65536);
	assert_string_equal(l.name, "lo");
	assert_int_equal(iface_find("l", NULL, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text, "there is no network interface l");
}

static void an_interface_comes_up_with_its_mtu(void **state)
{
	struct iface l;

	(void)state;
	assert_int_equal(iface_set_mtu(IFACE_LO, 9000, &diag), 0);
	assert_int_equal(iface_up(IFACE_LO, &diag), 0);
	assert_int_equal(iface_find("lo", &l, &diag), IFACE_LO);
	assert_true(l.up && l.carrier);
	assert_int_equal(l.mtu, 9000);
	assert_int_equal(iface_up(4711, &diag), NBD_E_NO_DEVICE);
	assert_string_equal(diag.text,
			    "bring up interface 4711: No such device");
}

/* The address that the kernel sends from to reach a target. */
static void assert_source(int family, const char *target, const char *source)
{
	struct sockaddr_storage ss = { .ss_family = (sa_family_t)family };
	struct sockaddr_in *in = (void *)&ss;
	struct sockaddr_in6 *in6 = (void *)&ss;
	void *ip = family == AF_INET ? (void *)&in->sin_addr
				     : (void *)&in6->sin6_addr;
	socklen_t len = family == AF_INET ? sizeof(*in) : sizeof(*in6);
	int fd = socket(family, SOCK_DGRAM, 0);
	char text[64];

	inet_pton(family, target, ip);
	in->sin_port = htons(9);
	assert_int_equal(connect(fd, (void *)&ss, len), 0);
	assert_int_equal(getsockname(fd, (void *)&ss, &len), 0);
	inet_ntop(family, ip, text, sizeof(text));
	assert_string_equal(text, source);
	close(fd);
}

static void find_addr(void *ctx, const struct iface_addr *a)
{
	struct iface_addr *want = ctx;

	if (a->a.len == want->a.len && a->a.prefix == want->a.prefix &&
	    !memcmp(a->a.ip, want->a.ip, 16))
		*want = *a;
}

/* The kernel looks for duplicates on loopback, too, if only for a moment. */
static struct iface_addr settled(const struct nbd_ip *a)
{
	struct iface_addr found = { .a = *a, .tentative = true };

	while (found.tentative)
		assert_int_equal(iface_each_addr(find_addr, &found, &diag), 0);
	return found;
}

static void addresses_and_routes_carry_packets(void **state)
{
	struct nbd_ip a4 = addr("192.0.2.5", 24);
	struct nbd_ip a6 = addr("2001:db8::5", 64);
	struct nbd_ip net4 = addr("198.51.100.0", 24);
	struct nbd_ip any4 = addr("0.0.0.0", 0);
	struct nbd_ip net6 = addr("2001:db8:1::", 64);
	struct nbd_ip gw4 = addr("192.0.2.1", 0);

	(void)state;
	assert_int_equal(iface_up(IFACE_LO, &diag), 0);
	assert_int_equal(iface_add_addr(IFACE_LO, &a4, IFACE_FOREVER, &diag),
			 0);
	assert_int_equal(iface_add_addr(IFACE_LO, &a6, IFACE_FOREVER, &diag),
			 0);
	settled(&a6);
	assert_int_equal(route(&net4, NULL), 0);
	assert_source(AF_INET, "198.51.100.7", "192.0.2.5");
	assert_source(AF_INET6, "2001:db8::5", "2001:db8::5");
	/* the second time it is replaced: setting up is repeatable */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			iface_add_addr(IFACE_LO, &a4, IFACE_FOREVER, &diag), 0);
		assert_int_equal(route(&any4, &gw4), 0);
	}
	assert_source(AF_INET, "203.0.113.9", "192.0.2.5");
	assert_int_equal(route(&net6, NULL), 0);
	assert_source(AF_INET6, "2001:db8:1::9", "2001:db8::5");
}

static void a_gateway_off_the_link_is_refused_in_the_kernels_words(void **state)
{
	struct nbd_ip any = addr("0.0.0.0", 0);
	struct nbd_ip gw = addr("10.9.9.9", 0);

	(void)state;
	assert_int_equal(iface_up(IFACE_LO, &diag), 0);
	assert_int_equal(route(&any, &gw), NBD_E_UNREACHABLE);
	assert_non_null(
		strstr(diag.text, "unreachable (Nexthop has invalid gateway)"));
}

static void a_gateway_off_the_link_is_reached_if_asked_for(void **state)
{
	struct nbd_ip me = addr("192.0.2.5", 32);
	struct iface_route r = { .dst = addr("0.0.0.0", 0),
				 .gw = addr("10.9.9.9", 32),
				 .onlink = true };

	(void)state;
	assert_int_equal(iface_up(IFACE_LO, &diag), 0);
	assert_int_equal(iface_add_addr(IFACE_LO, &me, IFACE_FOREVER, &diag),
			 0);
	assert_int_equal(iface_add_route(IFACE_LO, &r, &diag), 0);
	assert_source(AF_INET, "203.0.113.9", "192.0.2.5");
	/* another metric is another route */
	r.metric = 7;
	assert_int_equal(iface_add_route(IFACE_LO, &r, &diag), 0);
}

static void addresses_are_listed(void **state)
{
	struct iface_addr a4 = { .a = addr("192.0.2.5", 24) };
	struct iface_addr a6 = { .a = addr("2001:db8::5", 64) }, found;

	(void)state;
	assert_int_equal(iface_up(IFACE_LO, &diag), 0);
	assert_int_equal(iface_add_addr(IFACE_LO, &a4.a, IFACE_FOREVER, &diag),
			 0);
	assert_int_equal(iface_add_addr(IFACE_LO, &a6.a, IFACE_FOREVER, &diag),
			 0);
	assert_int_equal(iface_each_addr(find_addr, &a4, &diag), 0);
	a6 = settled(&a6.a);
	assert_int_equal(a4.index, IFACE_LO);
	assert_true(a4.global && !a4.tentative && !a4.failed);
	assert_int_equal(a6.index, IFACE_LO);
	assert_true(a6.global && !a6.tentative);
	assert_true(a4.lasting && a6.lasting);
	/* the same one again, with an end */
	assert_int_equal(iface_add_addr(IFACE_LO, &a4.a, 3600, &diag), 0);
	assert_int_equal(iface_each_addr(find_addr, &a4, &diag), 0);
	assert_false(a4.lasting);
	/* by the address alone */
	found = (struct iface_addr){ .a = a6.a };
	found.a.prefix = 0;
	assert_int_equal(iface_refresh_addr(&found, &diag), 0);
	assert_int_equal(found.index, IFACE_LO);
	assert_int_equal(found.a.prefix, 64);
	assert_true(found.lasting);
	found = (struct iface_addr){ .a = a6.a };
	found.a.ip[15]++;
	assert_int_equal(iface_refresh_addr(&found, &diag), 0);
	assert_int_equal(found.index, 0);
}

static void an_interface_gets_a_name_and_a_mac(void **state)
{
	static const unsigned char mac[6] = { 2, 1, 2, 3, 4, 5 };
	struct iface l;
	int index;

	(void)state;
	assert_int_equal(system("ip link add v0 type veth peer name v1"), 0);
	index = iface_find("v0", &l, &diag);
	assert_true(index > 0 && l.ether);
	assert_int_equal(iface_set_mac(index, mac, &diag), 0);
	assert_int_equal(iface_up(index, &diag), 0);
	assert_int_equal(iface_rename(index, "five", &diag), 0);
	assert_int_equal(iface_find("five", &l, &diag), index);
	assert_memory_equal(l.mac, mac, 6);
	assert_false(l.up);
	assert_true(iface_rename(4711, "x", &diag) < 0);
}

static void a_prefix_longer_than_its_address_is_refused(void **state)
{
	struct nbd_ip a = addr("192.0.2.5", 33);

	(void)state;
	assert_int_equal(iface_add_addr(IFACE_LO, &a, IFACE_FOREVER, &diag),
			 NBD_E_PARAM);
	a.len = 0;
	a.prefix = 0;
	assert_int_equal(route(&a, NULL), NBD_E_PARAM);
}

static void lo_up(void)
{
	assert_int_equal(iface_up(IFACE_LO, NULL), 0);
}

static void lo_mtu(void)
{
	assert_int_equal(iface_set_mtu(IFACE_LO, 1400, NULL), 0);
	on_poll = lo_up;
}

static void a_carrier_that_comes_later_wakes_the_waiter(void **state)
{
	struct iface l;

	(void)state;
	on_poll = lo_mtu; /* an event that is not the one waited for */
	assert_int_equal(iface_wait("lo", true, -1, &l, &diag), IFACE_LO);
	assert_true(l.carrier);
	/* one sleep for each thing that happened: nothing is polled for */
	assert_int_equal(world.polls, 2);
}

static void what_is_there_is_not_waited_for(void **state)
{
	(void)state;
	assert_int_equal(iface_wait("lo", false, 0, NULL, &diag), IFACE_LO);
	assert_int_equal(world.polls, 0);
}

static void a_wait_in_vain_says_what_did_not_come(void **state)
{
	(void)state;
	assert_int_equal(iface_wait("eth7", false, 20, NULL, &diag),
			 NBD_E_NO_DEVICE);
	assert_string_equal(diag.text, "there is no network interface eth7");
	assert_int_equal(iface_wait("lo", true, 20, NULL, &diag),
			 NBD_E_UNREACHABLE);
	assert_string_equal(diag.text, "network interface lo is down");
	/* loopback is nobody's way to a server */
	assert_int_equal(iface_wait(NULL, false, 0, NULL, &diag),
			 NBD_E_NO_DEVICE);
}

#define OWN(f) cmocka_unit_test_setup(f, own_namespace)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OWN(loopback_is_listed_and_found),
		OWN(an_interface_comes_up_with_its_mtu),
		OWN(addresses_and_routes_carry_packets),
		OWN(a_gateway_off_the_link_is_refused_in_the_kernels_words),
		OWN(a_gateway_off_the_link_is_reached_if_asked_for),
		OWN(addresses_are_listed),
		OWN(an_interface_gets_a_name_and_a_mac),
		OWN(a_prefix_longer_than_its_address_is_refused),
		OWN(a_carrier_that_comes_later_wakes_the_waiter),
		OWN(what_is_there_is_not_waited_for),
		OWN(a_wait_in_vain_says_what_did_not_come),
	};

	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
