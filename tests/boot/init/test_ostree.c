/* SPDX-License-Identifier: BSD-2-Clause */
/* ostree=: the deployment, its configuration, and what ostree learns of it. */
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "boot/init/ostree.h"
#include "boot/init/ostree_booted.h"
#include "port/linux/inside.h"
#include "tests/world/mount.h"
#include "tests/world/tree.h"

#define DEPLOYMENT "/ostree/deploy/os/deploy/0123.0"

static char top[] = "/tmp/test_ostree.XXXXXX";
static struct nbd_diag d;
static struct cmdline cmd;
static struct ostree o;

static void run(const char *command)
{
	char text[2048];

	snprintf(text, sizeof(text), "cd %s && %s", top, command);
	assert_int_equal(system(text), 0);
}

static int find(const char *word)
{
	int rc;

	cmd.ostree = word;
	d.text[0] = '\0';
	rc = init_ostree_find(&o, top, &cmd, &d);
	close(o.physical);
	if (o.deployment >= 0)
		close(o.deployment);
	return rc;
}

static int config(struct ostree_config *c, const char *text)
{
	*c = (struct ostree_config){ 0 };
	d.text[0] = '\0';
	return init_ostree_config(c, text, &d);
}

static void keys_of_a_configuration_are_read(void **state)
{
	struct ostree_config c;

	(void)state;
	assert_int_equal(config(&c, "# comment = [composefs]\n"
				    "enabled=yes\n"
				    "[composefs]\r\n"
				    "  enabled =  true \r\n"
				    "[ sysroot]\nreadonly=true\n"
				    "[sysroot]\nother=nonsense\n"
				    "readonly=0\n"
				    "[etc]\ntransient=true\n"
				    "[root]\ntransient=false\n"
				    "transient-ro=1"),
			 0);
	assert_int_equal(c.composefs, OSTREE_YES);
	assert_null(c.check);
	assert_int_equal(c.readonly, OSTREE_NO);
	assert_int_equal(c.etc_transient, OSTREE_YES);
	assert_int_equal(c.root_transient, OSTREE_NO);
	assert_int_equal(c.root_transient_ro, OSTREE_YES);
	assert_int_equal(config(&c, ""), 0);
	assert_int_equal(c.composefs, OSTREE_UNSET);
	assert_int_equal(config(&c, "[composefs]\nenabled=maybe\n"), 0);
	assert_int_equal(c.composefs, OSTREE_MAYBE);
	assert_int_equal(config(&c, "[composefs]\nenabled=signed\n"), 0);
	assert_string_equal(c.check, "signed");
	assert_int_equal(config(&c, "[composefs]\nenabled=verity\n"), 0);
	assert_string_equal(c.check, "verity");
}

