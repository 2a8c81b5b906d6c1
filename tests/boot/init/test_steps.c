/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a boot that take its words, one by one. */
#include "boot/init/reroot.h"
#include "boot/init/steps.h"

#include "tests/unit.h"

#define WORDS "root=nbd://192.0.2.1/x ip=off nbdboot.timeout=9"

static struct boot b;
static struct nbd_diag d;

int __wrap_boot_cmdline_read(struct cmdline *c, struct nbd_diag *diag);
int __wrap_boot_cmdline_read(struct cmdline *c, struct nbd_diag *diag)
{
	return boot_cmdline_parse(c, WORDS, diag);
}

/* The first step of that name. */
static void take_words(void)
{
	const struct step *s = init_steps;

	while (strcmp(s->name, "kernel command line") != 0)
		s++;
	assert_int_equal(s->run(&b, &d), 0);
}

static void a_boot_has_the_time_that_its_words_allow(void **state)
{
	(void)state;
	memset(&b, 0, sizeof(b));
	take_words();
	assert_int_equal(b.cmd.timeout, 9);
}

/* Else the timer of the old root would reboot the new one. */
static void a_reroot_has_no_end(void **state)
{
	static struct reroot r = { .line = { WORDS } };

	(void)state;
	memset(&b, 0, sizeof(b));
	b.reroot = &r;
	take_words();
	assert_string_equal(b.cmd.root, "nbd://192.0.2.1/x");
	assert_int_equal(b.cmd.timeout, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_boot_has_the_time_that_its_words_allow),
		cmocka_unit_test(a_reroot_has_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
