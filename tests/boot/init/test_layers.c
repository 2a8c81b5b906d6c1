/* SPDX-License-Identifier: BSD-2-Clause */
/* Volumes on a disk, on a sysfs and a /dev made for it; the programs are scripts. */
#include "tests/boot/init/image.h"
#include "tests/world/path.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "boot/init/layers.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

#define UUID "0c1b2a39-4857-4675-a483-92a1b0cfdeed"

static char top[] = "/tmp/test_layers.XXXXXX";
#define LONG \
	"/dev/mapper/rhel_ip--192--0--2--1.eu--west--1.compute.internal-root"

static char sys[64], dev[64], list[64], out[64], path[PART_PATH], said[16384];
static struct nbd_diag d;
static sigset_t none;
static const struct layers l = { list, sys, dev, "nbd7", &none };

static void keep(int level, const char *p, size_t len)
{
	size_t n = strlen(said);

	(void)level;
	snprintf(said + n, sizeof(said) - n, "%.*s", (int)len, p);
}

__attribute__((format(printf, 1, 2))) static void run(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	assert_int_equal(system(line), 0);
}

static void write_at(const char *file, off_t at, const void *p, size_t len)
{
	int fd = open(file, O_RDWR | O_CREAT, 0644);

	assert_true(fd >= 0);
	put(fd, at, p, len);
	close(fd);
}

/* Makes dir/name of 1 MiB, with what a kind of device begins with. */
static void fill(const char *dir, const char *name, const char *kind)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	unlink(file);
	write_at(file, 1048575, "", 1);
	if (!strcmp(kind, "luks")) {
		write_at(file, 0, "LUKS\xba\xbe\0\2", 8);
		write_at(file, 168, UUID, 36);
	} else if (!strcmp(kind, "lvm")) {
		write_at(file, 536, "LVM2 001", 8);
	} else if (!strcmp(kind, "md")) {
		write_at(file, 4096, "\xfc\x4e\x2b\xa9\1\0\0\0", 8);
	} else if (!strcmp(kind, "ext4")) {
		write_at(file, 1080, "\x53\xef", 2);
		write_at(file, 1144, name, strlen(name));
	}
}

/* Makes a directory of sysfs with those above it. */
__attribute__((format(printf, 1, 2))) static void make(const char *fmt, ...)
{
	char file[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(file, sizeof(file), fmt, ap);
	va_end(ap);
	for (char *p = file + strlen(sys); (p = strchr(p + 1, '/'));) {
		*p = '\0';
		mkdir(file, 0755);
		*p = '/';
	}
	mkdir(file, 0755);
}

/* A device of sysfs, and the device that it stands on, or NULL. */
static void add_on(const char *name, const char *kind, const char *below)
{
	const char *p = strchr(name, 'p');
	char to[64], file[128];

	fill(dev, name, kind);
	if (p) {
		snprintf(to, sizeof(to), "%.*s/%s", (int)(p - name), name,
			 name);
		make("%s/%s", sys, to);
		snprintf(file, sizeof(file), "%s/%s", sys, name);
		assert_int_equal(symlink(to, file), 0);
		make("%s/%s/partition", sys, name);
	} else {
		make("%s/%s", sys, name);
	}
	if (below) {
		make("%s/%s/slaves/%s", sys, name, below);
		make("%s/%s/holders/%s", sys, below, name);
	}
}

static void add(const char *name, const char *kind)
{
	add_on(name, kind, NULL);
}

/* What appears as a device when a program has run for a layer. */
static void will_be(const char *layer, const char *name, const char *kind)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/later/%s", top, layer);
	run("mkdir -p %s", dir);
	fill(dir, name, kind);
}

static void is_out(const char *want)
{
	char text[4096] = "";

	file_read(AT_FDCWD, out, text, sizeof(text));
	assert_string_equal(text, want);
	unlink(out);
}

static int begin(void **state)
{
	(void)state;
	world.others = WORLD_REAL;
	world_device("/dev/x/root", 1, 3);
	world_device(LONG, 1, 3);
	run("rm -rf %s/* && mkdir -p %s %s/mapper", top, sys, dev);
	run("cat >%s/run <<'E'\n#!/bin/sh\n"
	    "echo \"$@\" | sed 's,%s/,,' >>%s\n"
	    "for p; do case $p in %s/*) p=${p##*/}; break;; esac; done\n"
	    "for f in %s/later/$1/*; do [ ! -e \"$f\" ] || {\n"
	    "mkdir -p %s/${f##*/}/slaves/$p %s/$p/holders/${f##*/}\n"
	    "mv \"$f\" %s; }; done\nE\nchmod 755 %s/run",
	    top, dev, out, dev, top, sys, sys, dev, top);
	run("printf '%%s\\n' 'LVM 9 %s/run LVM %%p' 'LUKS 9 %s/run LUKS %%o %%p "
	    "luks-%%u' 'RAID 9 %s/run RAID %%p' >%s",
	    top, top, top, list);
	said[0] = '\0';
	return 0;
}