static void broken_lines_are_ignored_and_wrong_values_named(void **state)
{
	static const char *const ignored[] = {
		"[",
		"]",
		"=",
		"[]\n=\n",
		"[sysroot\nreadonly=x",
		"readonly=x",
		"[sysroot]\nreadonly",
		"[sysroot]\n#readonly=x",
		"\n\n\n",
	};
	static const char *const wrong[] = {
		"[sysroot]\nreadonly=",	     "[sysroot]\nreadonly=perhaps",
		"[sysroot]\nreadonly=maybe", "[composefs]\nenabled=TRUE",
		"[etc]\ntransient=signed",
	};
	struct ostree_config c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		assert_int_equal(config(&c, ignored[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(config(&c, wrong[i]), NBD_E_USAGE);
		assert_non_null(strstr(d.text, "] "));
		assert_non_null(strchr(d.text, '='));
	}
}

static void a_link_of_the_boot_loader_leads_to_a_deployment(void **state)
{
	(void)state;
	assert_int_equal(find("/ostree/boot.1/os/sum/0"), 0);
	assert_string_equal(o.var, "/ostree/deploy/os/var");
	assert_false(o.read_only);
	assert_false(o.generator);
	/* an absolute link is one of the image */
	assert_int_equal(find("/absolute"), 0);
	assert_int_equal(find("../../absolute"), 0);
}

static void what_is_no_deployment_is_refused(void **state)
{
	(void)state;
	assert_int_equal(find("/ostree/boot.1/os/none/0"), NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "ostree=/ostree/boot.1/os/none/0"));
	assert_int_equal(find("/loop"), NBD_E_KERNEL);
	assert_int_equal(find("/file"), NBD_E_KERNEL);
	assert_int_equal(find("/"), NBD_E_USAGE);
	assert_int_equal(find("/tmp"), NBD_E_NOT_FOUND);
	assert_int_equal(find("/out"), NBD_E_NOT_FOUND);
	assert_int_equal(find("/ostree"), NBD_E_USAGE);
	assert_int_equal(find("/ostree/deploy/deploy/x"), NBD_E_USAGE);
	assert_int_equal(find(DEPLOYMENT "/usr"), NBD_E_USAGE);
	assert_non_null(strstr(d.text, DEPLOYMENT "/usr, which is no"));
	assert_int_equal(find(""), NBD_E_NOT_FOUND);
}

static void the_first_configuration_that_is_there_counts(void **state)
{
	(void)state;
	run("mkdir -p ostree/repo && "
	    "printf '[core]\\n[sysroot]\\nreadonly=true\\n' >ostree/repo/config");
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_true(o.read_only);
	run("echo >ostree/repo/config; cd ." DEPLOYMENT " && "
	    "mkdir -p usr/lib/ostree etc/ostree && "
	    "printf '[composefs]\\nenabled=yes\\n' "
	    ">usr/lib/ostree/prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_int_equal(o.config.composefs, OSTREE_YES);
	assert_true(o.read_only);
	run("printf '[sysroot]\\nreadonly=no\\n' "
	    ">." DEPLOYMENT "/etc/ostree/prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_int_equal(o.config.composefs, OSTREE_UNSET);
	assert_false(o.read_only);
	/* a word of the kernel command line comes before both */
	cmd.ostree_composefs = "maybe";
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_int_equal(o.config.composefs, OSTREE_MAYBE);
	cmd.ostree_composefs = "perhaps";
	assert_int_equal(find(DEPLOYMENT), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "composefs=perhaps"));
	cmd.ostree_composefs = NULL;
	/* one that cannot be opened is there: the other is not in its place */
	run("cd ." DEPLOYMENT "/etc/ostree && "
	    "rm prepare-root.conf && ln -s prepare-root.conf prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "/etc/ostree/prepare-root.conf"));
	assert_non_null(strstr(d.text, strerror(ELOOP)));
	run("rm ." DEPLOYMENT "/etc/ostree/prepare-root.conf");
}

static void a_check_that_cannot_be_made_is_refused_by_name(void **state)
{
	(void)state;
	run("printf '[composefs]\\nenabled=signed\\n' "
	    ">." DEPLOYMENT "/etc/ostree/prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "\"signed\""));
	assert_non_null(strstr(d.text, "ostree.prepare-root.composefs="));
	cmd.ostree_composefs = "yes";
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_int_equal(o.config.composefs, OSTREE_YES);
	cmd.ostree_composefs = NULL;
}

static void
a_configuration_that_is_no_file_or_too_long_is_not_read(void **state)
{
	(void)state;
	run("cd ." DEPLOYMENT "/etc/ostree && rm prepare-root.conf && "
	    "mkfifo prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), 0);
	/* that of /usr */
	assert_int_equal(o.config.composefs, OSTREE_YES);
	run("cd ." DEPLOYMENT "/etc/ostree && rm prepare-root.conf && "
	    "ln -s /etc/passwd prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_int_equal(o.config.composefs, OSTREE_YES);
	run("cd ." DEPLOYMENT "/etc/ostree && rm prepare-root.conf && "
	    "head -c 16384 /dev/zero >prepare-root.conf");
	assert_int_equal(find(DEPLOYMENT), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "too long"));
}

static void the_generator_of_ostree_is_noticed(void **state)
{
	(void)state;
	run("cd ." DEPLOYMENT " && rm -r etc && "
	    "mkdir -p usr/lib/systemd/system-generators && "
	    "touch usr/lib/systemd/system-generators/ostree-system-generator");
	assert_int_equal(find(DEPLOYMENT), 0);
	assert_true(o.generator);
}

static void assert_booted(const struct ostree_booted *b, const char *want,
			  size_t want_len)
{
	unsigned char file[OSTREE_BOOTED];
	size_t len = init_ostree_booted(b, file);

	assert_int_equal(len, want_len);
	assert_memory_equal(file, want, len);
}

static void what_ostree_learns_is_a_dictionary_of_gvariant(void **state)
{
	const uint64_t one = 1;
	struct ostree_booted b = { 0 };
	static char want[] = "backing-root-device-inode\0\0\0\0\0\0\0"
			     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0(tt)\x1a\0\0"
			     "root.transient\0\0\0\0b\x0f\0\0\0\0"
			     "root.transient-ro\0\0\0\0\0\0\0\0\0b\x12\0\0\0\0"
			     "sysroot-ro\0\0\0\0\0\0\1\0b\x0b\x36\x4c\x6c\x84";
	unsigned char file[OSTREE_BOOTED];

	(void)state;
	b.sysroot_ro = true;
	assert_booted(&b, want, sizeof(want) - 1);
	b.dev = b.inode = 1;
	memcpy(want + 32, &one, 8);
	memcpy(want + 40, &one, 8);
	assert_booted(&b, want, sizeof(want) - 1);
	b.composefs = true;
	b.etc = "/run/ostree/transient-etc.nbdboot";
	/* an end has one byte only up to here */
	assert_int_equal(init_ostree_booted(&b, file), 252);
	assert_int_equal(file[251], 245);
}

/* Of composefs=maybe; the mounts are played. */
static int mount_maybe(void)
{
	int rc;

	world = (struct world){ .others = WORLD_ABSENT };
	cmd.ostree_composefs = "maybe";
	cmd.ostree = DEPLOYMENT;
	d.text[0] = '\0';
	assert_int_equal(init_ostree_find(&o, top, &cmd, &d), 0);
	rc = init_ostree_mount(&o, &d);
	cmd.ostree_composefs = NULL;
	close(o.physical);
	close(o.deployment);
	if (o.root > 0)
		close(o.root);
	return rc;
}

/* What cannot be opened may be an image: a root without it is another one. */
static void only_an_image_that_is_missing_is_none(void **state)
{
	(void)state;
	run("mkdir -p ." DEPLOYMENT "/etc sysroot usr");
	assert_int_equal(mount_maybe(), 0);
	assert_false(o.composefs);
	run("ln -s .ostree.cfs ." DEPLOYMENT "/.ostree.cfs");
	assert_int_equal(mount_maybe(), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, ".ostree.cfs"));
	assert_non_null(strstr(d.text, strerror(ELOOP)));
	run("rm ." DEPLOYMENT "/.ostree.cfs");
}

static void a_path_inside_of_a_root_follows_no_link_unless_asked(void **state)
{
	int root = open(top, O_PATH | O_DIRECTORY), fd;

	(void)state;
	fd = inside_open(root, "absolute", true, true);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(inside_open(root, "absolute", true, false), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(inside_open_file(root, "ostree"), -1);
	assert_int_equal(inside_open_file(root, "out/passwd"), -1);
	fd = inside_open_file(root, "file");
	assert_true(fd >= 0);
	close(fd);
	close(root);
}

static int make_top(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	run("mkdir -p ." DEPLOYMENT
	    "/usr ostree/boot.1/os/sum ostree/deploy/os/var "
	    "ostree/deploy/deploy/x && "
	    "ln -s ../../../deploy/os/deploy/0123.0 ostree/boot.1/os/sum/0 && "
	    "ln -s " DEPLOYMENT " absolute && ln -s loop loop && touch file && "
	    "ln -s /etc out");
	return 0;
}

static int remove_top(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "rm -rf %s", top);
	return system(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_a_configuration_are_read),
		cmocka_unit_test(
			broken_lines_are_ignored_and_wrong_values_named),
		cmocka_unit_test(
			a_link_of_the_boot_loader_leads_to_a_deployment),
		cmocka_unit_test(what_is_no_deployment_is_refused),
		cmocka_unit_test(the_first_configuration_that_is_there_counts),
		cmocka_unit_test(
			a_check_that_cannot_be_made_is_refused_by_name),
		cmocka_unit_test(
			a_configuration_that_is_no_file_or_too_long_is_not_read),
		cmocka_unit_test(the_generator_of_ostree_is_noticed),
		cmocka_unit_test(
			what_ostree_learns_is_a_dictionary_of_gvariant),
		cmocka_unit_test(only_an_image_that_is_missing_is_none),
		cmocka_unit_test(
			a_path_inside_of_a_root_follows_no_link_unless_asked),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
