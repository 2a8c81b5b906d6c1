/* SPDX-License-Identifier: BSD-2-Clause */
/* Name servers of router advertisements, as the kernel passes them on. */
#include "boot/net/ra.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/socket.h>

#include "port/linux/netlink.h"
#include "tests/guard.h"
#include "tests/unit.h"

#define MAX 3

static struct nbd_ip dns[MAX];
static struct guard guard;

/* Options in front of an unreadable page; behind them, len less `cut` bytes. */
static unsigned read_options(const void *options, size_t len, size_t cut,
			     unsigned n)
{
	struct nduseroptmsg h = { .nduseropt_ifindex = 2,
				  .nduseropt_opts_len = (uint16_t)len };
	unsigned char p[256];

	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), options, len);
	len += sizeof(h) - cut;
	return net_ra_dns(guard_copy(&guard, p, len), len, 2, dns, n, MAX);
}

static const unsigned char two[] = { 25, 5, 0, 0, 0,	0, 1, 0, 0x20, 1,
				     0,	 0, 0, 0, 0,	0, 0, 0, 0,    0,
				     0,	 0, 0, 1, 0x20, 1, 0, 0, 0,    0,
				     0,	 0, 0, 0, 0,	0, 0, 0, 0,    2 };

static void each_server_is_added_once(void **state)
{
	(void)state;
	assert_int_equal(read_options(two, sizeof(two), 0, 0), 2);
	assert_int_equal(dns[0].len, 16);
	assert_int_equal(dns[0].prefix, 128);
	assert_int_equal(dns[1].ip[15], 2);
	assert_int_equal(read_options(two, sizeof(two), 0, 2), 2);
	/* and no more than there is room for */
	memset(dns, 0, sizeof(dns));
	assert_int_equal(read_options(two, sizeof(two), 0, 2), 3);
	assert_int_equal(dns[2].ip[15], 1);
}

static void domains_of_all_options_are_joined(void **state)
{
	static const unsigned char lists[] =
		"\x1f\2\0\0\0\0\0\0\3old\0\0\0\0" /* a lifetime of 0 */
		"\x19\3\0\0\0\0\1\0\x20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
		"\x1f\2\0\0\0\0\1\0\3org\0\1a\0"
		"\x1f\2\0\0\0\0\1\0\3net\0\0\0\0";
	struct nduseroptmsg h = { .nduseropt_ifindex = 2 };
	unsigned char p[128];
	char to[BOOT_DOMAINS] = "";
	size_t len = sizeof(h) + sizeof(lists) - 1;

	(void)state;
	h.nduseropt_opts_len = sizeof(lists) - 1;
	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), lists, sizeof(lists) - 1);
	net_ra_domains(guard_copy(&guard, p, len), len, 3, to);
	assert_string_equal(to, "");
	net_ra_domains(guard_copy(&guard, p, len - 1), len - 1, 2, to);
	assert_string_equal(to, "");
	assert_true(net_ra_domains(guard_copy(&guard, p, len), len, 2, to));
	assert_string_equal(to, "org a net");
	/* each once, also of another router */
	p[sizeof(h) + 16 + 24 + 9] = 'x';
	assert_true(net_ra_domains(guard_copy(&guard, p, len), len, 2, to));
	assert_string_equal(to, "org a net xrg");
	/* there is room for one and no other */
	memset(to, 'd', 251);
	to[251] = '\0';
	assert_false(net_ra_domains(guard_copy(&guard, p, len), len, 2, to));
	assert_int_equal(strlen(to), 255);
	assert_string_equal(to + 251, " xrg");
	to[0] = '\0';
	p[sizeof(h) + 16 + 24 + 9] = ';';
	assert_false(net_ra_domains(guard_copy(&guard, p, len), len, 2, to));
	assert_string_equal(to, "a net");
}

static void other_options_are_skipped(void **state)
{
	unsigned char p[8 + sizeof(two)] = { 31, 1 };

	(void)state;
	memcpy(p + 8, two, sizeof(two));
	assert_int_equal(read_options(p, sizeof(p), 0, 0), 2);
}

static void a_lifetime_of_0_adds_nothing(void **state)
{
	unsigned char p[sizeof(two)];

	(void)state;
	memcpy(p, two, sizeof(two));
	p[6] = 0;
	assert_int_equal(read_options(p, sizeof(p), 0, 0), 0);
}

static void what_is_cut_or_has_no_length_ends_it(void **state)
{
	static const unsigned char endless[16] = { 25, 0 },
				   small[8] = { 25, 1 };

	(void)state;
	for (size_t cut = 1; cut <= sizeof(two) + sizeof(struct nduseroptmsg);
	     cut++)
		assert_int_equal(read_options(two, sizeof(two), cut, 0), 0);
	for (size_t len = 0; len < sizeof(two); len++)
		assert_int_equal(read_options(two, len, 0, 0), 0);
	assert_int_equal(read_options(endless, sizeof(endless), 0, 0), 0);
	assert_int_equal(read_options(small, sizeof(small), 0, 0), 0);
}

static void another_interface_is_not_ours(void **state)
{
	struct nduseroptmsg h = { .nduseropt_ifindex = 2 };

	(void)state;
	assert_int_equal(net_ra_dns((const void *)&h, sizeof(h), 3, dns, 1, 3),
			 1);
}

static void flags_are_read_and_each_cut_gives_none(void **state)
{
	struct ifinfomsg h = { .ifi_family = AF_INET6, .ifi_index = 7 };
	unsigned char buf[128], *p = buf + sizeof(struct nlmsghdr);
	unsigned flags = 0;
	struct nl_msg m;
	size_t nest, len;

	(void)state;
	nl_begin(&m, buf, sizeof(buf), RTM_NEWLINK, 0, &h, sizeof(h));
	nest = nl_nest(&m, IFLA_PROTINFO);
	nl_put_u32(&m, IFLA_INET6_FLAGS, 0x800000b0);
	nl_nest_end(&m, nest);
	len = m.len - sizeof(struct nlmsghdr);
	assert_int_equal(net_ra_flags(guard_copy(&guard, p, len), len, &flags),
			 7);
	assert_int_equal(flags, NET_RA_OTHER | NET_RA_SEEN);
	for (size_t n = 0; n < len; n++)
		assert_int_equal(
			net_ra_flags(guard_copy(&guard, p, n), n, &flags), 0);
	/* the kernel's answer if it has no IPv6 */
	*p = AF_UNSPEC;
	assert_int_equal(net_ra_flags(p, len, &flags), 0);
}

static void see(void *ctx, int index, unsigned flags)
{
	assert_int_equal(index, IFACE_LO);
	assert_int_equal(flags, 0);
	++*(int *)ctx;
}

static void the_kernel_lists_the_flags(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	assert_int_equal(iface_up(IFACE_LO, NULL), 0);
	assert_int_equal(net_ra_each(see, &n, NULL), 0);
	assert_int_equal(n, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_server_is_added_once),
		cmocka_unit_test(domains_of_all_options_are_joined),
		cmocka_unit_test(other_options_are_skipped),
		cmocka_unit_test(a_lifetime_of_0_adds_nothing),
		cmocka_unit_test(what_is_cut_or_has_no_length_ends_it),
		cmocka_unit_test(another_interface_is_not_ours),
		cmocka_unit_test(flags_are_read_and_each_cut_gives_none),
		cmocka_unit_test(the_kernel_lists_the_flags),
	};

	guard = guard_new(256);
	return cmocka_run_group_tests_name("router advertisements", tests, NULL,
					   NULL);
}
