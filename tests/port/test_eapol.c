/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of 802.1X: which ones ask for a login, and how they are received. */
#include "port/linux/eapol.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/linux/iface.h"
#include "tests/guard.h"
#include "tests/unit.h"

/* version, EAP packet, 5 bytes: Request, identifier 1, 5 bytes, Identity */
static const unsigned char request[] = { 2, 0, 0, 5, 1, 1, 0, 5, 1 };

static void a_request_and_a_failure_ask_for_a_login(void **state)
{
	struct guard g = guard_new(64);
	unsigned char p[sizeof(request)];

	(void)state;
	for (size_t n = 0; n <= sizeof(request); n++)
		assert_int_equal(eapol_asks(guard_copy(&g, request, n), n),
				 n >= 8);
	for (unsigned code = 0; code < 256; code++) {
		memcpy(p, request, sizeof(p));
		p[4] = (unsigned char)code;
		assert_int_equal(eapol_asks(p, sizeof(p)),
				 code == 1 || code == 4);
		/* another type: 1 is what a machine sends that wants in */
		p[4] = 1;
		p[1] = (unsigned char)code;
		assert_int_equal(eapol_asks(p, sizeof(p)), !code);
	}
	guard_free(&g);
}

static int own_namespace(void **state)
{
	(void)state;
	return unshare(CLONE_NEWNET) || iface_up(IFACE_LO, NULL);
}

static void frame(int fd, unsigned type, const void *p, size_t len)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons((uint16_t)type),
				  .sll_ifindex = IFACE_LO,
				  .sll_halen = ETH_ALEN };

	assert_int_equal(sendto(fd, p, len, 0, (void *)&to, sizeof(to)), len);
}

static void the_interface_is_named_once(void **state)
{
	static const unsigned char start[] = { 2, 1, 0, 0, 0, 0, 0, 0 };
	int fd = eapol_open(), out = eapol_open(), index[2] = { 0 };

	(void)state;
	assert_true(fd >= 0 && out >= 0);
	eapol_listen(fd, IFACE_LO);
	assert_int_equal(eapol_heard(fd, index, 2), 0);
	frame(out, ETH_P_PAE, start, sizeof(start));
	frame(out, ETH_P_PAE, request, 5);
	frame(out, ETH_P_IP, request, sizeof(request));
	assert_int_equal(eapol_heard(fd, index, 2), 0);
	frame(out, ETH_P_PAE, start, sizeof(start));
	frame(out, ETH_P_PAE, request, sizeof(request));
	frame(out, ETH_P_PAE, request, sizeof(request));
	assert_int_equal(eapol_heard(fd, index, 2), 1);
	assert_int_equal(index[0], IFACE_LO);
	assert_int_equal(eapol_heard(fd, index, 2), 0);
	frame(out, ETH_P_PAE, request, sizeof(request));
	assert_int_equal(eapol_heard(fd, index, 0), 0);
	close(fd);
	close(out);
}

/* A flood does not keep the caller for ever. */
static void no_more_than_256_frames_are_read(void **state)
{
	static const unsigned char start[] = { 2, 1, 0, 0, 0, 0, 0, 0 };
	int fd = eapol_open(), out = eapol_open(), index[1];
	const int room = 4 << 20;

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
				    sizeof(room)),
			 0);
	for (int i = 0; i < 256; i++)
		frame(out, ETH_P_PAE, start, sizeof(start));
	frame(out, ETH_P_PAE, request, sizeof(request));
	assert_int_equal(eapol_heard(fd, index, 1), 0);
	assert_int_equal(eapol_heard(fd, index, 1), 1);
	close(fd);
	close(out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_and_a_failure_ask_for_a_login),
		cmocka_unit_test_setup(the_interface_is_named_once,
				       own_namespace),
		cmocka_unit_test_setup(no_more_than_256_frames_are_read,
				       own_namespace),
	};

	return cmocka_run_group_tests_name("802.1X", tests, NULL, NULL);
}
