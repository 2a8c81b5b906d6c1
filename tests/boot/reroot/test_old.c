/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for the way back, on machines that got their roots in many ways. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/init/overlay.h"
#include "boot/mapper/mapper.h"
#include "boot/reroot/after.h"
#include "boot/net/handoff.h"
#include "boot/root/handed.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/path.h"
#include "tests/world/open.h"
#include "tests/world/nbdk.h"

#define HANDED "nbdroot=nbd://h/x ip=192.0.2.5:::255.255.255.0:::off "

/* The machine. */
static const char *device;  /* DEVNAME of the root, or of an overlay's; NULL */
static const char *mounts;  /* /proc/self/mounts */
static const char *cmdline; /* /proc/cmdline */
static const char *later;   /* REROOT_LINE, or NULL */
static const char *backend; /* of the device, or NULL: there is none */
static bool handed;	    /* the firmware hands words over */
static bool ours;	    /* HANDOFF_LEASE exists */
static bool lower;	    /* OVERLAY_LOWER exists */
static bool in_ram;
static bool verified;	  /* it is read through its hashes */
static bool volume;	  /* it is a volume of another program */
static const char *below; /* what it maps, or NULL: it is no mapping of ours */

static struct reroot_words w;
static struct nbd_diag d;

int __wrap_statfs(const char *path, struct statfs *fs);
int __wrap_statfs(const char *path, struct statfs *fs)
{
	assert_string_equal(path, "/");
	memset(fs, 0, sizeof(*fs));
	fs->f_type = in_ram ? TMPFS_MAGIC : EXT4_SUPER_MAGIC;
	return 0;
}

bool __wrap_mapper_has_cover(void);
bool __wrap_mapper_has_cover(void)
{
	return verified;
}

bool __wrap_mapper_is_volume(const char *sys, const char *name);
bool __wrap_mapper_is_volume(const char *sys, const char *name)
{
	assert_string_equal(sys, "/sys/class/block");
	assert_string_equal(name, device);
	return volume;
}

bool __wrap_mapper_is_root(const char *sys, const char *name,
			   char of[MAPPER_DEVICE]);
bool __wrap_mapper_is_root(const char *sys, const char *name,
			   char of[MAPPER_DEVICE])
{
	assert_string_equal(sys, "/sys/class/block");
	assert_string_equal(name, device);
	if (below)
		nbd_fmt(of, MAPPER_DEVICE, "%s", below);
	return below;
}

int __wrap_root_handed(struct cmdline *c, struct nbd_diag *why);
int __wrap_root_handed(struct cmdline *c, struct nbd_diag *why)
{
	char line[CMDLINE_MAX];

	if (!handed || root_named(c))
		return 0;
	assert_int_equal(root_handed_join(line, HANDED, c), 0);
	return boot_cmdline_parse(c, line, why) ? NBD_E_USAGE : 1;
}

static int reset(void **state)
{
	(void)state;
	device = "nbd7p2";
	mounts = "/dev/nbd7p2 / ext4 rw,relatime 0 0\n";
	cmdline = "quiet root=UUID=1-2 rootflags=noatime";
	later = NULL;
	backend = "nbd://192.0.2.1/x";
	handed = lower = in_ram = verified = volume = false;
	ours = true;
	below = NULL;
	return 0;
}

/* A long list, of which the last line about / counts. */
static const char *long_list(void)
{
	static char text[65536];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	nbd_putf(&o, "none / rootfs ro 0 0\n");
	for (unsigned i = 0; i < 3000; i++)
		nbd_putf(&o, "a /b tmpfs ro 0 0\n");
	nbd_putf(&o, "%s", mounts);
	assert_false(o.cut);
	text[o.len] = '\0';
	return text;
}

