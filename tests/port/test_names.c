/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of a name: which are kept, and which come first. */
#include "port/names.h"
#include "tests/unit.h"

#include <string.h>

/* Our own addresses, in the order of the kinds that they are for. */
struct world {
	const char *four, *local, *global, *teredo, *six_to_four;
};

static struct nbd_ip address(const char *text)
{
	struct nbd_ip ip;

	assert_true(nbd_ip_parse(&ip, text));
	return ip;
}

/* As a kernel with a default route does: the best that it has of IPv6. */
static bool source(void *ctx, const struct sock_addr *a, unsigned char own[16])
{
	const struct world *w = ctx;
	const unsigned char *ip = a->host.ip;
	const char *best = w->global ? w->global : w->local;

	if (a->host.len == 4)
		best = w->four;
	else if (ip[0] == 0xfd && w->local)
		best = w->local;
	else if (ip[0] == 0x20 && ip[1] == 2 && w->six_to_four)
		best = w->six_to_four;
	else if (ip[0] == 0x20 && !ip[2] && w->teredo)
		best = w->teredo;
	if (best)
		memcpy(own, address(best).ip, 16);
	return best;
}

static void assert_order(struct world w, const char *const before[],
			 const char *const after[], int n)
{
	struct sock_addr a[SOCK_MAX_ADDRS];

	memset(a, 0, sizeof(a));
	for (int i = 0; i < n; i++) {
		a[i].host = address(before[i]);
		a[i].port = 7;
	}
	nbd_names_sort(a, n, source, &w);
	for (int i = 0; i < n; i++) {
		struct nbd_ip want = address(after[i]);

		assert_memory_equal(&a[i].host, &want, sizeof(want));
		assert_int_equal(a[i].port, 7);
	}
}

#define ORDER(w, before, after) \
	assert_order(w, before, after, sizeof(before) / sizeof(*before))

static void ipv6_comes_first_where_there_is_a_way(void **state)
{
	static const char *const dns[] = { "192.0.2.1", "2001:db8::1" };
	static const char *const six[] = { "2001:db8::1", "192.0.2.1" };

	(void)state;
	ORDER(((struct world){ .four = "192.0.2.9", .global = "2001:db8::9" }),
	      dns, six);
	ORDER(((struct world){ .four = "192.0.2.9" }), six, dns);
	ORDER(((struct world){ .global = "2001:db8::9" }), dns, six);
	/* no way at all: as they came */
	ORDER(((struct world){ 0 }), dns, dns);
}

static void what_is_of_our_kind_comes_first(void **state)
{
	static const char *const dns[] = { "2001:db8::1", "192.0.2.1",
					   "fd00::1" };
	static const char *const local[] = { "fd00::1", "192.0.2.1",
					     "2001:db8::1" };
	static const char *const odd[] = { "2001::1", "2002::1", "192.0.2.1" };
	static const char *const four[] = { "192.0.2.1", "2001::1", "2002::1" };

	(void)state;
	/* an IPv6 that leads to this site alone */
	ORDER(((struct world){ .four = "192.0.2.9", .local = "fd00::9" }), dns,
	      local);
	/* tunnels are for those that have them, too */
	ORDER(((struct world){ .four = "192.0.2.9", .global = "2001:db8::9" }),
	      odd, four);
	ORDER(((struct world){ .four = "192.0.2.9",
			       .teredo = "2001::9",
			       .six_to_four = "2002::9" }),
	      four, odd);
}

static void equals_stay_as_the_server_gave_them(void **state)
{
	static const char *const dns[] = { "192.0.2.3", "192.0.2.1",
					   "192.0.2.2" };

	(void)state;
	ORDER(((struct world){ .four = "192.0.2.9" }), dns, dns);
}

static void both_kinds_have_room(void **state)
{
	struct sock_addr a[SOCK_MAX_ADDRS];
	struct dns_found six = { .n = DNS_ADDRS }, four = { .n = 0 };
	const unsigned char zeros[16] = { 0 };

	(void)state;
	for (unsigned i = 0; i < DNS_ADDRS; i++) {
		six.ip[i] = nbd_ip_of(zeros, 16);
		four.ip[i] = nbd_ip_of(zeros, 4);
	}
	assert_int_equal(nbd_names_take(a, 9, &six, &four), SOCK_MAX_ADDRS);
	assert_int_equal(a[SOCK_MAX_ADDRS - 1].host.len, 16);
	four.n = 3;
	four.ip[2].ip[3] = 5;
	assert_int_equal(nbd_names_take(a, 9, &six, &four),
			 SOCK_MAX_ADDRS / 2 + 3);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 - 1].host.len, 16);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 + 2].host.len, 4);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 + 2].host.ip[3], 5);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 + 2].port, 9);
	four.n = DNS_ADDRS;
	assert_int_equal(nbd_names_take(a, 9, &six, &four), SOCK_MAX_ADDRS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv6_comes_first_where_there_is_a_way),
		cmocka_unit_test(what_is_of_our_kind_comes_first),
		cmocka_unit_test(equals_stay_as_the_server_gave_them),
		cmocka_unit_test(both_kinds_have_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
