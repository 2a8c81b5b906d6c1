/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams with headers of our own, and through a real interface. */
#include "port/linux/packet.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/linux/link.h"
#include "tests/guard.h"
#include "tests/unit.h"

#define TEXT "hello, all of you"
#define LEN  (sizeof(TEXT) - 1)
#define ALL  (UDP4_HEAD + LEN)

static unsigned char buf[256];

static void make(void)
{
	memset(buf, 0, sizeof(buf));
	memcpy(buf + UDP4_HEAD, TEXT, LEN);
	udp4_head(buf, LEN, 67, 68);
}

static bool takes(size_t n, bool sums)
{
	struct guard g = guard_new(sizeof(buf));
	unsigned char *p = guard_copy(&g, buf, n), *payload;
	bool ok;

	payload = udp4_payload(p, &n, 68, sums);
	ok = payload && n == LEN && !memcmp(payload, TEXT, LEN);
	/* all or nothing: never another text */
	assert_true(ok || !payload || !sums);
	guard_free(&g);
	return ok;
}

static void what_is_sent_can_be_read(void **state)
{
	(void)state;
	make();
	assert_true(takes(ALL, true));
	/* Ethernet fills short frames up */
	assert_true(takes(ALL + 20, true));
	/* RFC 768's example of no sum */
	buf[26] = buf[27] = 0;
	assert_true(takes(ALL, true));
}

static void each_cut_is_refused(void **state)
{
	(void)state;
	make();
	for (size_t n = 0; n < ALL; n++) {
		assert_false(takes(n, true));
		assert_false(takes(n, false));
	}
}

static void each_wrong_bit_is_found(void **state)
{
	(void)state;
	for (size_t bit = 0; bit < ALL * 8; bit++) {
		make();
		buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_false(takes(ALL, true));
	}
}

/* Sets a byte of the IP header and mends its sum. */
static void forge(size_t at, unsigned value)
{
	unsigned sum = 0;

	make();
	buf[at] = (unsigned char)value;
	buf[10] = buf[11] = 0;
	for (int i = 0; i < 20; i += 2)
		sum += (unsigned)buf[i] << 8 | buf[i + 1];
	sum = ~((sum & 0xffff) + (sum >> 16));
	buf[10] = (unsigned char)(sum >> 8);
	buf[11] = (unsigned char)sum;
}

static void headers_that_lie_are_refused(void **state)
{
	static const unsigned char t[][2] = {
		{ 0, 0x65 },	       /* version 6 */
		{ 0, 0x44 },	       /* a header of 16 bytes */
		{ 0, 0x4f },	       /* of 60 */
		{ 3, 27 },	       /* no room for UDP's */
		{ 3, 255 },	       /* longer than it came */
		{ 6, 0x20 }, { 7, 1 }, /* fragments */
		{ 9, 6 },	       /* TCP */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		forge(t[i][0], t[i][1]);
		assert_false(takes(ALL, false));
	}
	forge(6, 0x40); /* "do not fragment" is no fragment */
	assert_true(takes(ALL, true));
	make();
	buf[25] = 7; /* UDP's length */
	assert_false(takes(ALL, false));
	buf[25] = LEN + 9;
	assert_false(takes(ALL, false));
	make();
	buf[23] = 69; /* its port */
	assert_false(takes(ALL, false));
}

static int own_namespace(void **state)
{
	(void)state;
	return unshare(CLONE_NEWNET) || link_up(LINK_LO, NULL);
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
	int fd = packet_open(LINK_LO, 68, NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_null(packet_recv(fd, 68, buf, sizeof(buf), &(size_t){ 0 }));
	/* not for this port: the kernel's filter drops it */
	make();
	udp4_head(buf, LEN, 67, 69);
	packet_send(fd, LINK_LO, buf, LEN);
	make();
	packet_send(fd, LINK_LO, buf, LEN);
	assert_int_equal(receive(fd, &payload), LEN);
	assert_memory_equal(payload, TEXT, LEN);
	close(fd);
}

static void the_kernel_leaves_sums_out_between_neighbours(void **state)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(68),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = packet_open(LINK_LO, 68, NULL);
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
		cmocka_unit_test(what_is_sent_can_be_read),
		cmocka_unit_test(each_cut_is_refused),
		cmocka_unit_test(each_wrong_bit_is_found),
		cmocka_unit_test(headers_that_lie_are_refused),
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
