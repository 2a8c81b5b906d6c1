/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.overlay=: the words that it takes, and an export for the changes. */
#include "tests/unit.h"
#include "tests/world/module.h"
#include "tests/world/mount.h"
#include "tests/world/nbdk.h"
#include "tests/world/path.h"
#include "tests/world/tree.h"

#include <errno.h>
#include <sys/stat.h>

#include "boot/init/mount.h"
#include "boot/init/overlay.h"
#include "boot/init/steps.h"
#include "boot/root/connect.h"
#include "port/linux/module.h"
#include "port/linux/nbdk.h"

static int check_words(const char *overlay, bool tls, struct nbd_diag *d)
{
	static struct overlay o;
	static struct cmdline c;

	world = (struct world){ .others = WORLD_ABSENT };
	/* it may be a variable of a function */
	memset(&o, 0xff, sizeof(o));
	c = (struct cmdline){ .overlay = overlay, .tls = tls };
	return init_overlay_check(&o, &c, d);
}

static void words_of_an_overlay_are_understood(void **state)
{
	static const char *const good[] = {
		"",	      "tmpfs",
		"size=1",     "size=512m",
		"size=2G",    "size=100k",
		"size=70%",   "tmpfs,size=70%",
		"tmpfs,",     "nbd://h/",
		"nbd://h/up", "nbd://[::1]:1/up",
		"nbds://h/x", "nbd+unix:///x?socket=/s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(check_words(good[i], false, NULL), 0);
}

static void other_words_are_refused_by_name(void **state)
{
	static const char *const bad[] = {
		"ramfs",
		"tmpfssize=1",
		"size=",
		"size=k",
		"size=1kk",
		"size=-1",
		"size=1,mode=0",
		"size=1 ",
		"tmpfs,,size=1",
		"SIZE=1",
		"size=0x10",
		"/dev/sda",
		"size=1000000000000000",
	};
	struct nbd_diag d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(check_words(bad[i], false, &d), NBD_E_USAGE);
		assert_non_null(strstr(d.text, bad[i]));
		assert_non_null(strstr(d.text, "nbdboot.overlay="));
	}
}

static void a_broken_uri_is_refused_with_its_place(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(check_words("nbd://h:99999/", false, &d), NBD_E_URI);
	assert_non_null(strstr(d.text, "nbd://h:99999/"));
	assert_non_null(strstr(d.text, "nbdboot.overlay="));
}

static void tls_is_demanded_of_its_export_as_well(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(check_words("nbd://h/", true, &d), NBD_E_URI);
	assert_non_null(strstr(d.text, "nbdboot.tls=require"));
	assert_int_equal(check_words("nbds://h/", true, &d), 0);
	assert_int_equal(check_words("size=1", true, &d), 0);
}

/* Of a command line with words of the firmware, nobody knows whose one is. */
static void its_proof_is_from_no_line_with_words_of_the_firmware(void **state)
{
	static const char uri[] = "nbds://h/x?tls-hostname=other";
	static struct overlay o;
	static struct cmdline c;
	struct nbd_diag d;

	(void)state;
	world = (struct world){ .others = WORLD_ABSENT };
	c = (struct cmdline){ .overlay = uri, .tls = true };
	assert_int_equal(init_overlay_check(&o, &c, &d), 0);
	c.handed = true;
	assert_int_equal(init_overlay_check(&o, &c, &d), NBD_E_URI);
	assert_non_null(strstr(d.text, "tls-hostname="));
	assert_non_null(strstr(d.text, "nbdboot.overlay="));
}

/* ---- an export for the changes, whose image may be hostile ---- */

static mode_t made; /* what "data" and "work" are on it */

int __wrap_lstat(const char *path, struct stat *st);
int __wrap_lstat(const char *path, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = strstr(path, "/work") ? made : S_IFDIR;
	return 0;
}

int __wrap_init_mount_root(const struct root_fs *r, bool *fell_back,
			   struct nbd_diag *d);
