/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots: how many, what fills those without a connection, and their marks. */
#include "boot/device/slots.h"
#include "boot/device/device.h"
#include "tests/unit.h"
#include "tests/world/sockdiag.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX CONFIG_PORT_MAX_CONNECTIONS

static int forgotten;

int __wrap_device_want(int index, unsigned connections, struct nbd_diag *d);

int __wrap_device_want(int index, unsigned connections, struct nbd_diag *d)
{
	(void)d;
	assert_int_equal(connections, 0);
	forgotten = index;
	return NBD_E_NOT_FOUND;
}

static unsigned choose(unsigned connections, unsigned slots, unsigned flags)
{
	const struct backend b = { .connections = connections, .slots = slots };
	const struct nbd_export e = { .flags = (uint16_t)flags };

	return device_slots_choose(&b, &e);
}

static void there_is_one_for_each_connection(void **state)
{
	const unsigned multi = NBD_FLAG_CAN_MULTI_CONN;

	(void)state;
	assert_int_equal(choose(1, 0, multi), 1);
	assert_int_equal(choose(4, 0, multi), 4);
	assert_int_equal(choose(6, 0, multi), 6);
	assert_int_equal(choose(MAX, 0, multi), MAX);
	assert_int_equal(choose(MAX + 1, 0, multi), MAX);
}

static void there_are_more_if_that_is_asked_for(void **state)
{
	const unsigned multi = NBD_FLAG_CAN_MULTI_CONN;

	(void)state;
	assert_int_equal(choose(1, 2, multi), 2);
	assert_int_equal(choose(1, 8, multi), 8);
	assert_int_equal(choose(1, MAX + 1, multi), MAX);
	/* but never less than connections */
	assert_int_equal(choose(3, 2, multi), 3);
}

static void a_server_for_one_connection_needs_one(void **state)
{
	(void)state;
	assert_int_equal(choose(1, 0, 0), 1);
	assert_int_equal(choose(1, 8, 0), 1);
}

/* As the driver would: nothing is taken in, and nothing is waited for. */
static void assert_dead(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	char c;
	int type = 0;
	socklen_t len = sizeof(type);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len), 0);
	assert_int_equal(type, SOCK_STREAM);
	assert_int_equal(poll(&p, 1, 0), 1);
	assert_true(p.revents & POLLHUP);
	assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(recv(fd, &c, 1, 0), 0);
}

static void what_has_no_connection_is_dead_at_once(void **state)
{
	int fds[MAX] = { 100, 101 };
	int before = dup(0), after;

	(void)state;
	close(before);
	assert_int_equal(device_slots_fill(fds, 2, 6), 6);
	assert_int_equal(fds[0], 100);
	assert_int_equal(fds[1], 101);
	for (unsigned i = 2; i < 6; i++) {
		assert_dead(fds[i]);
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		close(fds[i]);
	}
	/* and of the other ends none is left */
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
}

static void what_is_full_is_left_alone(void **state)
{
	int fds[MAX] = { 100, 101, 102 };

	(void)state;
	assert_int_equal(device_slots_fill(fds, 3, 3), 3);
	assert_int_equal(device_slots_fill(fds, 3, 1), 3);
	assert_int_equal(fds[2], 102);
}

static void without_descriptors_there_are_fewer(void **state)
{
	struct rlimit was, few;
	int fds[MAX] = { 100 }, next = dup(0);
	unsigned n;

	(void)state;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = was;
	/* a pair needs two for a moment */
	few.rlim_cur = (rlim_t)next + 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	n = device_slots_fill(fds, 1, 6);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(n, 3);
	close(fds[1]);
	close(fds[2]);
}

static void each_connection_is_marked_and_an_old_wish_forgotten(void **state)
{
	const int fds[] = { 7, 8, 9 };

	(void)state;
	forgotten = -1;
	/* the others are marked all the same */
	world.tag_error = NBD_E_PERM;
	device_slots_tag(fds, 3, 5);
	assert_int_equal(world.tags, 3);
	assert_memory_equal(world.tagged, fds, sizeof(fds));
	assert_int_equal(world.tag, 5);
	/* of an older nbd5, which `scale` had changed */
	assert_int_equal(forgotten, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_one_for_each_connection),
		cmocka_unit_test(there_are_more_if_that_is_asked_for),
		cmocka_unit_test(a_server_for_one_connection_needs_one),
		cmocka_unit_test(what_has_no_connection_is_dead_at_once),
		cmocka_unit_test(what_is_full_is_left_alone),
		cmocka_unit_test(without_descriptors_there_are_fewer),
		cmocka_unit_test(
			each_connection_is_marked_and_an_old_wish_forgotten),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
