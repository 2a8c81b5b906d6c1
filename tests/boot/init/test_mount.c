/* SPDX-License-Identifier: BSD-2-Clause */
/* rootflags=: words that are flags, and the rest; rootfstype=. */
#include "tests/unit.h"
#include "tests/world/module.h"
#include "tests/world/mount.h"
#include "tests/world/tree.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "boot/init/mount.h"
#include "port/linux/module.h"

static void options_become_flags_and_data(void **state)
{
	static const struct {
		unsigned long before;
		const char *text;
		unsigned long flags;
		const char *data;
	} t[] = {
		{ MS_RDONLY, "", MS_RDONLY, "" },
		{ MS_RDONLY, "rw", 0, "" },
		{ 0, "ro", MS_RDONLY, "" },
		{ 0, "ro,rw,ro", MS_RDONLY, "" },
		{ MS_RDONLY, "defaults", MS_RDONLY, "" },
		{ 0, "noatime,nodev,nosuid", MS_NOATIME | MS_NODEV | MS_NOSUID,
		  "" },
		{ MS_NOATIME, "atime", 0, "" },
		{ 0, "subvol=@root", 0, "subvol=@root" },
		{ 0, "a,noexec,b=1,ro,c", MS_NOEXEC | MS_RDONLY, "a,b=1,c" },
		{ 0, ",,a,,b,,", 0, "a,b" },
		{ 0, "dirsync,,a", MS_DIRSYNC, "a" },
		/* beginnings and ends of words are other words */
		{ 0, "r,roo,ror,async2", 0, "r,roo,ror,async2" },
		{ 0, "context=\"a,ro\",ro", MS_RDONLY, "context=\"a,ro\"" },
		{ 0, "x=\"a,ro", 0, "x=\"a,ro" },
		{ 0, "lazytime", 1ul << 25, "" },
		/* those of fstab */
		{ 0, "_netdev,nofail,x-systemd.device-timeout=9,a,noauto,users",
		  0, "a" },
		{ 0, "X-mount.mkdir,comment=b,owner,nouser,ro", MS_RDONLY, "" },
		{ 0, "_netde,nofails,comment,x", 0,
		  "_netde,nofails,comment,x" },
	};
	char data[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		unsigned long flags = t[i].before;

		assert_int_equal(init_mount_options(t[i].text, &flags, data,
						    sizeof(data)),
				 0);
		assert_int_equal(flags, t[i].flags);
		assert_string_equal(data, t[i].data);
	}
}

static void data_that_does_not_fit_is_refused(void **state)
{
	unsigned long flags = 0;
	char data[8];

	(void)state;
	assert_int_equal(init_mount_options("abc,def", &flags, data, 8), 0);
	assert_string_equal(data, "abc,def");
	assert_int_equal(init_mount_options("abc,defg", &flags, data, 8),
			 NBD_E_NO_MEMORY);
	assert_int_equal(init_mount_options("abcdefgh", &flags, data, 8),
			 NBD_E_NO_MEMORY);
}

/* ---- the root ---- */

#define LONG "a-type-of-more-than-thirty-one-bytes"

static char dev[32];

static int mount_as(const char *fstype)
{
	const struct root_fs r = { .dev = dev,
				   .target = "/newroot",
				   .fstype = fstype };
	bool fell_back;
	struct nbd_diag d;

	world_reset();
	return init_mount_root(&r, &fell_back, &d);
}

/* systemd, dracut and initramfs-tools take "auto" for no type as well. */
static void a_type_that_is_not_named_is_detected(void **state)
{
	static const char *const types[] = { NULL, "", "auto" };
	char line[100];
	int fd = memfd_create("root", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(pwrite(fd, "XFSB", 4, 0), 4);
	snprintf(dev, sizeof(dev), "/proc/self/fd/%d", fd);
	snprintf(line, sizeof(line), "mount -t xfs -o ro %s /newroot\n", dev);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_int_equal(mount_as(types[i]), 0);
		assert_non_null(strstr(world.story, line));
		assert_null(strstr(world.story, "-t auto"));
	}
	close(fd);
}

/* Those of the root are not those of its /usr, or of an overlay's export. */
static void a_failure_names_the_words_of_its_mount(void **state)
{
	static const struct {
		const char *word, *fstype, *text;
	} t[] = {
		{ "root", NULL, "(rootfstype= names another" },
		{ "mount.usr", NULL, SUPER_TYPES },
		{ NULL, NULL, SUPER_TYPES },
		{ "root", LONG, "rootfstype=" LONG ": too long" },
		{ "mount.usr", LONG, "mount.usrfstype=" LONG ": too long" },
	};
	struct root_fs r = { .target = "/newroot", .dev = dev };
	int fd = memfd_create("root", MFD_CLOEXEC);
	bool fell_back;
	struct nbd_diag d;

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	snprintf(dev, sizeof(dev), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		const char *at;

		world_reset();
		r.word = t[i].word;
		r.fstype = t[i].fstype;
		assert_true(init_mount_root(&r, &fell_back, &d) < 0);
		at = strstr(d.text, t[i].text);
		assert_non_null(at);
		/* no hint is the end of the text */
		if (strcmp(t[i].text, SUPER_TYPES) == 0)
			assert_string_equal(at, SUPER_TYPES);
	}
	close(fd);
}

static void a_failure_has_its_own_reason(void **state)
{
	const struct root_fs r = { .dev = "/dev/none",
				   .target = "/newroot",
				   .fstype = "xfs" };
	bool fell_back;
	struct nbd_diag d;

	(void)state;
	world_reset();
	world_refuses("mount -t xfs *", EINVAL, 0);
	assert_int_equal(init_mount_root(&r, &fell_back, &d), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, strerror(EINVAL)));
}

static void each_type_that_is_named_says_why_it_fails(void **state)
{
	const struct root_fs r = { .dev = "/dev/x",
				   .target = "/newroot",
				   .fstype = "ext4,xfs,f2fs" };
	bool fell_back;
	struct nbd_diag d;

	(void)state;
	world_reset();
	world_refuses("mount -t ext4 *", EUCLEAN, 0);
	world_refuses("mount -t xfs *", EINVAL, 0);
	world_refuses("mount -t f2fs *", EPERM, 0);
	assert_int_equal(init_mount_root(&r, &fell_back, &d), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, strerror(EUCLEAN)));
	assert_non_null(strstr(d.text, strerror(EINVAL)));
	assert_non_null(strstr(d.text, strerror(EPERM)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_become_flags_and_data),
		cmocka_unit_test(data_that_does_not_fit_is_refused),
		cmocka_unit_test(a_type_that_is_not_named_is_detected),
		cmocka_unit_test(a_failure_names_the_words_of_its_mount),
		cmocka_unit_test(a_failure_has_its_own_reason),
		cmocka_unit_test(each_type_that_is_named_says_why_it_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