static void lay_out(void)
{
	static char line[CMDLINE_MAX], uevent[128];
	const struct stat disk = { .st_dev = makedev(43, 2) };
	const struct stat overlay = { .st_dev = makedev(0, 9) };

	nbd_fmt(line, sizeof(line), "%s\n", cmdline);
	nbd_fmt(uevent, sizeof(uevent), "MAJOR=43\nMINOR=2\nDEVNAME=%s\nX=1\n",
		device ? device : "");
	world = (struct world){ .others = WORLD_ABSENT };
	world.nbdk_error = backend ? 0 : NBD_E_NO_DEVICE;
	nbd_fmt(world.nbdk.backend, sizeof(world.nbdk.backend), "%s",
		backend ? backend : "");
	world_stat("/", lower ? overlay : disk);
	if (lower)
		world_stat(OVERLAY_LOWER, disk);
	world_file(HANDOFF_LEASE, ours ? "" : NULL);
	world_file(REROOT_LINE, later);
	world_file("/proc/cmdline", line);
	world_file("/proc/self/mounts", long_list());
	world_file("/sys/dev/block/43:2/uevent", device ? uevent : NULL);
}

static int compose(bool force)
{
	static struct reroot_old o;

	d.text[0] = '\0';
	lay_out();
	assert_int_equal(reroot_old_read(&o, &d), 0);
	return reroot_old_words(&w, &o, force, &d);
}

static void leads_back_by(const char *words)
{
	if (compose(false))
		fail_msg("%s", d.text);
	assert_string_equal(w.text, words);
}

/* The boot must understand them. */
static void connects(const char *host, const char *part)
{
	static struct root_spec r;
	static struct cmdline c;

	assert_int_equal(boot_cmdline_parse(&c, w.text, &d), 0);
	if (root_parse(&r, &c, &d))
		fail_msg("%s", d.text);
	assert_string_equal(r.uri[0].host, host);
	if (part)
		assert_string_equal(r.part, part);
	else
		assert_null(r.part);
}

static void refused(const char *why)
{
	assert_int_equal(compose(false), NBD_E_KERNEL);
	if (!strstr(d.text, why) || !strstr(d.text, "(-f goes on)"))
		fail_msg("\"%s\" is not in \"%s\"", why, d.text);
	assert_int_equal(compose(true), 0);
	assert_string_equal(w.text, "");
}

static void a_disk_of_the_machine_is_named(void **state)
{
	(void)state;
	device = "vda1";
	leads_back_by("root=/dev/vda1 rootfstype=ext4 rw");
	mounts = "/dev/vda1 / xfs ro 0 0\n";
	cmdline = "ip=dhcp nbdboot.debug";
	leads_back_by("ip=dhcp nbdboot.debug root=/dev/vda1 rootfstype=xfs ro");
	ours = false;
	leads_back_by("nbdboot.debug root=/dev/vda1 rootfstype=xfs ro");
}

static void a_command_line_that_names_the_server_stays(void **state)
{
	(void)state;
	cmdline = "quiet root=nbd://h/%h,nbd://i/%h ip=dhcp rootfstype=ext4 rw";
	leads_back_by(cmdline);
	cmdline = "root=UUID=1-2 netroot=nbd:h:x:ext4:noatime:-C4";
	leads_back_by(cmdline);
	/* as does that of the last reroot */
	later = "root=nbd://other/x rw";
	leads_back_by(later);
}

static void words_of_the_firmware_are_joined(void **state)
{
	(void)state;
	handed = true;
	leads_back_by(HANDED " quiet root=UUID=1-2 rootflags=noatime");
	connects("h", "UUID=1-2");
	/* not to those of a reroot */
	later = "root=nbd://other/x rw";
	leads_back_by(later);
	later = "ip=dhcp";
	leads_back_by("ip=dhcp root=nbd://192.0.2.1/x nbdboot.part=2 "
		      "rootfstype=ext4 rw");
}

static void else_the_device_names_the_server(void **state)
{
	(void)state;
	leads_back_by("rootflags=noatime root=nbd://192.0.2.1/x "
		      "nbdboot.part=2 rootfstype=ext4 rw");
	connects("192.0.2.1", "2");
	/* what DHCP names may have changed since */
	cmdline = "root=dhcp ip=eth0:dhcp nbdboot.tls=require";
	backend = "nbds://a/x,nbds://b/x?tls-psk-file=/etc/k connections=4 "
		  "slots=6 port=50000 dead-timeout=9 swap";
	device = "nbd7";
	leads_back_by("ip=eth0:dhcp nbdboot.tls=require root=nbds://a/x,"
		      "nbds://b/x?tls-psk-file=/etc/k nbdboot.connections=4 "
		      "nbdboot.slots=6 rootfstype=ext4 rw");
	connects("a", NULL);
}

