/* SPDX-License-Identifier: BSD-2-Clause */
/* The address of HTTP boot, from its device path. */
#include "boot/words/lease.h"

#include <sys/socket.h>

#include "tests/guard.h"
#include "tests/unit.h"

/* As OVMF makes it: MAC, IPv4, DNS, URI; the first and the last are cut. */
static const uint8_t path[] = {
	3, 11, 8,  0,	0x52, 0x54, 0,	 1, /* MAC */
	3, 12, 27, 0,	192,  0,    2,	 50,  0,   0,	0, 0, 0, 0, 0, 0, /**/
	0, 0,  0,  192, 0,    2,    1,	 255, 255, 255, 0,		  /**/
	3, 31, 37, 0,	0,    192,  0,	 2,   53,  0,	0, 0, 0, 0, 0, 0,
	0, 0,  0,  0,	0,    192,  0,	 2,   54,  0,	0, 0, 0, 0, 0, 0,
	0, 0,  0,  0,	0,		      /* DNS */
	3, 24, 8,  0,	'h',  't',  't', 'p', /* URI */
};
static struct dhcp_lease l;

static void the_path_of_http_boot_has_the_address(void **state)
{
	static const uint8_t addr[4] = { 192, 0, 2, 50 },
			     router[4] = { 192, 0, 2, 1 },
			     dns[4] = { 192, 0, 2, 54 };

	(void)state;
	assert_true(boot_lease_path(&l, path, sizeof(path)));
	assert_memory_equal(l.addr.ip, addr, 4);
	assert_memory_equal(l.router.ip, router, 4);
	assert_int_equal(l.addr.prefix, 24);
	assert_int_equal(l.n_dns, 2);
	assert_memory_equal(l.dns[1].ip, dns, 4);
}

/* What the words of the kernel are for l. */
static const char *words_of(const struct dhcp_lease *lease)
{
	static const uint8_t mac[6] = { 0x52, 0x54, 0, 0, 0, 1 };
	static char text[200];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	boot_lease_put(&o, lease, "auto6");
	boot_lease_bootif(&o, mac);
	text[o.len] = '\0';
	return text;
}

static void the_kernel_gets_the_lease_or_waits_for_a_router(void **state)
{
	static const struct dhcp_lease none;

	(void)state;
	assert_true(boot_lease_path(&l, path, sizeof(path)));
	assert_string_equal(
		words_of(&l),
		" ip=192.0.2.50::192.0.2.1:255.255.255.0:::off:"
		"192.0.2.53:192.0.2.54 BOOTIF=01-52-54-00-00-00-01");
	assert_string_equal(words_of(&none),
			    " ip=auto6 BOOTIF=01-52-54-00-00-00-01");
}

static void a_path_without_an_address_has_none(void **state)
{
	(void)state;
	assert_false(boot_lease_path(&l, path, 8));
	assert_false(boot_lease_path(&l, path, 0));
}

/* Cut anywhere, no byte behind the end is read. */
static void a_path_that_is_cut_is_refused(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(path); n++) {
		struct guard g = guard_new(n ? n : 1);
		uint8_t *p = guard_end(&g, n);

		memcpy(p, path, n);
		if (boot_lease_path(&l, p, n))
			assert_true(n >= 8 + 27);
		guard_free(&g);
	}
}

static void a_node_without_a_length_ends_it(void **state)
{
	static const uint8_t bad[] = { 3, 12, 0, 0, 1, 2, 3, 4 };

	(void)state;
	assert_false(boot_lease_path(&l, bad, sizeof(bad)));
}

/* As OVMF makes it by IPv6: MAC, IPv6, DNS, URI. */
static const uint8_t path6[] = {
	3,    11, 8,	0,    0x52, 0x54, 0,	1, /* MAC */
	3,    13, 60,	0,    0x20, 1,	  0x0d, 0xb8, 0,   0,	 0,    0, 0,
	0,    0,  0,	0,    0,    0,	  0x50, 0x20, 1,   0x0d, 0xb8, 0, 0,
	0,    0,  0,	0,    0,    0,	  0,	0,    0,   1,	 0,    0, 0,
	0,    6,  0,	0,    0,    0xfe, 0x80, 0,    0,   0,	 0,    0, 0,
	0,    0,  0,	0,    0,    0,	  0,	1,    3,   31,	 21,   0, 1,
	0x20, 1,  0x0d, 0xb8, 0,    0,	  0,	0,    0,   0,	 0,    0, 0,
	0,    0,  0x53, 3,    24,   8,	  0,	'h',  't', 't',	 'p', /* URI */
};

