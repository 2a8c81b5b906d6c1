/* SPDX-License-Identifier: BSD-2-Clause */
/* What to boot, from LoadOptions, a variable or a file. */
#include "boot/words/conf.h"
#include "boot/words/hash.h"

#include "tests/boot/words/root_wild.h"
#include "tests/guard.h"
#include "tests/unit.h"

static struct boot_conf c;
static struct nbd_diag d;

static int parse(const char *text)
{
	return boot_conf_parse(&c, text, &d);
}

static void a_server_and_words_for_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(parse("root=nbd://h/x  console=ttyS0 \"a b\" rw"), 0);
	assert_string_equal(c.words, "root=nbd://h/x console=ttyS0 \"a b\" rw");
	assert_true(!c.root.from_dhcp && c.for_kernel && !c.kernel);
	assert_int_equal(c.root.uris, 1);
	assert_string_equal(c.root.uri[0].host, "h");
}

static void words_of_the_program_alone_are_not_for_a_boot_loader(void **state)
{
	(void)state;
	assert_int_equal(parse("root=nbd://h/x ip=dhcp nbdboot.timeout=5"), 0);
	assert_false(c.for_kernel);
	assert_int_equal(c.cmd.timeout, 5);
}

static void the_number_of_connections_is_for_the_kernel_as_well(void **state)
{
	(void)state;
	assert_int_equal(parse("root=nbd://h/x nbdboot.connections=8"), 0);
	assert_true(c.for_kernel);
	assert_int_equal(c.cmd.connections, 8);
}

static void a_kernel_and_its_archives(void **state)
{
	(void)state;
	assert_int_equal(parse("initrd=/a kernel=/vmlinuz initrd=nbd://h/i "
			       "root=nbd://h/x quiet"),
			 0);
	assert_string_equal(c.kernel, "/vmlinuz");
	assert_int_equal(c.initrds, 2);
	assert_string_equal(c.initrd[0], "/a");
	assert_string_equal(c.initrd[1], "nbd://h/i");
	assert_string_equal(c.words, "root=nbd://h/x quiet");
}

#define H64 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static void a_kernel_and_its_archives_have_hashes(void **state)
{
	static const char *const bad[] = {
		/* of one, and not of the other */
		"kernel=/k,sha256=" H64 " initrd=/i",
		"kernel=/k initrd=/i,sha256=" H64,
		"kernel=/k,sha256=" H64 " initrd=/i,sha256=" H64 " initrd=/j",
		/* not a hash */
		"kernel=/k,sha256=",
		"kernel=/k,sha256=x" H64,
		"kernel=/k,sha256=" H64 "0",
		"kernel=/k,sha256=" H64 ",x",
	};

	(void)state;
	assert_int_equal(parse("kernel=nbd://h/k,a,sha256=" H64
			       " initrd=/i,sha256=" H64 " quiet"),
			 0);
	assert_string_equal(c.kernel, "nbd://h/k,a");
	assert_string_equal(c.kernel_hash, H64);
	assert_string_equal(c.initrd[0], "/i");
	assert_int_equal(boot_hash_check(c.initrd_hash[0], "abc", 3, &d), 0);
	assert_int_equal(boot_hash_check(c.initrd_hash[0], "abd", 3, &d),
			 NBD_E_PERM);
	assert_int_equal(boot_hash_check(c.initrd_hash[0], "abc", 2, &d),
			 NBD_E_PERM);
	assert_string_equal(c.words, "quiet");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse(bad[i]), NBD_E_USAGE);
	/* an archive of the kernel's own is its own affair */
	assert_int_equal(parse("initrd=/i,sha256=x"), 0);
	assert_string_equal(c.words, "initrd=/i,sha256=x");
}

static void an_initrd_without_a_kernel_is_the_kernels(void **state)
{
	(void)state;
	assert_int_equal(parse("root=nbd://h/ initrd=\\i"), 0);
	assert_int_equal(c.initrds, 0);
	assert_string_equal(c.words, "root=nbd://h/ initrd=\\i");
}

static void a_file_has_comments_and_lines(void **state)
{
	(void)state;
	assert_int_equal(parse("# root=nbd://no/\r\nroot=nbd://h/x\r\n"
			       "#kernel=/no\nquiet # rw\n"),
			 0);
	assert_string_equal(c.words, "root=nbd://h/x quiet # rw");
	assert_null(c.kernel);
	assert_true(boot_conf_any("#\n x"));
	assert_false(boot_conf_any("# x\n\n  #y"));
	assert_false(boot_conf_any(""));
}

static void a_shell_passes_the_name_of_the_program(void **state)
{
	(void)state;
	assert_int_equal(parse("FS0:\\nbdboot.EFI root=nbd://h/x"), 0);
	assert_string_equal(c.words, "root=nbd://h/x");
	assert_int_equal(parse("\"FS0:\\a b\\x.efi\" root=nbd://h/x"), 0);
	assert_string_equal(c.words, "root=nbd://h/x");
	assert_int_equal(parse("FS0:\\NBDBOOT root=nbd://h/x"), 0);
	assert_string_equal(c.words, "root=nbd://h/x");
	/* alone it is no word: those may be in another place */
	assert_false(boot_conf_any("nbdboot.efi"));
	assert_false(boot_conf_any("fs0:nbdboot "));
	assert_true(boot_conf_any("nbdboot.efi quiet"));
	assert_true(boot_conf_any("root=nbd://h/nbdboot"));
	/* only as the first word */
	assert_int_equal(parse("root=nbd://h/x a.efi"), 0);
	assert_string_equal(c.words, "root=nbd://h/x a.efi");
	assert_int_equal(parse("x=.efi"), 0);
	assert_string_equal(c.words, "x=.efi");
}

