/* SPDX-License-Identifier: BSD-2-Clause */
/* Yes and no in systemd's words. */
#include "boot/words/boolean.h"
#include "tests/unit.h"

static void yes_and_no_are_those_of_systemd(void **state)
{
	static const char *const yes[] = { "1", "yes", "y", "true", "t", "on" };
	static const char *const no[] = { "0", "no", "n", "false", "f", "off" };
	static const char *const other[] = { "", "YES", "2", "state", "o" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_int_equal(boot_words_boolean(yes[i]), 1);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_int_equal(boot_words_boolean(no[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_int_equal(boot_words_boolean(other[i]), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yes_and_no_are_those_of_systemd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
