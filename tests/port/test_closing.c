/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections to itself, in a network namespace of the test's own.  A peer that
 * does not read lets no end come through.
 */
#include "port/linux/closing.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit.h"
#include "tests/world/clock.h"

static int reader; /* the peer that begins to read at the third look */

static int played_wait(struct pollfd *p, nfds_t n, int timeout)
{
	char buf[65536];

	if (world.polls >= 3 && reader >= 0)
		while (recv(reader, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			;
	return world_real_poll(p, n, timeout);
}

static int own_namespace(void **state)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd, rc;

	(void)state;
	world = (struct world){ .real = true, .wait = played_wait };
	reader = -1;
	if (unshare(CLONE_NEWNET))
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	rc = ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
	return rc;
}

/* A client that has sent as much as fits, and has closed; returns its peer. */
static int full_and_closed(int family)
{
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6,
				   .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in a4 = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *a = family == AF_INET ? (void *)&a4 : (void *)&a6;
	socklen_t len = family == AF_INET ? sizeof(a4) : sizeof(a6);
	int listener = socket(family, SOCK_STREAM, 0);
	int client = socket(family, SOCK_STREAM, 0), peer;
	static const char zeroes[65536];

	assert_int_equal(bind(listener, a, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, a, &len), 0);
	assert_int_equal(connect(client, a, len), 0);
	peer = accept(listener, NULL, NULL);
	assert_true(peer >= 0);
	while (send(client, zeroes, sizeof(zeroes), MSG_DONTWAIT) > 0)
		;
	close(client);
	close(listener);
	return peer;
}

static void nothing_to_wait_for(void **state)
{
	(void)state;
	assert_true(closing_await(1000));
	assert_int_equal(world.polls, 0);
}

static void an_end_that_comes_through(void **state)
{
	int family = *(const int *)*state;

	reader = full_and_closed(family);
	assert_true(closing_await(100000));
	assert_true(world.polls >= 3);
	close(reader);
}

static void an_end_that_never_does(void **state)
{
	int peer = full_and_closed(AF_INET);

	(void)state;
	assert_false(closing_await(200));
	assert_int_equal(world.polls, 10);
	close(peer);
}

int main(void)
{
	static int v4 = AF_INET, v6 = AF_INET6;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_to_wait_for, own_namespace),
		cmocka_unit_test_prestate_setup_teardown(
			an_end_that_comes_through, own_namespace, NULL, &v4),
		cmocka_unit_test_prestate_setup_teardown(
			an_end_that_comes_through, own_namespace, NULL, &v6),
		cmocka_unit_test_setup(an_end_that_never_does, own_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
