/* SPDX-License-Identifier: BSD-2-Clause */
/* When a lease is renewed. */
#include "boot/net/renew.h"

#include "tests/unit.h"

/* Got at 10 s, for an hour: T1 after 1800 s, T2 after 3150 s. */
static const struct dhcp d = {
	.bound = 10000, .lease = { .seconds = 3600, .t1 = 1800, .t2 = 3150 }
};

static void a_lease_is_renewed_at_t1(void **state)
{
	(void)state;
	assert_int_equal(net_renewd_pause(&d, false, 10000), 1800000);
	assert_int_equal(net_renewd_pause(&d, false, 1809999), 1);
	assert_int_equal(net_renewd_pause(&d, false, 1810000), 0);
	assert_int_equal(net_renewd_pause(&d, false, 99999999), 0);
}

static void without_an_answer_half_of_the_rest_is_waited(void **state)
{
	(void)state;
	/* until T2, then until the end */
	assert_int_equal(net_renewd_pause(&d, true, 1810000), 675000);
	assert_int_equal(net_renewd_pause(&d, true, 2485000), 337500);
	assert_int_equal(net_renewd_pause(&d, true, 3160000), 225000);
}

static void and_never_less_than_a_minute(void **state)
{
	(void)state;
	assert_int_equal(net_renewd_pause(&d, true, 3050000), 60000);
	assert_int_equal(net_renewd_pause(&d, true, 3600000), 60000);
	assert_int_equal(net_renewd_pause(&d, true, 99999999), 60000);
}

static void a_lease_of_a_lifetime_does_not_wrap(void **state)
{
	struct dhcp longest = d;

	(void)state;
	longest.lease.seconds = UINT32_MAX - 1;
	longest.lease.t2 = UINT32_MAX - 2;
	longest.lease.t1 = UINT32_MAX - 3;
	assert_int_equal(net_renewd_pause(&longest, false, 10000),
			 4294967292000);
	assert_int_equal(net_renewd_pause(&longest, true, 10000),
			 2147483646500);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_renewed_at_t1),
		cmocka_unit_test(without_an_answer_half_of_the_rest_is_waited),
		cmocka_unit_test(and_never_less_than_a_minute),
		cmocka_unit_test(a_lease_of_a_lifetime_does_not_wrap),
	};

	return cmocka_run_group_tests_name("lease", tests, NULL, NULL);
}
