/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that promise what init does not do. */
#include "tests/unit.h"

#include "boot/init/steps.h"

extern const struct step init_refuse_step;

/* pages: too large for a stack */
static struct boot b;

static int refuse(const char *line, struct nbd_diag *d)
{
	d->text[0] = '\0';
	assert_int_equal(boot_cmdline_parse(&b.cmd, line, d), 0);
	return init_refuse_step.run(&b, d);
}

static void words_that_promise_more_are_refused_by_name(void **state)
{
	static const char *const bad[] = {
		"composefs=0123",
		"systemd.volatile=yes",
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

static void an_overlay_of_systemd_is_one_of_ours(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(refuse("systemd.volatile=overlay", &d), 0);
	assert_string_equal(b.cmd.overlay, "");
	assert_int_equal(
		refuse("systemd.volatile=overlay nbdboot.overlay=size=1g", &d),
		0);
	assert_string_equal(b.cmd.overlay, "size=1g");
	assert_int_equal(refuse("systemd.volatile=state", &d), 0);
	assert_null(b.cmd.overlay);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_that_promise_more_are_refused_by_name),
		cmocka_unit_test(words_that_others_obey_are_left_to_them),
		cmocka_unit_test(an_overlay_of_systemd_is_one_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