static void without_a_server_it_is_that_of_dhcp(void **state)
{
	static const char *const texts[] = {
		"",	     "quiet",	     "root=LABEL=x",
		"root=dhcp", "nbdroot=dhcp", "root=/dev/nbd0p2 ip=dhcp"
	};
	struct root_env env = { .root_path = "nbd://h/%m",
				.value = { [ROOT_MAC] = "1:2" } };
	static struct root_spec r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i]), 0);
		assert_true(c.root.from_dhcp);
		assert_int_equal(root_expand(&r, &c.root, &env, &d), 0);
		assert_int_equal(r.uris, 1);
		assert_string_equal(r.uri[0].name, "1:2");
	}
	assert_true(!strstr(c.words, "dhcp ") && !strstr(c.words, "netroot"));
	/* it may be NFS's */
	env.root_path = "192.0.2.1:/srv/nfs";
	assert_int_equal(parse("quiet"), 0);
	assert_int_equal(root_expand(&r, &c.root, &env, &d), NBD_E_URI);
}

static void every_form_of_the_root_names_a_server(void **state)
{
	static const char *const texts[] = {
		"nbdroot=h,x",		 "netroot=nbd:h:x",
		"nbd_host=h nbd_name=x", "archiso_nbd_srv=h",
		"boot=NBD=h:10809:x",	 "root=overlay:nbd=h:x"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i]), 0);
		assert_false(c.root.from_dhcp);
		assert_string_equal(c.root.uri[0].host, "h");
	}
}

/* The text with one blank between words. */
static const char *squeezed(const char *text)
{
	static char line[CMDLINE_MAX];
	size_t n = 0;

	for (; *text; text++)
		if (*text != ' ' || (n && line[n - 1] != ' '))
			line[n++] = *text;
	line[n] = '\0';
	return line;
}

/*
 * The firmware reads from the server that their authors meant, whatever is made
 * of it later, and passes all words on.
 */
static void lines_of_others_name_their_server(void **state)
{
	struct root_env env = { .server = SERVER };
	static struct root_spec r;
	char uri[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wild_cases); i++) {
		const struct root_case *t = &wild_cases[i];

		env.root_path = t->root_path;
		if (parse(t->line) || root_expand(&r, &c.root, &env, &d))
			fail_msg("%s: %s", t->line, d.text);
		assert_string_equal(c.words, squeezed(t->line));
		assert_int_equal(r.uris, 1);
		assert_true(nbd_uri_print(&r.uri[0], uri, sizeof(uri)) > 0);
		assert_int_equal(strcspn(t->want, " "), strlen(uri));
		assert_memory_equal(t->want, uri, strlen(uri));
	}
	/* without a server of their own they leave it to DHCP, or are refused */
	for (size_t i = 0; i < ARRAY_SIZE(wild_others); i++)
		if (!parse(wild_others[i]))
			assert_true(c.root.from_dhcp && !c.root.uris);
}

static void mistakes_are_named(void **state)
{
	char text[CMDLINE_MAX + 1];

	(void)state;
	assert_int_equal(parse("root=nbd:///x"), NBD_E_URI);
	assert_non_null(strstr(d.text, "nbd:///x"));
	assert_int_equal(parse("nbdboot.timeout=x"), NBD_E_USAGE);
	assert_int_equal(parse("kernel=a initrd=a initrd=b initrd=c initrd=d "
			       "initrd=e"),
			 NBD_E_USAGE);
	assert_int_equal(parse("nbdboot.tls=require root=nbd://h/x"),
			 NBD_E_URI);
	memset(text, 'x', sizeof(text));
	text[CMDLINE_MAX] = '\0';
	assert_int_equal(parse(text), NBD_E_USAGE);
	text[CMDLINE_MAX - 1] = '\0';
	/* with netroot=dhcp it is too long */
	assert_int_equal(parse(text), NBD_E_USAGE);
}

/* A comment is no word, and counts. */
static void a_text_has_a_greatest_length(void **state)
{
	char text[CMDLINE_MAX + 1] = "root=nbd://h/x\n";

	(void)state;
	memset(text + strlen(text), '#', sizeof(text) - 1 - strlen(text));
	assert_int_equal(parse(text), NBD_E_USAGE);
	text[CMDLINE_MAX - 1] = '\0';
	assert_int_equal(parse(text), 0);
}

/* Every cut of a text, flush against an unreadable page. */
static void no_byte_is_read_behind_the_text(void **state)
{
	static const char all[] = "# x\nroot=nbd://h/x kernel=\"/a b\" "
				  "initrd=/i a.efi ip=1.2.3.4 -- x";
	struct guard g = guard_new(sizeof(all));

	(void)state;
	for (size_t n = 0; n < sizeof(all); n++) {
		char *p = guard_end(&g, n + 1);

		memcpy(p, all, n);
		p[n] = '\0';
		parse(p);
	}
	guard_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_and_words_for_the_kernel),
		cmocka_unit_test(
			words_of_the_program_alone_are_not_for_a_boot_loader),
		cmocka_unit_test(
			the_number_of_connections_is_for_the_kernel_as_well),
		cmocka_unit_test(a_kernel_and_its_archives),
		cmocka_unit_test(a_kernel_and_its_archives_have_hashes),
		cmocka_unit_test(an_initrd_without_a_kernel_is_the_kernels),
		cmocka_unit_test(a_file_has_comments_and_lines),
		cmocka_unit_test(a_shell_passes_the_name_of_the_program),
		cmocka_unit_test(without_a_server_it_is_that_of_dhcp),
		cmocka_unit_test(every_form_of_the_root_names_a_server),
		cmocka_unit_test(lines_of_others_name_their_server),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(a_text_has_a_greatest_length),
		cmocka_unit_test(no_byte_is_read_behind_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
