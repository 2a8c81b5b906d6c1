/* SPDX-License-Identifier: BSD-2-Clause */
/* Which interface a word of the command line is about. */
#include "boot/net/select.h"

#include "tests/unit.h"

#define MAC "\x52\x54\0\x12\x34\x56"

static struct net_plan plan;
static struct nbd_diag d;

static void a_device_is_a_name_a_mac_or_any_ethernet(void **state)
{
	struct iface l = { .name = "eth1", .ether = true };
	struct iface lo = { .name = "lo", .loopback = true, .ether = true };
	struct iface tun = { .name = "tun0" };

	(void)state;
	memcpy(l.mac, MAC, 6);
	assert_true(net_select_matches("eth1", &l));
	assert_false(net_select_matches("eth", &l));
	assert_false(net_select_matches("eth10", &l));
	assert_true(net_select_matches("52-54-00-12-34-56", &l));
	assert_false(net_select_matches("52-54-00-12-34-57", &l));
	/* as udev would call it */
	assert_true(net_select_matches("enx525400123456", &l));
	assert_true(net_select_matches("", &l));
	assert_false(net_select_matches("", &lo));
	assert_true(net_select_matches("lo", &lo));
	assert_false(net_select_matches("", &tun));
}

static void members_of_bonds_and_bridges_are_found(void **state)
{
	struct iface l = { .name = "eth1", .ether = true };

	(void)state;
	assert_int_equal(
		boot_plan_parse(&plan,
				"bond=bond0:eth0,52-54-00-12-34-56 bond=b1:eth1 "
				"bridge=br0:eth4",
				NULL, &d),
		0);
	assert_ptr_equal(net_select_master(&plan, &l), &plan.master[1]);
	memcpy(l.mac, MAC, 6);
	assert_ptr_equal(net_select_master(&plan, &l), &plan.master[0]);
	/* a bond has the MAC of a member, and is none */
	strcpy(l.name, "bond0");
	assert_null(net_select_master(&plan, &l));
	strcpy(l.name, "eth4");
	memset(l.mac, 0, 6);
	assert_ptr_equal(net_select_master(&plan, &l), &plan.master[2]);
	strcpy(l.name, "eth5");
	assert_null(net_select_master(&plan, &l));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_a_name_a_mac_or_any_ethernet),
		cmocka_unit_test(members_of_bonds_and_bridges_are_found),
	};

	return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