int __wrap_init_mount_root(const struct root_fs *r, bool *fell_back,
			   struct nbd_diag *d)
{
	(void)r, (void)d;
	*fell_back = false;
	return 0;
}

static int mount_it(mode_t what, struct nbd_diag *d)
{
	const struct overlay o = { .index = 1 };

	made = what;
	world_reset();
	world_refuses("mkdir *", EEXIST, 0);
	return init_overlay_mount(&o, "/newroot", d);
}

static void changes_do_not_follow_a_link_out_of_their_export(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(mount_it(S_IFDIR, &d), 0);
	assert_non_null(strstr(world.story, "mount -t overlay "));
	assert_int_equal(mount_it(S_IFLNK, &d), NBD_E_KERNEL);
	assert_null(strstr(world.story, "mount -t overlay "));
	assert_non_null(strstr(d.text, "Not a directory"));
}

/* ---- its connection ---- */

extern const struct step init_overlay_connect_step;

static char asked[16]; /* the interface whose MAC address is %m */

int __wrap_root_connect(struct root_spec *r, const struct root_spec *spec,
			struct root_env *env, const char *dev,
			struct device_signals *held, struct nbd_diag *d);
int __wrap_root_connect(struct root_spec *r, const struct root_spec *spec,
			struct root_env *env, const char *dev,
			struct device_signals *held, struct nbd_diag *d)
{
	(void)r, (void)spec, (void)env, (void)held, (void)d;
	snprintf(asked, sizeof(asked), "%s", dev);
	return 1;
}

/* Another that has a link would give it the export of another machine. */
static void its_mac_address_is_that_of_the_interface_of_the_root(void **state)
{
	static struct boot b;
	struct nbd_diag d;

	(void)state;
	b.cmd.overlay = "nbd://h/up-%m";
	strcpy(b.net.state.name, "eth1");
	assert_int_equal(init_overlay_connect_step.run(&b, &d), 0);
	assert_int_equal(b.overlay.index, 1);
	assert_string_equal(asked, "eth1");
}

/* ---- a reroot beside a system that has an overlay ---- */

static void is_on(const char *path, dev_t dev)
{
	world_stat(path, (struct stat){ .st_dev = dev });
}

/* The mounts of the present system are below those of the next one. */
static void what_was_there_before_stays(void **state)
{
	static const struct cmdline c = { .overlay = "" };
	static struct overlay o;

	(void)state;
	world_reset();
	is_on(OVERLAY_LOWER, 1);
	is_on(OVERLAY_UPPER, 2);
	assert_int_equal(init_overlay_check(&o, &c, NULL), 0);
	/* its root was moved, and nothing was mounted for changes */
	is_on(OVERLAY_LOWER, 3);
	init_overlay_unmount(&o, "/newroot");
	assert_string_equal(world.story, "umount -l /newroot\n"
					 "umount -l " OVERLAY_LOWER "\n");
	world.story[0] = '\0';
	/* a file system that has failed */
	world_file(OVERLAY_LOWER, NULL);
	is_on(OVERLAY_UPPER, 4);
	init_overlay_unmount(&o, "/newroot");
	assert_string_equal(world.story, "umount -l /newroot\n"
					 "umount -l " OVERLAY_UPPER "\n"
					 "umount -l " OVERLAY_LOWER "\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_an_overlay_are_understood),
		cmocka_unit_test(other_words_are_refused_by_name),
		cmocka_unit_test(a_broken_uri_is_refused_with_its_place),
		cmocka_unit_test(tls_is_demanded_of_its_export_as_well),
		cmocka_unit_test(
			its_proof_is_from_no_line_with_words_of_the_firmware),
		cmocka_unit_test(
			changes_do_not_follow_a_link_out_of_their_export),
		cmocka_unit_test(
			its_mac_address_is_that_of_the_interface_of_the_root),
		cmocka_unit_test(what_was_there_before_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