static void volumes_are_opened_from_the_lowest_to_the_highest(void **state)
{
	(void)state;
	add("nbd7", "gpt");
	add("nbd7p1", "ext4");
	add("nbd7p2", "md");
	add("nbd7p3", "md");
	add("nbd70", "luks");
	add("sda", "luks");
	will_be("RAID", "md0", "luks");
	will_be("LUKS", "dm-0", "lvm");
	will_be("LVM", "dm-1", "ext4");
	assert_int_equal(init_layers_run(&l), 4);
	run("sed -i 's/nbd7p[23]/PART/' %s", out);
	is_out("RAID PART\nLUKS md0 luks-" UUID "\nLVM dm-0\n");
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 1);
	assert_string_equal(strrchr(path, '/'), "/dm-1");
	/* what is open already stays as it is */
	run("mkdir -p %s/nbd7p2/holders/md0 %s/nbd7p3/holders/md0", sys, sys);
	assert_int_equal(init_layers_run(&l), 0);
}

static void each_volume_of_luks_is_opened_with_a_sound_uuid(void **state)
{
	char file[128];

	(void)state;
	add("nbd7p1", "luks");
	run("echo 1 >%s/nbd7p1/ro", sys);
	add("nbd7p2", "luks");
	snprintf(file, sizeof(file), "%s/nbd7p2", dev);
	write_at(file, 168, "$(id)", 5);
	add("nbd7p3", "luks");
	snprintf(file, sizeof(file), "%s/nbd7p3", dev);
	write_at(file, 168, "\0", 1);
	assert_int_equal(init_layers_run(&l), 3);
	is_out("LUKS --readonly nbd7p1 luks-" UUID "\n");
	assert_non_null(strstr(said, "nbd7p2: its UUID is broken"));
	assert_non_null(strstr(said, "nbd7p3: its UUID is broken"));
}

static void a_stack_without_an_end_has_one(void **state)
{
	(void)state;
	add("nbd7", "luks");
	/* each that is opened is one again */
	run("printf '%%s\\n' 'LUKS 9 %s/run LUKS' >%s", top, list);
	run("cat >%s/run <<'E'\n#!/bin/sh\nn=$(ls %s | wc -l)\n"
	    "mkdir -p %s/dm-$n/slaves/nbd7; cp %s/nbd7 %s/dm-$n\nE\n",
	    top, sys, sys, dev, dev);
	assert_int_equal(init_layers_run(&l), 8);
	assert_non_null(strstr(said, "nbd7: more than 8 volumes lie in each"));
	/* eight, and then an end */
	begin(NULL);
	add("nbd7", "luks");
	run("printf '%%s\\n' 'LUKS 9 %s/run LUKS' >%s", top, list);
	run("cat >%s/run <<'E'\n#!/bin/sh\nn=$(ls %s | wc -l)\n"
	    "mkdir -p %s/dm-$n/slaves/nbd7; [ $n = 8 ] || "
	    "cp %s/nbd7 %s/dm-$n\nE\n",
	    top, sys, sys, dev, dev);
	assert_int_equal(init_layers_run(&l), 8);
	assert_null(strstr(said, "more than"));
}

/* As if each waited for a passphrase. */
static void many_volumes_share_one_limit(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		char name[16];

		snprintf(name, sizeof(name), "nbd7p%u", i);
		add(name, "luks");
	}
	run("printf '%%s\\n' 'LUKS 1 /bin/sleep 1000' 'LUKS 60 %s/run LUKS %%p' "
	    ">%s",
	    top, list);
	assert_int_equal(init_layers_run(&l), 20);
	for (const char *p = said; (p = strstr(p, "its 1 s are over")); p++)
		n++;
	assert_int_equal(n, 19);
	unlink(out);
}

/* As those of LUKS are, if the array is of whole disks. */
static void partitions_of_a_member_are_not_opened_beside_it(void **state)
{
	(void)state;
	add("nbd7", "md");
	add("nbd7p1", "luks");
	will_be("RAID", "md0", "gpt");
	run("mkdir -p %s/later && cat >>%s/run <<'E'\n"
	    "[ $1 != RAID ] || { mkdir %s/md0/md0p1; echo 1 >%s/md0/md0p1/partition\n"
	    "ln -s md0/md0p1 %s; cp %s/nbd7p1 %s/md0p1; }\nE\n",
	    top, top, sys, sys, sys, dev, dev);
	will_be("LUKS", "dm-0", "ext4");
	assert_int_equal(init_layers_run(&l), 2);
	is_out("RAID nbd7\nLUKS md0p1 luks-" UUID "\n");
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 1);
	assert_string_equal(strrchr(path, '/'), "/dm-0");
}

