/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that promise what init does not do. */
#include "tests/unit.h"

#include "boot/init/steps.h"

extern const struct step init_refuse_step;

static int refuse(const char *line, struct nbd_diag *d)
{
	/* pages: too large for a stack */
	static struct boot b;

	d->text[0] = '\0';
	assert_int_equal(boot_cmdline_parse(&b.cmd, line, d), 0);
	return init_refuse_step.run(&b, d);
}

static void words_that_promise_more_are_refused_by_name(void **state)
{
	static const char *const bad[] = {
		"composefs=0123",
		"systemd.volatile=yes",
		"systemd.volatile=overlay",
	};
	struct nbd_diag d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(refuse(bad[i], &d), NBD_E_USAGE);
		assert_non_null(strstr(d.text, bad[i]));
	}
	assert_int_equal(refuse("systemd.volatile", &d), NBD_E_USAGE);
}

static void words_that_others_obey_are_left_to_them(void **state)
{
	static const char *const good[] = {
		"root=nbd://h/x ro",
		"systemd.volatile=state",
		"systemd.volatile=no",
		"systemd.volatile=overlay nbdboot.overlay",
		"systemd.gpt_auto=0",
	};
	struct nbd_diag d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(refuse(good[i], &d), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_that_promise_more_are_refused_by_name),
		cmocka_unit_test(words_that_others_obey_are_left_to_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