/* A word or a quote of it would be read by the boot. */
static void a_backend_cannot_add_words(void **state)
{
	(void)state;
	backend = "nbd://h/x init=/bin/sh";
	refused("/dev/nbd7p2");
	backend = "nbd://h/x\ninit=/bin/sh";
	refused("/dev/nbd7p2");
	backend = "nbd://h/%22x%20y%25h%2C";
	cmdline = "";
	leads_back_by("root=nbd://h/%22x%20y%25h, nbdboot.part=2 "
		      "rootfstype=ext4 rw");
	connects("h", "2");
}

static void a_root_that_cannot_be_named_is_refused(void **state)
{
	static const char server[] = "(/dev/nbd7p2) could not be mounted again "
				     "if the new one fails, as neither the "
				     "kernel command line nor its device names "
				     "its server";

	(void)state;
	backend = "";
	refused(server);
	backend = "disk0"; /* of another program */
	refused(server);
	backend = NULL;
	refused(server);
	/* no URI has these */
	backend = "nbds://h/x ca=/etc/ca.pem";
	refused(server);
	device = "dm-0";
	mounts = "/dev/mapper/r / ext4 rw 0 0\n";
	refused("(ext4) could not be mounted again if the new one fails (-f");
}

static void without_a_backend_dhcp_is_asked_again(void **state)
{
	(void)state;
	cmdline = "root=dhcp ip=dhcp";
	backend = "";
	leads_back_by(cmdline);
}

static void an_overlay_is_made_again(void **state)
{
	(void)state;
	lower = true;
	mounts = "overlay / overlay rw,lowerdir=/run/nbdboot/lower 0 0\n";
	cmdline = "root=LABEL=x nbdboot.overlay=size=1g \"rootflags=a b\"";
	leads_back_by("nbdboot.overlay=size=1g \"rootflags=a b\" "
		      "root=nbd://192.0.2.1/x nbdboot.part=2 rw");
	cmdline = "root=nbd://h/x nbdboot.overlay";
	leads_back_by(cmdline);
	/* of a copy in RAM */
	device = "loop0";
	leads_back_by(cmdline);
	/* of another program */
	lower = false;
	refused("(overlay) could not be mounted again");
}

static void a_copy_in_ram_is_made_again(void **state)
{
	(void)state;
	device = "loop0p2";
	cmdline = "root=nbd://h/x nbdboot.toram ip=dhcp rw";
	leads_back_by(cmdline);
	/* another loop device may be on any file system */
	cmdline = "root=nbd://h/x ip=dhcp rw";
	refused("(ext4) could not be mounted again");
}

/* Its initramfs knows the hash, and the words for the way back have none. */
static void a_verified_root_is_verified_again(void **state)
{
	(void)state;
	lower = verified = true;
	device = "dm-1";
	mounts = "overlay / overlay rw,lowerdir=/run/nbdboot/lower 0 0\n";
	cmdline = "root=nbd://h/x nbdboot.overlay roothash=12";
	leads_back_by(cmdline);
	cmdline = "root=nbd://h/x nbdboot.overlay rd.roothash=12";
	leads_back_by(cmdline);
	cmdline = "root=nbd://h/x nbdboot.overlay";
	refused("(overlay) could not be mounted again if the new one "
		"fails, as only its initramfs has its root hash");
	cmdline = "root=dhcp nbdboot.overlay ip=dhcp";
	refused("(overlay) could not be mounted again if the new one "
		"fails, as only its initramfs has its root hash");
	/* a mapping of nbdboot.prefetch= */
	verified = false;
	leads_back_by(cmdline);
	/* a copy in RAM, without an overlay */
	lower = false;
	verified = true;
	mounts = "/dev/dm-1 / ext4 ro 0 0\n";
	cmdline = "root=nbd://h/x nbdboot.toram ip=dhcp";
	refused("only its initramfs has its root hash");
}

