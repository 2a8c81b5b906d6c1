/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a /usr of its own: what they make of those of the root. */
#include "boot/init/overlay.h"
#include "boot/init/steps.h"
#include "boot/init/usr.h"
#include "boot/words/root.h"

#include "tests/unit.h"
#include "tests/world/mount.h"
#include "tests/world/path.h"

#define H16 "0123456789abcdef"
#define H64 H16 H16 "fedcba9876543210fedcba9876543210"

/* pages: too large for a stack */
static struct cmdline c;
static struct root_spec spec;
static struct usr u;
static struct nbd_diag d;

static int take(const char *line)
{
	d.text[0] = '\0';
	world.others = WORLD_ABSENT;
	assert_int_equal(boot_cmdline_parse(&c, line, &d), 0);
	return init_usr_take(&u, &c, &d);
}

static void is(const char *line, enum usr_kind kind)
{
	if (take(line))
		fail_msg("%s: %s", line, d.text);
	assert_int_equal(u.kind, kind);
	if (root_parse(&spec, &c, &d))
		fail_msg("%s: %s", line, d.text);
	assert_string_equal(spec.uri[0].host, "h");
	assert_string_equal(spec.uri[0].name, "x");
}

static void without_a_word_of_it_usr_is_in_the_root(void **state)
{
	(void)state;
	is("root=nbd://h/x roothash=" H64, USR_IN_ROOT);
	is("root=nbd://h/x systemd.volatile=state", USR_IN_ROOT);
	is("root=nbd://h/x systemd.volatile=no", USR_IN_ROOT);
	/* without mount.usr= they say nothing, to systemd either */
	is("root=nbd://h/x mount.usrflags=ro mount.usrfstype=ext4",
	   USR_IN_ROOT);
	assert_string_equal(c.roothash ? c.roothash : "", "");
}

static void what_is_said_of_usr_takes_the_place_of_the_root(void **state)
{
	(void)state;
	is("root=tmpfs netroot=nbd://h/x rw rootfstype=tmpfs "
	   "rootflags=size=1g usrhash=" H64 " mount.usrfstype=erofs "
	   "mount.usrflags=noatime systemd.verity_usr_data=/dev/nbd0p2 "
	   "systemd.verity_usr_hash=/dev/nbd0p3 "
	   "systemd.verity_usr_options=salt=-",
	   USR_ALONE);
	assert_true(USR_IN_RAM(&u));
	assert_string_equal(u.options, "size=1g");
	assert_string_equal(spec.fstype, "erofs");
	assert_string_equal(spec.options, "noatime");
	assert_string_equal(c.roothash, H64);
	assert_null(c.usrhash);
	assert_string_equal(c.verity_data, "/dev/nbd0p2");
	assert_string_equal(c.verity_hash, "/dev/nbd0p3");
	assert_string_equal(c.verity_options, "salt=-");
	assert_true(c.usr_only);
	assert_false(c.write);
	assert_null(spec.part);
}

static void its_partition_is_named_like_one_of_a_root(void **state)
{
	(void)state;
	is("root=tmpfs nbdroot=h,x mount.usr=LABEL=usr", USR_ALONE);
	assert_string_equal(spec.part, "LABEL=usr");
	is("root=tmpfs nbdroot=h,x mount.usr=/dev/nbd0p2", USR_ALONE);
	assert_string_equal(spec.part, "2");
	is("root=tmpfs nbdroot=h,x mount.usr=/dev/disk/by-partlabel/a",
	   USR_ALONE);
	assert_string_equal(spec.part, "PARTLABEL=a");
	/* what systemd calls the mapping */
	is("root=tmpfs nbdroot=h,x mount.usr=/dev/mapper/usr usrhash=" H64,
	   USR_ALONE);
	assert_null(spec.part);
	is("root=tmpfs mount.usr=nbd://h/x", USR_ALONE);
	is("root=tmpfs nbdroot=h,x", USR_ALONE);
}

static void a_volatile_root_is_usr_alone_or_the_usr_of_the_root(void **state)
{
	(void)state;
	is("root=nbd://h/x systemd.volatile=yes rw", USR_KEPT);
	assert_false(c.write);
	assert_null(c.volatile_root);
	is("root=nbd://h/x systemd.volatile roothash=" H64, USR_KEPT);
	assert_string_equal(c.roothash, H64);
	assert_false(c.usr_only);
	is("root=nbd://h/x systemd.volatile=1 usrhash=" H64, USR_ALONE);
	assert_string_equal(c.roothash, H64);
	is("root=nbd://h/x systemd.volatile=yes mount.usr=PARTLABEL=u",
	   USR_ALONE);
	assert_string_equal(spec.part, "PARTLABEL=u");
	/* the partition of the root is not used then */
	is("root=LABEL=r netroot=nbd://h/x systemd.volatile=yes usrhash=" H64,
	   USR_ALONE);
	assert_null(spec.part);
	assert_int_equal(take("root=dhcp systemd.volatile=yes usrhash=" H64),
			 0);
	assert_int_equal(root_parse(&spec, &c, &d), 0);
	assert_true(spec.from_dhcp);
}

