/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a verified root: a boot with one of them has it, or no root. */
#include "boot/init/steps.h"
#include "boot/init/verity.h"
#include "boot/system/console.h"
#include "boot/words/word.h"
#include "port/linux/file.h"

#include "tests/unit.h"
#include "tests/world/file.h"
#include "tests/world/tree.h"

#include <errno.h>

#define H64  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"

extern const struct step init_verifier_words_step, init_verifier_dhcp_step;
extern const struct step init_verifier_step, init_verifier_copy_step;

static struct boot b;
static struct nbd_diag d;
#define OURS "/etc/nbdboot/roothash" /* in the initramfs */

#define UNIT "/run/systemd/system/systemd-veritysetup@root.service"

int __wrap_init_verity_map(const struct verity_wanted *w,
			   const struct verity_devices *on, char dev[PART_PATH],
			   struct nbd_diag *dg);
int __wrap_init_verity_map(const struct verity_wanted *w,
			   const struct verity_devices *on, char dev[PART_PATH],
			   struct nbd_diag *dg)
{
	(void)w, (void)on, (void)dg;
	snprintf(dev, PART_PATH, "/dev/dm-0");
	return NBD_OK;
}

static unsigned read_whole;

int __wrap_init_verity_read(const struct verity_wanted *w, const char *disk,
			    const char *dev, struct nbd_diag *dg);
int __wrap_init_verity_read(const struct verity_wanted *w, const char *disk,
			    const char *dev, struct nbd_diag *dg)
{
	(void)w, (void)disk, (void)dev, (void)dg;
	read_whole++;
	return NBD_OK;
}

/* What mapper_uncover() finds. */
static int uncovered;

int __wrap_mapper_uncover(const char *disk, struct nbd_diag *dg);
int __wrap_mapper_uncover(const char *disk, struct nbd_diag *dg)
{
	(void)disk, (void)dg;
	return uncovered;
}

extern const struct step init_tree_words_step;

static int take(const char *words, bool beside)
{
	static struct plan plan;
	char line[CMDLINE_MAX];

	plan.line = beside ? line : NULL;
	memset(&b, 0, sizeof(b));
	b.plan = &plan;
	snprintf(line, sizeof(line), "%s%s",
		 strstr(words, "root=") ? "" : "root=nbd://192.0.2.1/x ",
		 words);
	assert_int_equal(boot_cmdline_parse(&b.cmd, line, &d), NBD_OK);
	assert_int_equal(init_usr_take(&b.usr, &b.cmd, &d), NBD_OK);
	assert_int_equal(root_parse(&b.spec, &b.cmd, &d), NBD_OK);
	return init_verifier_words_step.run(&b, &d);
}

static void a_root_hash_is_a_word_or_in_the_initramfs(void **state)
{
	(void)state;
	world_file(OURS, NULL);
	assert_int_equal(take("", false), NBD_OK);
	assert_null(b.cmd.roothash);
	assert_int_equal(take("roothash=" H64, false), NBD_OK);
	assert_int_equal(b.verity.digest, 32);
	assert_int_equal(take("rd.roothash=" H64, true), NBD_OK);
	assert_int_equal(b.verity.digest, 32);
	world_file(OURS, H64 "\n");
	assert_int_equal(take("", false), NBD_OK);
	assert_string_equal(b.cmd.roothash, H64);
	assert_int_equal(b.verity.digest, 32);
	/* a system's file of that name is not for another root */
	assert_int_equal(take("", true), NBD_OK);
	assert_null(b.cmd.roothash);
}

static void no_word_takes_away_that_of_the_initramfs(void **state)
{
	static const char *const files[] = { "", "\n", H64 "0", ZERO " x" };

	(void)state;
	world_file(OURS, H64 "\n");
	assert_int_equal(take("roothash=" H64, false), NBD_OK);
	assert_int_equal(take("roothash=" ZERO, false), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "this initramfs is for " H64));
	assert_int_equal(take("roothash=", false), NBD_E_USAGE);
	assert_int_equal(take("roothash", false), NBD_E_USAGE);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		world_file(OURS, files[i]);
		assert_int_equal(take("", false), NBD_E_USAGE);
	}
	world_file_fails(OURS, EIO);
	assert_int_equal(take("", false), NBD_E_IO);
	world_file(OURS, NULL);
}