/* An initramfs has put it together, which a reroot does not start. */
static void a_root_on_a_volume_is_named_as_that(void **state)
{
	static const char why[] = "as it lies on a volume of LVM or LUKS or an "
				  "array of md, which only an initramfs opens";

	(void)state;
	volume = true;
	device = "dm-1";
	cmdline = "root=/dev/mapper/vg-root nbdroot=nbd://h/x ip=dhcp";
	mounts = "/dev/mapper/vg-root / ext4 rw 0 0\n";
	refused(why);
	device = "md0p1";
	refused(why);
	/* the command line would lead to no root, below an overlay too */
	lower = true;
	mounts = "overlay / overlay rw,lowerdir=/run/nbdboot/lower 0 0\n";
	cmdline = "root=nbd://h/x nbdboot.overlay";
	refused(why);
	cmdline = "root=nbd://h/x nbdboot.toram";
	refused(why);
}

static void a_root_on_a_mapping_is_that_of_its_device(void **state)
{
	(void)state;
	device = "dm-0";
	below = "nbd7p2";
	mounts = "/dev/dm-0 / ext4 rw,relatime 0 0\n";
	cmdline = "root=dhcp ip=dhcp nbdboot.prefetch";
	leads_back_by("ip=dhcp nbdboot.prefetch root=nbd://192.0.2.1/x "
		      "nbdboot.part=2 rootfstype=ext4 rw");
	cmdline = "root=nbd://h/x nbdboot.prefetch=nbd://h/list";
	leads_back_by(cmdline);
}

static void from_ram_there_is_no_way_back(void **state)
{
	(void)state;
	in_ram = true;
	device = NULL;
	leads_back_by("");
}

/* Of it only /usr is from the server; the words say how it is put together. */
static void a_root_in_ram_with_usr_of_a_server_is_made_again(void **state)
{
	(void)state;
	in_ram = true;
	device = NULL;
	mounts = "tmpfs / tmpfs rw 0 0\n";
	cmdline = "root=tmpfs netroot=nbd://h/x ip=dhcp";
	leads_back_by(cmdline);
	verified = true;
	cmdline = "root=tmpfs netroot=nbd://h/x usrhash=12 nbdboot.toram";
	leads_back_by(cmdline);
	cmdline = "root=nbd://h/x systemd.volatile=yes";
	refused("only its initramfs has its root hash");
	verified = false;
	leads_back_by(cmdline);
}

/* The device of the root says nothing of /usr. */
static void usr_beside_a_root_is_mounted_again(void **state)
{
	static const char hash[] = "root=nbd://h/x rw usrhash="
				   "0123456789abcdef0123456789abcdef";

	(void)state;
	verified = true;
	cmdline = hash;
	leads_back_by(cmdline);
	verified = false;
	cmdline = "root=dhcp ip=dhcp mount.usr=LABEL=usr";
	leads_back_by(cmdline);
	cmdline = "quiet root=UUID=1-2 mount.usr=LABEL=usr";
	refused("as neither the kernel command line nor its device names its");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_disk_of_the_machine_is_named, reset),
		cmocka_unit_test_setup(
			a_command_line_that_names_the_server_stays, reset),
		cmocka_unit_test_setup(words_of_the_firmware_are_joined, reset),
		cmocka_unit_test_setup(else_the_device_names_the_server, reset),
		cmocka_unit_test_setup(a_backend_cannot_add_words, reset),
		cmocka_unit_test_setup(a_root_that_cannot_be_named_is_refused,
				       reset),
		cmocka_unit_test_setup(without_a_backend_dhcp_is_asked_again,
				       reset),
		cmocka_unit_test_setup(an_overlay_is_made_again, reset),
		cmocka_unit_test_setup(a_copy_in_ram_is_made_again, reset),
		cmocka_unit_test_setup(a_verified_root_is_verified_again,
				       reset),
		cmocka_unit_test_setup(a_root_on_a_volume_is_named_as_that,
				       reset),
		cmocka_unit_test_setup(
			a_root_on_a_mapping_is_that_of_its_device, reset),
		cmocka_unit_test_setup(from_ram_there_is_no_way_back, reset),
		cmocka_unit_test_setup(
			a_root_in_ram_with_usr_of_a_server_is_made_again,
			reset),
		cmocka_unit_test_setup(usr_beside_a_root_is_mounted_again,
				       reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
