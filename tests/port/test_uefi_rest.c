/* SPDX-License-Identifier: BSD-2-Clause */
/* When a processor rests, at a time that is set. */
#include "tests/unit.h"

#include "port/uefi/rest.c"
#include "tests/world/clock.h"

static unsigned halts;

void efi_halt(void)
{
	halts++;
}

static int set_up(void **state)
{
	(void)state;
	halts = 0;
	world.now = 5000;
	return 0;
}

/* Asks each ms for that long. */
static void ask(struct efi_rest *r, unsigned ms)
{
	while (ms--) {
		efi_rest(r);
		world.now++;
	}
}

static void it_rests_when_nothing_came_for_a_while(void **state)
{
	struct efi_rest r = { 0 };

	(void)state;
	ask(&r, 100);
	assert_int_equal(halts, 0);
	ask(&r, 2);
	assert_int_equal(halts, 2);
}

static void it_does_not_while_something_comes(void **state)
{
	struct efi_rest r = { 0 };

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		ask(&r, 99);
		efi_rest_over(&r);
	}
	ask(&r, 100);
	assert_int_equal(halts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_rests_when_nothing_came_for_a_while,
				       set_up),
		cmocka_unit_test_setup(it_does_not_while_something_comes,
				       set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
