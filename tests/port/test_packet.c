/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams with headers of our own through a real interface. */
#include "port/linux/packet.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/linux/iface.h"
#include "tests/unit.h"

#define TEXT "hello, all of you"
#define LEN  (sizeof(TEXT) - 1)

static unsigned char buf[256];

static void make(void)
{
	memset(buf, 0, sizeof(buf));
	memcpy(buf + UDP4_HEAD, TEXT, LEN);
	udp4_head(buf, LEN, 67, 68);
}

static int own_namespace(void **state)
{
	(void)state;
	return unshare(CLONE_NEWNET) || iface_up(IFACE_LO, NULL);
}

static size_t receive(int fd, unsigned char **payload)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static unsigned char room[512];
	size_t len = 0;

	do {
		assert_int_equal(poll(&p, 1, -1), 1);
		*payload = packet_recv(fd, 68, room, sizeof(room), &len);
	} while (!*payload);
	return len;
}

static void a_broadcast_needs_no_address(void **state)
{
	unsigned char *payload;
	int fd = packet_open(IFACE_LO, 68, NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_null(packet_recv(fd, 68, buf, sizeof(buf), &(size_t){ 0 }));
	/* not for this port: the kernel's filter drops it */
	make();
	udp4_head(buf, LEN, 67, 69);
	packet_send(fd, IFACE_LO, buf, LEN);
	make();
	packet_send(fd, IFACE_LO, buf, LEN);
	assert_int_equal(receive(fd, &payload), LEN);
	assert_memory_equal(payload, TEXT, LEN);
	close(fd);
}

static void the_kernel_leaves_sums_out_between_neighbours(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(68),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = packet_open(IFACE_LO, 68, NULL);
	int udp = packet_udp("lo", 68, false, NULL);
	unsigned char *payload;

	(void)state;
	assert_true(fd >= 0 && udp >= 0);
	assert_int_equal(sendto(udp, TEXT, LEN, 0, (void *)&to, sizeof(to)),
			 LEN);
	assert_int_equal(receive(fd, &payload), LEN);
	close(fd);
	close(udp);
}

static void a_port_that_is_wanted_alone_may_be_in_use(void **state)
{
	int udp = packet_udp("lo", 68, true, NULL);

	(void)state;
	assert_true(udp >= 0);
	assert_int_equal(packet_udp("lo", 68, true, NULL), NBD_E_IN_USE);
	assert_int_equal(packet_udp("lo", 68, false, NULL), NBD_E_IN_USE);
	close(udp);
	udp = packet_udp("lo", 68, false, NULL);
	assert_true(udp >= 0);
	assert_int_equal(packet_udp("lo", 68, true, NULL), NBD_E_IN_USE);
	close(udp);
}

static void a_socket_that_cannot_be_opened_is_reported(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(packet_open(4711, 68, &d), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, "No such device"));
	assert_int_equal(packet_udp("eth7", 68, false, &d), NBD_E_KERNEL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_broadcast_needs_no_address,
				       own_namespace),
		cmocka_unit_test_setup(
			the_kernel_leaves_sums_out_between_neighbours,
			own_namespace),
		cmocka_unit_test_setup(a_port_that_is_wanted_alone_may_be_in_use,
				       own_namespace),
		cmocka_unit_test_setup(
			a_socket_that_cannot_be_opened_is_reported,
			own_namespace),
	};

	return cmocka_run_group_tests_name("packets", tests, NULL, NULL);
}