/* Of an image that is /usr it is the hash of that, and no /usr hides another. */
static void that_of_the_initramfs_holds_for_usr_too(void **state)
{
	static const char alone[] = "root=tmpfs netroot=nbd://h/x";

	(void)state;
	world_file(OURS, H64 "\n");
	assert_int_equal(take(alone, false), NBD_OK);
	assert_int_equal(b.verity.digest, 32);
	assert_string_equal(b.verity.of, "usr");
	assert_int_equal(take("root=tmpfs netroot=nbd://h/x usrhash=" ZERO,
			      false),
			 NBD_E_USAGE);
	assert_non_null(strstr(d.text, "this initramfs is for " H64));
	assert_int_equal(take("mount.usr=PARTLABEL=a", false), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "mount.usr=, usrhash=: the root is "));
	assert_int_equal(take("usrhash=" H64, false), NBD_E_USAGE);
	world_file(OURS, NULL);
}

/* The root beside it is as it is. */
static void a_usr_beside_a_root_is_verified_alone(void **state)
{
	(void)state;
	assert_int_equal(take("rw nbdboot.part=LABEL=a usrhash=" H64
			      " systemd.verity_usr_data=/dev/nbd0p3",
			      false),
			 NBD_OK);
	assert_int_equal(b.verity.digest, 32);
	assert_string_equal(b.verity.of, "usr");
	assert_string_equal(b.spec.part, "LABEL=a");
	assert_string_equal(b.usr.part, "3");
	assert_true(b.cmd.write);
	assert_int_equal(take("mount.usr=LABEL=a", false), NBD_OK);
	assert_int_equal(b.verity.digest, 0);
}

static void any_word_asks_for_a_verified_root(void **state)
{
	static const char *const wrong[][2] = {
		{ "roothash", "roothash=: " },
		{ "roothash=12", "roothash=12: " },
		{ "roothash=" H64 " rw", "rw: " },
		{ "roothash=" H64 " nbdboot.part=LABEL=a", "LABEL=a: " },
		{ "roothash=" H64 " nbdboot.part=UUID=a", "UUID=a: " },
		{ "roothash=" H64 " nbdboot.verity", "nbdboot.verity=: " },
		{ "nbdboot.verity=panic", "no roothash=" },
		{ "root=tmpfs netroot=nbd://h/x usrhash=12", "usrhash=12: " },
		{ "root=tmpfs netroot=nbd://h/x systemd.verity_usr_hash=1",
		  "no usrhash=" },
		{ "mount.usr=LABEL=a nbdboot.verity=panic", "no roothash=" },
		{ "systemd.verity_root_data=/dev/nbd0", "no roothash=" },
		{ "systemd.verity_root_hash=/dev/nbd0", "no roothash=" },
		{ "systemd.verity_root_options=salt=-", "no roothash=" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(take(wrong[i][0], false), NBD_E_USAGE);
		assert_non_null(strstr(d.text, wrong[i][1]));
	}
	assert_int_equal(take("roothash=" H64 " rw nbdboot.overlay", false),
			 NBD_OK);
	assert_int_equal(take("roothash=" H64 " nbdboot.part=PARTLABEL=a",
			      false),
			 NBD_OK);
}

static void the_partition_of_the_data_is_that_of_the_root(void **state)
{
	(void)state;
	assert_int_equal(take("roothash=" H64
			      " systemd.verity_root_data=/dev/nbd0p3",
			      false),
			 NBD_OK);
	assert_string_equal(b.spec.part, "3");
	assert_string_equal(b.cmd.part, "3");
	assert_int_equal(take("nbdboot.part=2 roothash=" H64
			      " systemd.verity_root_data=/dev/nbd0",
			      false),
			 NBD_OK);
	assert_null(b.cmd.part);
}

static int take_tree(const char *words)
{
	char line[600];

	snprintf(line, sizeof(line), "roothash=" H64 " %s", words);
	assert_int_equal(take(line, false), NBD_OK);
	return init_tree_words_step.run(&b, &d);
}

/* What holds for the root's servers holds for those of the tree. */
static void a_tree_in_an_export_is_read_like_a_root(void **state)
{
	(void)state;
	world_file(OURS, NULL);
	assert_int_equal(take_tree(""), NBD_OK);
	assert_null(b.tree.cmd.root);
	assert_int_equal(take_tree("systemd.verity_root_hash=nbd://192.0.2.2/t,"
				   "nbd://192.0.2.3/t nbdboot.io-timeout=7"),
			 NBD_OK);
	assert_int_equal(b.tree.parsed.uris, 2);
	assert_string_equal(b.tree.parsed.uri[1].host, "192.0.2.3");
	assert_int_equal(b.tree.cmd.io_timeout, 7);
	assert_false(b.tree.cmd.write);
	assert_int_equal(take_tree("nbdboot.verity=nbd:///t"), NBD_E_URI);
	assert_non_null(strstr(d.text, "the hash tree, nbd:///t: "));
	assert_int_equal(take_tree("nbdboot.verity=nbd://h/t nbdboot.toram"),
			 NBD_E_USAGE);
	assert_non_null(strstr(d.text, "nbdboot.toram: only the image"));
	assert_int_equal(
		take("root=nbds://h/x nbdboot.tls=require roothash=" H64
		     " nbdboot.verity=nbd://h/t",
		     false),
		NBD_OK);
	assert_true(init_tree_words_step.run(&b, &d) < 0);
	assert_non_null(strstr(d.text, "the hash tree, nbd://h/t: "));
}

static char said[200];

static void take_line(int level, const char *p, size_t len)
{
	(void)level;
	snprintf(said, sizeof(said), "%.*s", (int)len, p);
}

static void reports(const char *words, const char *path, const char *want)
{
	const struct root_env env = { .root_path = path };

	assert_int_equal(take(words, false), NBD_OK);
	assert_int_equal(root_expand(&b.root, &b.spec, &env, &d), NBD_OK);
	*said = '\0';
	assert_int_equal(init_verifier_dhcp_step.run(&b, &d), NBD_OK);
	if (want)
		assert_non_null(strstr(said, want));
	else
		assert_string_equal(said, "");
}

/* Those of this machine's own words stay. */
static void dhcp_does_not_choose_how_it_is_mounted(void **state)
{
	static const char none[] = "no effect in the root-path of DHCP, "
				   "because of roothash=: file system";

	(void)state;
	boot_console_log = take_line;
	world_file(OURS, H64 "\n");
	reports("root=dhcp", "nbd:h:x:ext4:dax", none);
	assert_null(b.root.fstype);
	assert_null(b.root.options);
	world_file(OURS, NULL);
	reports("netroot=dhcp nbdroot=h roothash=" H64 " rootfstype=erofs",
		"nbd:h:x:ext4:a", none);
	assert_string_equal(b.root.fstype, "erofs");
	assert_null(b.root.options);
	reports("root=dhcp roothash=" H64, "nbd:h:x", NULL);
	reports("root=nbd:h:x:ext4:ro,a roothash=" H64 " rootflags=b",
		"nbd:h:x:xfs", NULL);
	assert_string_equal(b.root.fstype, "ext4");
	assert_string_equal(b.root.options, "ro,a,b");
	reports("root=dhcp", "nbd:h:x:ext4", NULL);
	assert_string_equal(b.root.fstype, "ext4");
	boot_console_log = NULL;
}

static void the_unit_for_systemd_is_taken_back(void **state)
{
	static const int results[] = { NBD_OK, NBD_E_NOT_FOUND, NBD_E_IO };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		world = (struct world){ .others = WORLD_ABSENT };
		assert_int_equal(take("roothash=" H64
				      " systemd.verity_root_options="
				      "hash-offset=4096",
				      false),
				 NBD_OK);
		assert_int_equal(init_verifier_step.run(&b, &d), NBD_OK);
		assert_memory_equal(world.written, UNIT " = [Unit]\n",
				    sizeof(UNIT " = [Unit]"));
		assert_string_equal(world.story, "");
		uncovered = results[i];
		assert_int_equal(init_verifier_step.undo(&b, &d),
				 i == 2 ? NBD_E_IO : NBD_OK);
		assert_string_equal(world.story, "rm " UNIT "\n");
	}
	/* that of a system that runs */
	*world.story = '\0';
	assert_int_equal(take("", true), NBD_OK);
	assert_int_equal(init_verifier_step.undo(&b, &d), NBD_OK);
	assert_string_equal(world.story, "");
}

