/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP between link-local addresses, in a network namespace of the test's own. */
#include "port/linux/udp6.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/linux/iface.h"
#include "tests/unit.h"

static const unsigned char ip[16] = { 0xfe, 0x80, [15] = 7 };

static int own_namespace(void **state)
{
	struct iface_addr a = { .a = { .len = 16, .prefix = 64 },
				.tentative = true };
	int rc;

	(void)state;
	memcpy(a.a.ip, ip, sizeof(ip));
	rc = unshare(CLONE_NEWNET) || iface_up(IFACE_LO, NULL) ||
	     iface_add_addr(IFACE_LO, &a.a, IFACE_FOREVER, NULL);
	/* the kernel leaves it to a worker to see that nothing is to probe */
	while (!rc && a.tentative)
		rc = iface_refresh_addr(&a, NULL);
	return rc;
}

static void await(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&p, 1, -1), 1);
}

static void datagrams_arrive_whole_or_not_at_all(void **state)
{
	int a = udp6_open(IFACE_LO, ip, 546, NULL);
	int b = udp6_open(IFACE_LO, ip, 547, NULL);
	char buf[8];
	size_t len;

	(void)state;
	assert_true(a >= 0 && b >= 0);
	assert_false(udp6_recv(b, buf, sizeof(buf), &len));
	udp6_send(a, IFACE_LO, ip, 547, "12345678", 8);
	await(b);
	assert_true(udp6_recv(b, buf, sizeof(buf), &len));
	assert_int_equal(len, 8);
	assert_memory_equal(buf, "12345678", 8);
	udp6_send(a, IFACE_LO, ip, 547, "123456789", 9);
	await(b);
	assert_false(udp6_recv(b, buf, sizeof(buf), &len));
	udp6_send(a, IFACE_LO, ip, 547, "", 0);
	await(b);
	assert_true(udp6_recv(b, buf, sizeof(buf), &len));
	assert_int_equal(len, 0);
	close(a);
	close(b);
}

static void a_port_in_use_is_reported(void **state)
{
	static const unsigned char other[16] = { 0xfe, 0x80, [15] = 8 };
	int fd = udp6_open(IFACE_LO, ip, 546, NULL);
	struct nbd_diag d;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(udp6_open(IFACE_LO, ip, 546, &d), NBD_E_IN_USE);
	assert_non_null(strstr(d.text, "UDP port 546 of IPv6: Address alr"));
	assert_int_equal(udp6_open(IFACE_LO, other, 546, &d), NBD_E_KERNEL);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(datagrams_arrive_whole_or_not_at_all,
				       own_namespace),
		cmocka_unit_test_setup(a_port_in_use_is_reported,
				       own_namespace),
	};

	return cmocka_run_group_tests_name("UDP over IPv6", tests, NULL, NULL);
}