static void what_stands_on_other_disks_is_left_alone(void **state)
{
	(void)state;
	add("nbd7", "gpt");
	add("sda", "gpt");
	add("nbd8", "gpt");
	add_on("dm-0", "luks", "sda");
	add_on("md0", "luks", "nbd8");
	add_on("loop0", "luks", "dm-0");
	assert_int_equal(init_layers_run(&l), 0);
	add_on("dm-1", "ext4", "dm-0");
	assert_int_equal(init_layers_find(path, &l, "LABEL=dm-1", &d), 0);
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 0);
}

static void no_disk_makes_the_walk_fail(void **state)
{
	(void)state;
	assert_int_equal(init_layers_run(&l), 0);
	for (unsigned i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "nbd7p%u", i);
		add(name, "lvm");
	}
	/* the disk is one of the 64, but on tmpfs, which names the last first */
	assert_in_range(init_layers_run(&l), 63, 64);
	assert_non_null(strstr(said, "nbd7: more than 64 devices are on it"));
	run("rm -rf %s", sys);
	assert_int_equal(init_layers_run(&l), 0);
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 0);
}

static void the_root_is_found_by_its_name_or_alone(void **state)
{
	char name[PART_PATH];

	(void)state;
	add("nbd7", "ext4");
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 0);
	add_on("dm-1", "ext4", "nbd7");
	add_on("md5", "ext4", "nbd7");
	run("mkdir %s/dm-1/dm && echo vg-root >%s/dm-1/dm/name", sys, sys);
	run(": >%s/mapper/vg-root", dev);
	assert_int_equal(init_layers_find(path, &l, "LABEL=md5", &d), 1);
	assert_string_equal(strrchr(path, '/'), "/md5");
	assert_int_equal(init_layers_find(path, &l, "LABEL=dm-1", &d), 1);
	assert_string_equal(strrchr(path, '/'), "/vg-root");
	assert_int_equal(init_layers_find(path, &l, "LABEL=nbd7", &d), 0);
	assert_int_equal(init_layers_find(path, &l, "UUID=" UUID, &d), 0);
	assert_int_equal(init_layers_find(path, &l, "2", &d), 0);
	assert_int_equal(init_layers_find(path, &l, NULL, &d), NBD_E_NOT_FOUND);
	assert_non_null(strstr(said, "/mapper/vg-root: ext4"));
	assert_non_null(strstr(said, "/md5: ext4"));
	/* a plain file is no device */
	assert_int_equal(init_layers_find(path, &l, list, &d), NBD_E_NOT_FOUND);
	/* names that are no names, and half of one */
	run("echo ../../etc/passwd >%s/dm-1/dm/name", sys);
	assert_int_equal(init_layers_find(path, &l, "LABEL=dm-1", &d), 1);
	assert_string_equal(strrchr(path, '/'), "/dm-1");
	memset(name, 'x', sizeof(name));
	name[PART_PATH - 1] = '\0';
	run(": >%s/mapper/%s; echo %sy >%s/dm-1/dm/name", dev, name, name, sys);
	assert_int_equal(init_layers_find(path, &l, "LABEL=dm-1", &d), 1);
	assert_string_equal(strrchr(path, '/'), "/dm-1");
}

/* The number of a device that is there in any place. */
static void is_device(const char *name)
{
	run("echo 1:3 >%s/%s/dev", sys, name);
}

static void a_path_must_be_of_the_disk_or_above_it(void **state)
{
	static const char *const devices[] = { "nbd7", "nbd7p1", "dm-0" };

	(void)state;
	add("nbd7p1", "gpt");
	add_on("dm-0", "ext4", "nbd7p1");
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		is_device(devices[i]);
		assert_int_equal(init_layers_find(path, &l, "/dev/x/root", &d),
				 1);
		assert_string_equal(path, "/dev/x/root");
		/* of a volume group that is named after its machine */
		assert_int_equal(init_layers_find(path, &l, LONG, &d), 1);
		assert_string_equal(path, LONG);
		run("rm %s/%s/dev", sys, devices[i]);
	}
	add("sda", "ext4");
	is_device("sda");
	assert_int_equal(init_layers_find(path, &l, "/dev/x/root", &d),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "/dev/x/root: this block device is not "
				       "on nbd7; 1 file systems"));
	assert_non_null(strstr(said, "/dm-0: ext4"));
	assert_null(strstr(said, "sda"));
}