/* A disk of the machine may be large, and is read at each boot. */
static void only_a_copy_in_ram_is_read_as_a_whole(void **state)
{
	static const struct {
		int index;
		bool local;
		unsigned reads;
	} cases[] = { { 0, false, 0 }, { -1, false, 1 }, { -1, true, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(take("roothash=" H64, false), NBD_OK);
		b.index = cases[i].index;
		b.local = cases[i].local;
		read_whole = 0;
		assert_int_equal(init_verifier_copy_step.run(&b, &d), NBD_OK);
		assert_int_equal(read_whole, cases[i].reads);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_hash_is_a_word_or_in_the_initramfs),
		cmocka_unit_test(no_word_takes_away_that_of_the_initramfs),
		cmocka_unit_test(that_of_the_initramfs_holds_for_usr_too),
		cmocka_unit_test(a_usr_beside_a_root_is_verified_alone),
		cmocka_unit_test(any_word_asks_for_a_verified_root),
		cmocka_unit_test(the_partition_of_the_data_is_that_of_the_root),
		cmocka_unit_test(a_tree_in_an_export_is_read_like_a_root),
		cmocka_unit_test(dhcp_does_not_choose_how_it_is_mounted),
		cmocka_unit_test(the_unit_for_systemd_is_taken_back),
		cmocka_unit_test(only_a_copy_in_ram_is_read_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
