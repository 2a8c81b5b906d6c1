/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the root is to move. */
#include "boot/clone/spec.h"
#include "tests/unit.h"

#include <stdlib.h>

static struct clone_spec s;
static struct nbd_diag d;

static void a_device_and_options_are_taken(void **state)
{
	(void)state;
	assert_int_equal(clone_spec_parse(&s, "/dev/vda", &d), NBD_OK);
	assert_string_equal(s.device, "/dev/vda");
	assert_false(s.erase || s.again || s.rate);
	assert_int_equal(clone_spec_parse(&s, "serial=a b,again,rate=20,erase",
					  &d),
			 NBD_OK);
	assert_string_equal(s.device, "serial=a b");
	assert_true(s.erase && s.again);
	assert_int_equal(s.rate, 20);
}

static void nothing_is_guessed(void **state)
{
	static const char *const wrong[] = {
		"",
		"vda",
		"/dev/",
		"/tmp/x",
		"UUID=",
		"PARTUUID=",
		"LABEL=x",
		"/dev/vda,",
		"/dev/vda,erase,",
		"/dev/vda,Erase",
		"/dev/vda,rate=",
		"/dev/vda,rate=0",
		"/dev/vda,rate=1k",
		"/dev/vda,erase=1",
		",erase",
	};
	char longer[CLONE_DEVICE + 8];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (clone_spec_parse(&s, wrong[i], &d) != NBD_E_USAGE)
			fail_msg("%s", wrong[i]);
	memset(longer, 'x', sizeof(longer));
	memcpy(longer, "/dev/", 5);
	longer[CLONE_DEVICE] = '\0';
	assert_int_equal(clone_spec_parse(&s, longer, &d), NBD_E_USAGE);
	longer[CLONE_DEVICE - 1] = '\0';
	assert_int_equal(clone_spec_parse(&s, longer, &d), NBD_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_and_options_are_taken),
		cmocka_unit_test(nothing_is_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