static void the_path_of_http_boot_has_an_address_of_ipv6(void **state)
{
	uint8_t p[sizeof(path6)];
	struct ip_config ip;

	(void)state;
	memset(&ip, 0, sizeof(ip));
	memcpy(p, path6, sizeof(p));
	assert_true(boot_lease_path6(&ip, p, sizeof(p)));
	assert_int_equal(ip.client.ip[15], 0x50);
	assert_int_equal(ip.client.prefix, 64);
	assert_int_equal(ip.gateway.ip[15], 1);
	assert_int_equal(ip.gateway.len, 16);
	assert_int_equal(ip.dns[0].ip[15], 0x53);
	p[8 + 43] = 48;
	assert_true(boot_lease_path6(&ip, p, sizeof(p)));
	assert_int_equal(ip.client.prefix, 48);
	/* no address, no gateway, that of IPv4 */
	memset(p + 8 + 44, 0, 16);
	assert_true(boot_lease_path6(&ip, p, sizeof(p)));
	assert_int_equal(ip.gateway.len, 0);
	memset(p + 8 + 4, 0, 16);
	assert_false(boot_lease_path6(&ip, p, sizeof(p)));
	assert_false(boot_lease_path6(&ip, path, sizeof(path)));
	assert_false(boot_lease_path(&l, path6, sizeof(path6)));
}

static void a_path_of_ipv6_that_is_cut_is_refused(void **state)
{
	struct ip_config ip;

	(void)state;
	for (size_t n = 0; n < sizeof(path6); n++) {
		struct guard g = guard_new(n ? n : 1);
		uint8_t *p = guard_end(&g, n);

		memcpy(p, path6, n);
		assert_int_equal(boot_lease_path6(&ip, p, n), n >= 8 + 60);
		guard_free(&g);
	}
}

static void pxe_by_ipv6_has_an_address_and_a_reply(void **state)
{
	static const uint8_t addr[16] = { 0x20, 1, [15] = 0x50 },
			     none[16], m[] = { 7,    1, 2, 3, 0, 23, 0, 16,
					       0x20, 1, 0, 0, 0, 0,  0, 0,
					       0,    0, 0, 0, 0, 0,  0, 0x53 };
	struct ip_config ip;

	(void)state;
	memset(&ip, 0, sizeof(ip));
	boot_lease_packet6(&ip, addr, m, sizeof(m));
	assert_int_equal(ip.client.len, 16);
	assert_memory_equal(ip.client.ip, addr, 16);
	assert_int_equal(ip.dns[0].ip[15], 0x53);
	memset(&ip, 0, sizeof(ip));
	boot_lease_packet6(&ip, none, m, sizeof(m) - 1);
	assert_int_equal(ip.client.len, 0);
	assert_int_equal(ip.dns[0].len, 0);
}

/* Of a path, and of a reply: the first may be switched off. */
static void two_name_servers_of_ipv6_are_taken(void **state)
{
	static const uint8_t addr[16] = { 0x20, 1, [15] = 0x50 };
	uint8_t p[8 + 60 + 37], m[8 + 32] = { 7, 1, 2, 3, 0, 23, 0, 32 };
	struct ip_config ip;

	(void)state;
	memcpy(p, path6, 8 + 60 + 21);
	p[8 + 60 + 2] = 37;
	memcpy(p + 8 + 60 + 21, addr, 16);
	memset(&ip, 0, sizeof(ip));
	assert_true(boot_lease_path6(&ip, p, sizeof(p)));
	assert_int_equal(ip.dns[0].ip[15], 0x53);
	assert_memory_equal(ip.dns[1].ip, addr, 16);
	memcpy(m + 8, addr, 16);
	memcpy(m + 24, addr, 15);
	memset(&ip, 0, sizeof(ip));
	boot_lease_packet6(&ip, addr, m, sizeof(m));
	assert_memory_equal(ip.dns[0].ip, addr, 16);
	assert_memory_equal(ip.dns[1].ip, addr, 15);
	assert_int_equal(ip.dns[1].ip[15], 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_path_of_http_boot_has_the_address),
		cmocka_unit_test(
			the_kernel_gets_the_lease_or_waits_for_a_router),
		cmocka_unit_test(a_path_without_an_address_has_none),
		cmocka_unit_test(a_path_that_is_cut_is_refused),
		cmocka_unit_test(a_node_without_a_length_ends_it),
		cmocka_unit_test(the_path_of_http_boot_has_an_address_of_ipv6),
		cmocka_unit_test(a_path_of_ipv6_that_is_cut_is_refused),
		cmocka_unit_test(pxe_by_ipv6_has_an_address_and_a_reply),
		cmocka_unit_test(two_name_servers_of_ipv6_are_taken),
	};

	return cmocka_run_group_tests_name("lease", tests, NULL, NULL);
}