static void label(const char *name, const char *text)
{
	char file[128], all[16] = "";

	snprintf(file, sizeof(file), "%s/%s", dev, name);
	snprintf(all, sizeof(all), "%s", text);
	write_at(file, 1144, all, sizeof(all));
}

/* Snapshots, legs of mirrors and copies have the label of their origin. */
static void a_label_that_fits_several_is_refused_with_all_of_them(void **state)
{
	(void)state;
	add("nbd7p1", "lvm");
	add("nbd7p2", "ext4");
	add_on("dm-0", "ext4", "nbd7p1");
	add_on("dm-1", "ext4", "dm-0");
	add_on("dm-2", "ext4", "dm-0");
	label("dm-0", "root");
	label("dm-1", "root");
	/* what others stand on does not count */
	assert_int_equal(init_layers_find(path, &l, "LABEL=root", &d), 1);
	assert_string_equal(strrchr(path, '/'), "/dm-1");
	label("dm-2", "root");
	assert_int_equal(init_layers_find(path, &l, "LABEL=root", &d),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "LABEL=root fits 2 file systems on "
				       "nbd7: "));
	assert_non_null(strstr(said, "/dm-1: ext4"));
	assert_non_null(strstr(said, "/dm-2: ext4"));
	assert_null(strstr(said, "/dm-0: ext4"));
	/* a partition and a volume */
	label("dm-2", "nbd7p2");
	assert_int_equal(init_layers_find(path, &l, "LABEL=nbd7p2", &d),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(said, "/nbd7p2: ext4"));
	label("dm-2", "");
	assert_int_equal(init_layers_find(path, &l, "LABEL=nbd7p2", &d), 0);
}

/* What udev's database gets of mappings, and loses again. */
static void udev_learns_of_mappings_until_all_is_undone(void **state)
{
	char data[64], text[64];

	(void)state;
	snprintf(data, sizeof(data), "%s/data", top);
	add("nbd7p1", "luks");
	add_on("dm-0", "ext4", "nbd7p1");
	add_on("dm-1", "ext4", "sda");
	add_on("md0", "ext4", "nbd7p1");
	run("echo 254:0 >%s/dm-0/dev; echo 254:1 >%s/dm-1/dev; "
	    "echo 9:0 >%s/md0/dev",
	    sys, sys, sys);
	init_udev_tell(&l, data);
	run("[ \"$(ls %s)\" = b254:0 ]", data);
	nbd_fmt(text, sizeof(text), "%s/b254:0", data);
	file_read(AT_FDCWD, text, said, sizeof(said));
	assert_string_equal(said, "E:DM_UDEV_PRIMARY_SOURCE_FLAG=1\n");
	run("echo I:1 >%s/b254:1", data);
	init_udev_forget(data);
	run("[ \"$(ls %s)\" = b254:1 ]", data);
	/* none was written */
	run("rm -r %s", data);
	init_udev_forget(data);
}

static int remove_all(void **state)
{
	(void)state;
	run("rm -rf %s", top);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			volumes_are_opened_from_the_lowest_to_the_highest,
			begin),
		cmocka_unit_test_setup(
			each_volume_of_luks_is_opened_with_a_sound_uuid, begin),
		cmocka_unit_test_setup(a_stack_without_an_end_has_one, begin),
		cmocka_unit_test_setup(no_disk_makes_the_walk_fail, begin),
		cmocka_unit_test_setup(many_volumes_share_one_limit, begin),
		cmocka_unit_test_setup(
			partitions_of_a_member_are_not_opened_beside_it, begin),
		cmocka_unit_test_setup(what_stands_on_other_disks_is_left_alone,
				       begin),
		cmocka_unit_test_setup(the_root_is_found_by_its_name_or_alone,
				       begin),
		cmocka_unit_test_setup(a_path_must_be_of_the_disk_or_above_it,
				       begin),
		cmocka_unit_test_setup(
			a_label_that_fits_several_is_refused_with_all_of_them,
			begin),
		cmocka_unit_test_setup(
			udev_learns_of_mappings_until_all_is_undone, begin),
	};

	sigemptyset(&none);
	if (!mkdtemp(top))
		return 1;
	snprintf(sys, sizeof(sys), "%s/sys", top);
	snprintf(dev, sizeof(dev), "%s/dev", top);
	snprintf(list, sizeof(list), "%s/list", top);
	snprintf(out, sizeof(out), "%s/out", top);
	boot_console_log = keep;
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