static void beside_a_root_usr_has_a_partition(void **state)
{
	(void)state;
	is("root=nbd://h/x rw usrhash=" H64 " mount.usr=/dev/mapper/usr",
	   USR_BESIDE);
	assert_false(USR_IN_RAM(&u));
	assert_string_equal(u.part,
			    "PARTUUID=01234567-89ab-cdef-0123-456789abcdef");
	assert_true(c.write);
	assert_null(c.roothash);
	assert_string_equal(c.usrhash, H64);
	is("root=nbd://h/x usrhash=" H64 " mount.usr=PARTLABEL=a", USR_BESIDE);
	assert_string_equal(u.part, "PARTLABEL=a");
	is("root=nbd://h/x usrhash=" H64 " mount.usr=PARTLABEL=a "
	   "systemd.verity_usr_data=/dev/nbd0p4",
	   USR_BESIDE);
	assert_string_equal(u.part, "4");
	/* Flatcar */
	is("root=LABEL=ROOT netroot=nbd://h/x mount.usr=/dev/mapper/usr "
	   "verity.usr=PARTUUID=a verity.usrhash=" H64 " mount.usrflags=ro",
	   USR_BESIDE);
	assert_string_equal(u.part, "PARTUUID=a");
	assert_string_equal(spec.part, "LABEL=ROOT");
	is("root=nbd://h/x mount.usr=UUID=1-2", USR_BESIDE);
	assert_string_equal(u.part, "UUID=1-2");
}

static void what_is_not_possible_is_refused_by_name(void **state)
{
	static const char *const wrong[][2] = {
		{ "usrhash=" H64 " roothash=" H64, "usrhash=" H64 ": a root" },
		{ "mount.usr=PARTLABEL=a roothash=" H64,
		  "mount.usr=PARTLABEL=a: a root" },
		{ "root=tmpfs usrhash=" H64 " roothash=" H64,
		  "roothash=" H64 ": the root is in RAM" },
		{ "usrhash=" H64 " ostree=/ostree/boot.1/a/b/0", "ostree=/" },
		{ "systemd.volatile=yes ostree=/ostree/boot.1/a/b/0",
		  "ostree=/" },
		{ "usrhash=" H64 " nbdboot.clone=/dev/sda",
		  "nbdboot.clone=/dev/sda: only the root" },
		{ "usrhash=12", "usrhash=12: not a root hash" },
		{ "usrhash", "usrhash=: not a root hash" },
		{ "usrhash=x123456789abcdef" H16, "not a root hash" },
		{ "usrhash=" H64 " mount.usr=LABEL=a", "mount.usr=LABEL=a: " },
		{ "usrhash=" H64 " mount.usr=/dev/nbd0",
		  "mount.usr=/dev/nbd0: it is the disk of the root" },
		{ "mount.usr=/dev/mapper/usr", "mount.usr=/dev/mapper/usr: " },
		{ "mount.usr=nbd://h/y", "mount.usr=nbd://h/y: this has to " },
		{ "systemd.verity_usr_options=salt=-", "no usrhash=" },
		{ "systemd.verity_usr_data=/dev/sda usrhash=" H64,
		  "systemd.verity_usr_data=/dev/sda: " },
	};
	char line[600];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(line, sizeof(line), "root=nbd://h/x %s", wrong[i][0]);
		assert_int_equal(take(line), NBD_E_USAGE);
		if (!strstr(d.text, wrong[i][1]))
			fail_msg("%s is not in %s", wrong[i][1], d.text);
	}
	/* nobody names the server */
	assert_int_equal(take("root=tmpfs usrhash=" H64), 0);
	assert_int_equal(root_parse(&spec, &c, &d), NBD_E_URI);
	assert_non_null(strstr(d.text, "no server"));
}

/* ---- a reroot beside a system that has an overlay ---- */

extern const struct step init_usr_step;

static void is_on(const char *path, dev_t dev)
{
	world_stat(path, (struct stat){ .st_dev = dev });
}

int __wrap_rmdir(const char *path);
int __wrap_rmdir(const char *path)
{
	(void)path;
	return 0;
}

/* nbdboot keep and the next reroot look for what is below that overlay. */
static void the_lower_file_system_of_before_stays(void **state)
{
	static struct boot b;

	(void)state;
	world_reset();
	is_on(OVERLAY_LOWER, 1);
	is("root=nbd://h/x systemd.volatile=yes", USR_KEPT);
	b.usr = u;
	/* the root in RAM was made, and a later step has failed */
	assert_int_equal(init_usr_step.undo(&b, &d), 0);
	assert_string_equal(world.story, "");
	/* it was not made: what was moved there is the next system's */
	is_on(OVERLAY_LOWER, 2);
	assert_int_equal(init_usr_step.undo(&b, &d), 0);
	assert_string_equal(world.story, "umount -l " OVERLAY_LOWER "\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_word_of_it_usr_is_in_the_root),
		cmocka_unit_test(
			what_is_said_of_usr_takes_the_place_of_the_root),
		cmocka_unit_test(its_partition_is_named_like_one_of_a_root),
		cmocka_unit_test(
			a_volatile_root_is_usr_alone_or_the_usr_of_the_root),
		cmocka_unit_test(beside_a_root_usr_has_a_partition),
		cmocka_unit_test(what_is_not_possible_is_refused_by_name),
		cmocka_unit_test(the_lower_file_system_of_before_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
