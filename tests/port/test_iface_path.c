/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of udev, by the path of a card's device. */
#include "port/linux/iface_path.h"

#include "tests/guard.h"
#include "tests/unit.h"

#define AT(rest) "../../devices/pci0000:00/" rest "/net/eth0"

static void a_place_on_a_bus_has_a_name(void **state)
{
	static const struct {
		const char *sys, *name;
		bool is;
	} t[] = {
		{ AT("0000:00:03.0/virtio0"), "enp0s3", true },
		/* behind bridges the last one counts */
		{ AT("0000:00:1c.4/0000:04:00.0"), "enp4s0", true },
		{ AT("0000:00:1c.4/0000:04:00.0"), "enp0s28", false },
		{ AT("0000:00:1c.4/0000:04:00.0"), "enp4s0f0", true },
		{ AT("0000:00:1c.4/0000:04:00.1"), "enp4s0f1", true },
		{ AT("0000:00:1c.4/0000:04:00.1"), "enp4s0", false },
		{ AT("0000:c1:00.0"), "enp193s0", true },
		{ AT("0001:c1:1f.7"), "enP1p193s31f7", true },
		{ AT("ffff:ff:1f.0"), "enP65535p255s31", true },
		{ AT("0001:c1:1f.7"), "enp193s31f7", false },
		{ AT("0001:c1:1f.7"), "P1enp193s31f7", false },
		/* more than a place */
		{ AT("0000:00:14.0/usb1/1-1/1-1:1.0"), "enp0s20u1", false },
		{ AT("0000:00:14.0"), "enp0s20d1", false },
		{ AT("0000:00:14.0"), "enp0s2", false },
		{ AT("0000:00:14.0"), "enp0s200", false },
		{ AT("0000:0g:14.0"), "enp0s20", false },
		{ AT("0000:00:14.8"), "enp0s20f8", false },
		{ "../../devices/virtual/net/eth0", "enp0s3", false },
		{ "", "enp0s3", false },
		{ "0000", "enp0s3", false },
		{ "0000:00", "enp0s3", false },
		{ "0000:00:03.0", "enp0s3", false },
	};
	struct guard g = guard_new(256);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_true(iface_path_names(guard_copy(&g, t[i].sys,
							strlen(t[i].sys) + 1),
					     t[i].name) == t[i].is);
	guard_free(&g);
}

static void a_mac_is_a_name(void **state)
{
	struct iface l = { .ether = true,
			   .mac = { 0x52, 0x54, 0, 0xab, 0xcd, 0xef },
			   .name = "there-is-none" };

	(void)state;
	assert_true(iface_path_is(&l, "enx525400abcdef"));
	assert_false(iface_path_is(&l, "enx525400abcdee"));
	assert_false(iface_path_is(&l, "enx525400abcde"));
	assert_false(iface_path_is(&l, "enp4s0"));
	assert_false(iface_path_is(&l, "P"));
	l.ether = false;
	assert_false(iface_path_is(&l, "enx525400abcdef"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_on_a_bus_has_a_name),
		cmocka_unit_test(a_mac_is_a_name),
	};

	return cmocka_run_group_tests_name("names of udev", tests, NULL, NULL);
}
