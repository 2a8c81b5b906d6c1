/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of a name: which are kept, and which come first. */
#include "port/names.h"
#include "tests/unit.h"

#include <string.h>

/* Our own addresses, in the order of the kinds that they are for. */
struct world {
	const char *four, *local, *global, *teredo, *six_to_four;
};

static void put(unsigned char ip[16], const char *text, unsigned len)
{
	assert_true(len == 4 ? nbd_ip4(text, ip) : nbd_ip6(text, ip));
}

/* As a kernel with a default route does: the best that it has of IPv6. */
static bool source(void *ctx, const struct sock_addr *a, unsigned char own[16])
{
	const struct world *w = ctx;
	const char *best = w->global ? w->global : w->local;

	if (a->len == 4 && w->four)
		put(own, w->four, 4);
	else if (a->len == 4)
		return false;
	else if (a->ip[0] == 0xfd && w->local)
		put(own, w->local, 16);
	else if (a->ip[0] == 0x20 && a->ip[1] == 2 && w->six_to_four)
		put(own, w->six_to_four, 16);
	else if (a->ip[0] == 0x20 && !a->ip[2] && w->teredo)
		put(own, w->teredo, 16);
	else if (best)
		put(own, best, 16);
	else
		return false;
	return true;
}

static void assert_order(struct world w, const char *const before[],
			 const char *const after[], int n)
{
	struct sock_addr a[SOCK_MAX_ADDRS];
	unsigned char want[16];

	memset(a, 0, sizeof(a));
	for (int i = 0; i < n; i++) {
		a[i].len = strchr(before[i], ':') ? 16 : 4;
		a[i].port = 7;
		put(a[i].ip, before[i], a[i].len);
	}
	nbd_names_sort(a, n, source, &w);
	for (int i = 0; i < n; i++) {
		assert_int_equal(a[i].len, strchr(after[i], ':') ? 16 : 4);
		put(want, after[i], a[i].len);
		assert_memory_equal(a[i].ip, want, a[i].len);
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

	(void)state;
	assert_int_equal(nbd_names_take(a, 9, &six, &four), SOCK_MAX_ADDRS);
	assert_int_equal(a[SOCK_MAX_ADDRS - 1].len, 16);
	four.n = 3;
	four.ip[2][3] = 5;
	assert_int_equal(nbd_names_take(a, 9, &six, &four),
			 SOCK_MAX_ADDRS / 2 + 3);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 - 1].len, 16);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 + 2].len, 4);
	assert_int_equal(a[SOCK_MAX_ADDRS / 2 + 2].ip[3], 5);
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
