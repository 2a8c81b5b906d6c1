/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel command line. */
#include "tests/unit.h"

#include "boot/words/cmdline.h"

static struct cmdline c;
static struct nbd_diag d;

static void same(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(null)", want);
}

static void words_and_quotes_are_read_as_the_kernel_does(void **state)
{
	static const struct {
		const char *line, *root, *flags;
	} t[] = {
		{ "", NULL, NULL },
		{ " \t\n", NULL, NULL },
		{ "root=nbd://h/", "nbd://h/", NULL },
		{ "root=nbd://h/\n", "nbd://h/", NULL },
		{ "root=a root=b", "b", NULL },
		{ "root=a\troot=", "", NULL },
		{ "  root=a   rootflags=b  ", "a", "b" },
		{ "root=nbd://h/?tls-type=x509", "nbd://h/?tls-type=x509",
		  NULL },
		/* a quote at the value, at the word, in the middle */
		{ "root=\"a b\" rootflags=x", "a b", "x" },
		{ "\"root=a b\" rootflags=x", "a b", "x" },
		{ "root=a\" \"b rootflags=x", "a\" \"b", "x" },
		{ "rootflags=context=\"a,b\"", NULL, "context=\"a,b\"" },
		{ "root=\"a b", "a b", NULL },
		{ "root=\"", "", NULL },
		{ "root=\"\"", "", NULL },
		{ "\"", NULL, NULL },
		{ "\"\"", NULL, NULL },
		{ "\"root=\"", "", NULL },
		/* one closing quote is removed, a second one stays */
		{ "\"root=\"a\"\"", "a\"", NULL },
		/* words that only look like ours */
		{ "xroot=a rootx=b root", NULL, NULL },
		{ "=root=a", NULL, NULL },
		/* words after -- belong to init, also if -- is quoted */
		{ "root=a -- root=b", "a", NULL },
		{ "root=a \"--\" root=b", "a", NULL },
		{ "root=a --x root=b", "b", NULL },
		{ "root=a --=x root=b", "b", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(boot_cmdline_parse(&c, t[i].line, &d), 0);
		same(c.root, t[i].root);
		same(c.flags, t[i].flags);
	}
}

static void every_word_reaches_its_field(void **state)
{
	(void)state;
	assert_int_equal(
		boot_cmdline_parse(
			&c,
			"root=r rootfstype=f rootflags=o init=i ip=a "
			"panic=7 rw nbdboot.connections=4 nbdboot.debug "
			"nbdboot.shell=/s nbdboot.part=2 "
			"nbdboot.tls=require quiet",
			&d),
		0);
	same(c.root, "r");
	same(c.fstype, "f");
	same(c.flags, "o");
	same(c.init, "i");
	same(c.ip, "a");
	same(c.shell, "/s");
	same(c.part, "2");
	same(c.unknown, NULL);
	assert_true(c.write);
	assert_true(c.debug);
	assert_true(c.tls);
	assert_int_equal(c.connections, 4);
	assert_int_equal(c.panic, 7);
}

static void without_words_the_defaults_are_the_kernels(void **state)
{
	(void)state;
	assert_int_equal(boot_cmdline_parse(&c, "quiet splash", &d), 0);
	assert_false(c.write);
	assert_false(c.debug);
	assert_false(c.tls);
	assert_int_equal(c.connections, 1);
	assert_int_equal(c.panic, 0);
	same(c.root, NULL);
}

static void the_last_of_equal_words_wins(void **state)
{
	static const struct {
		const char *line;
		bool write, debug;
		int connections, panic;
	} t[] = {
		{ "rw ro", false, false, 1, 0 },
		{ "ro rw", true, false, 1, 0 },
		{ "nbdboot.debug nbdboot.debug=0", false, false, 1, 0 },
		{ "nbdboot.debug=0 nbdboot.debug=1", false, true, 1, 0 },
		{ "nbdboot.debug nbdboot.debug=off", false, false, 1, 0 },
		{ "nbdboot.debug=yes rw ro=no", true, true, 1, 0 },
		{ "nbdboot.connections=2 nbdboot.connections=16", false, false,
		  16, 0 },
		{ "panic=1 panic=-1", false, false, 1, -1 },
		/* like the kernel, ignore a wrong value of its words */
		{ "panic=3 panic=x", false, false, 1, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(boot_cmdline_parse(&c, t[i].line, &d), 0);
		assert_int_equal(c.write, t[i].write);
		assert_int_equal(c.debug, t[i].debug);
		assert_int_equal(c.connections, t[i].connections);
		assert_int_equal(c.panic, t[i].panic);
	}
}

static void wrong_values_of_our_words_are_reported(void **state)
{
	static const char *const t[] = {
		"nbdboot.connections=0",
		"nbdboot.connections=17",
		"nbdboot.connections=",
		"nbdboot.connections",
		"nbdboot.connections=1x",
		"nbdboot.connections=-1",
		"nbdboot.connections=99999999999999999999",
		"nbdboot.debug=never",
		"nbdboot.shell",
		"nbdboot.part",
		"nbdboot.timeout=-1",
		"nbdboot.tls",
		"nbdboot.tls=",
		"nbdboot.tls=no",
		"nbdboot.tls=0",
		"nbdboot.tls=required",
		"nbdboot.tls=require nbdboot.tls=no",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		char line[128];

		/* the rest of the line is read all the same */
		snprintf(line, sizeof(line), "%s nbdboot.part root=a", t[i]);
		d.text[0] = '\0';
		assert_int_equal(boot_cmdline_parse(&c, line, &d), NBD_E_USAGE);
		assert_memory_equal(d.text, t[i], strcspn(t[i], "="));
		assert_int_equal(c.connections, 1);
		same(c.root, "a");
	}
}

static void the_bounds_of_a_number_are_named(void **state)
{
	static const struct {
		const char *line, *says;
	} t[] = {
		{ "nbdboot.connections=x", "from 1 to 16" },
		{ "nbdboot.io-timeout=0", "from 1 to 2147483647" },
		{ "nbdboot.slots=0", "nbdboot.slots=0" },
		{ "nbdboot.timeout=x", "from 0 to 2147483647" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(boot_cmdline_parse(&c, t[i].line, &d),
				 NBD_E_USAGE);
		assert_non_null(strstr(d.text, t[i].says));
	}
}

/* The words are cut out of a copy; the caller's line may go. */
static void the_line_is_kept_as_it_was(void **state)
{
	char line[] = "root=\"a b\" ip=dhcp\nnext";

	(void)state;
	assert_int_equal(boot_cmdline_parse(&c, line, &d), 0);
	memset(line, 'x', sizeof(line) - 1);
	assert_string_equal(c.line, "root=\"a b\" ip=dhcp");
	same(c.root, "a b");
}

static void a_misspelt_word_of_ours_is_kept_for_a_warning(void **state)
{
	(void)state;
	assert_int_equal(
		boot_cmdline_parse(&c, "nbdboot.conections=4 nbdboot.x", &d),
		0);
	same(c.unknown, "nbdboot.conections");
	/* '-' and '_' are the same, nothing else is */
	assert_int_equal(boot_cmdline_parse(&c, "nbdboot-debug", &d), 0);
	same(c.unknown, NULL);
	assert_false(c.debug);
}

static void the_longest_line_fits_and_a_longer_one_is_refused(void **state)
{
	static char line[CMDLINE_MAX + 2];

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "root=", 5);
	line[CMDLINE_MAX - 1] = '\0';
	assert_int_equal(boot_cmdline_parse(&c, line, &d), 0);
	same(c.root, line + 5);
	line[CMDLINE_MAX - 1] = 'x';
	line[CMDLINE_MAX] = '\0';
	assert_int_equal(boot_cmdline_parse(&c, line, &d), NBD_E_USAGE);
	same(c.root, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_quotes_are_read_as_the_kernel_does),
		cmocka_unit_test(every_word_reaches_its_field),
		cmocka_unit_test(without_words_the_defaults_are_the_kernels),
		cmocka_unit_test(the_last_of_equal_words_wins),
		cmocka_unit_test(wrong_values_of_our_words_are_reported),
		cmocka_unit_test(the_bounds_of_a_number_are_named),
		cmocka_unit_test(the_line_is_kept_as_it_was),
		cmocka_unit_test(a_misspelt_word_of_ours_is_kept_for_a_warning),
		cmocka_unit_test(
			the_longest_line_fits_and_a_longer_one_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
