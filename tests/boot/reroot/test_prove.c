/* SPDX-License-Identifier: BSD-2-Clause */
/* How the proof mounts a root, whose image may be hostile, and looks at it. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/program.h"
#include "boot/init/super.h"
#include "boot/net/handoff.h"
#include "boot/root/connect.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/module.h"
#include "tests/world/mount.h"
#include "tests/world/path.h"
#include "tests/world/tree.h"

static char disk[] = "/tmp/test_prove.XXXXXX";
static char tree[] = "/tmp/test_prove.tree.XXXXXX";
static const char *type; /* of the file system on it */

int __wrap_unshare(int flags);
int __wrap_unshare(int flags)
{
	assert_int_equal(flags, CLONE_NEWNS);
	return 0;
}

int __wrap_init_super_read(struct super *s, int fd);
int __wrap_init_super_read(struct super *s, int fd)
{
	(void)fd;
	memset(s, 0, sizeof(*s));
	s->type = type;
	return 0;
}

int __wrap_init_program_find(const char *root, const char *wanted,
			     const char **init, struct nbd_diag *d);
int __wrap_init_program_find(const char *root, const char *wanted,
			     const char **init, struct nbd_diag *d)
{
	(void)root, (void)wanted, (void)d;
	*init = "/sbin/init";
	return 0;
}

static void no_file_of_the_image_acts_and_no_journal_is_replayed(void **state)
{
	static const char *const types[][2] = {
		{ "ext4", "noload" },
		{ "xfs", "norecovery" },
		{ "f2fs", "norecovery" },
		{ "btrfs", "rescue=nologreplay" },
		{ "squashfs", "squashfs (ro)" },
	};
	static struct reroot_proof p;
	struct nbd_diag d;
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "root=%s", disk);
	/* the child reports by errno whether a hostile image could do harm */
	world_refuses("mount -t * -o ro,nosuid,nodev* /tmp/*", EUCLEAN, 0);
	world_refuses("mount -t *", EPERM, 0);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		type = types[i][0];
		memset(&p, 0, sizeof(p));
		assert_int_equal(reroot_prove(&p, line, &d), NBD_E_KERNEL);
		if (!strstr(d.text, strerror(EUCLEAN)) ||
		    !strstr(d.text, types[i][1]))
			fail_msg("%s: %s", type, d.text);
	}
}

static void a_device_that_does_not_outlive_the_system_is_refused(void **state)
{
	static struct reroot_proof p;
	struct nbd_diag d;

	(void)state;
	assert_int_equal(reroot_prove(&p, "root=/dev/disk/by-id/x", &d),
			 NBD_E_USAGE);
	assert_non_null(strstr(d.text, "disconnected when the present system"));
}

/* Is a root with what these commands make entered by soft-reboot? */
static bool is_soft(const char *commands)
{
	static struct reroot_proof p;
	struct nbd_diag d;
	char line[512];

	snprintf(line, sizeof(line),
		 "cd %s && rm -rf * && mkdir -p etc usr/lib/systemd/system "
		 "&& cd usr/lib/systemd/system && touch soft-reboot.target && "
		 "cd %s && %s",
		 tree, tree, commands);
	assert_int_equal(system(line), 0);
	snprintf(line, sizeof(line), "root=%s", disk);
	memset(&p, 0, sizeof(p));
	type = "ext4";
	memset(world.refusals, 0, sizeof(world.refusals));
	if (reroot_prove(&p, line, &d))
		fail_msg("%s", d.text);
	return p.soft;
}

static void soft_reboot_needs_os_release_in_the_new_root(void **state)
{
	(void)state;
	assert_true(is_soft("touch etc/os-release"));
	assert_true(is_soft("touch usr/lib/os-release"));
	assert_true(is_soft("touch usr/lib/os-release && "
			    "ln -s /usr/lib/os-release etc/os-release"));
	assert_false(is_soft("true"));
	assert_false(is_soft("ln -s ../usr/lib/os-release etc/os-release"));
}

static void links_of_the_new_root_stay_inside_of_it(void **state)
{
	char here[128];

	(void)state;
	snprintf(here, sizeof(here), "ln -s %s etc/os-release", disk);
	assert_false(is_soft(here));
}

static void soft_reboot_needs_a_systemd_that_knows_it(void **state)
{
	(void)state;
	assert_false(is_soft("touch etc/os-release && "
			     "rm usr/lib/systemd/system/soft-reboot.target"));
}

static char dev[16];

int __wrap_root_connect(struct root_spec *r, const struct root_spec *spec,
			struct root_env *env, const char *name,
			struct device_signals *held, struct nbd_diag *d);
int __wrap_root_connect(struct root_spec *r, const struct root_spec *spec,
			struct root_env *env, const char *name,
			struct device_signals *held, struct nbd_diag *d)
{
	(void)r, (void)spec, (void)env, (void)held;
	snprintf(dev, sizeof(dev), "%s", name);
	return nbd_diag(d, NBD_E_REFUSED, "%s", name);
}

/* The one whose MAC is %m: of the boot, not the first with a link. */
static void an_export_is_that_of_the_roots_interface(void **state)
{
	static const struct {
		const char *lease, *there, *dev;
	} t[] = {
		{ "DEVICE='eth1'\nPROTO='dhcp'\n", "", "eth1" },
		{ "DEVICE='eth1'\nPROTO='dhcp'\n", NULL, "" },
		{ "PROTO='dhcp'\n", "", "" },
		{ NULL, "", "" },
	};
	static const char *const words[] = {
		"root=nbd://s/%m", "root=nbd://s/x nbdboot.overlay=nbd://s/%m"
	};
	static struct reroot_proof p;
	struct nbd_diag d;

	(void)state;
	world_file("/proc/filesystems", "nodev\toverlay\n");
	for (size_t i = 0; i < ARRAY_SIZE(t) * 2; i++) {
		world_file(HANDOFF_LEASE, t[i / 2].lease);
		world_file("/sys/class/net/eth1", t[i / 2].there);
		strcpy(dev, "none");
		assert_int_equal(reroot_prove(&p, words[i % 2], &d),
				 NBD_E_REFUSED);
		assert_string_equal(dev, t[i / 2].dev);
	}
}

static int setup(void **state)
{
	int fd = mkstemp(disk);

	world.others = WORLD_REAL;
	world_file("/proc/meminfo", "MemAvailable: 1048576 kB\n");
	/* it is under another name than its own */
	world_device("/dev/disk/by-id/x", 43, 5);
	assert_non_null(mkdtemp(tree));
	/* as if it were mounted */
	world_link("/run/nbdboot/proof", tree);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static int teardown(void **state)
{
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", tree);
	return unlink(disk) || system(line);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			no_file_of_the_image_acts_and_no_journal_is_replayed),
		cmocka_unit_test(
			a_device_that_does_not_outlive_the_system_is_refused),
		cmocka_unit_test(an_export_is_that_of_the_roots_interface),
		cmocka_unit_test(soft_reboot_needs_os_release_in_the_new_root),
		cmocka_unit_test(links_of_the_new_root_stay_inside_of_it),
		cmocka_unit_test(soft_reboot_needs_a_systemd_that_knows_it),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
