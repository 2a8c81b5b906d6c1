/* SPDX-License-Identifier: BSD-2-Clause */
/* Volumes on a disk, on a sysfs and a /dev made for it; the programs are scripts. */
#include "tests/boot/init/image.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "boot/init/layers.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

#define UUID "0c1b2a39-4857-4675-a483-92a1b0cfdeed"

static char top[] = "/tmp/test_layers.XXXXXX";
static char sys[64], dev[64], list[64], out[64], path[PART_PATH], said[4096];
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
	run("rm -f %s && truncate -s 1M %s", file, file);
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

static void add(const char *name, const char *kind)
{
	fill(dev, name, kind);
	run("mkdir -p %s/%s", sys, name);
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
	run("rm -rf %s/* && mkdir -p %s %s/mapper", top, sys, dev);
	run("cat >%s/run <<'E'\n#!/bin/sh\n"
	    "echo \"$@\" | sed 's,%s/,,' >>%s\n"
	    "for f in %s/later/$1/*; do [ ! -e \"$f\" ] || {\n"
	    "mkdir -p %s/${f##*/}; mv \"$f\" %s; }; done\nE\nchmod 755 %s/run",
	    top, dev, out, top, sys, dev, top);
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
	assert_int_equal(init_layers_run(&l), 4);
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
	    "mkdir %s/dm-$n; cp %s/nbd7 %s/dm-$n\nE\n",
	    top, sys, sys, dev, dev);
	assert_int_equal(init_layers_run(&l), 8);
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
	assert_int_equal(init_layers_run(&l), 64);
	run("rm -rf %s", sys);
	assert_int_equal(init_layers_run(&l), 0);
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 0);
}

static void the_root_is_found_by_its_name_or_alone(void **state)
{
	(void)state;
	add("nbd7", "ext4");
	assert_int_equal(init_layers_find(path, &l, NULL, &d), 0);
	add("dm-1", "ext4");
	add("md5", "ext4");
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
	/* names that are no names */
	run("echo ../../etc/passwd >%s/dm-1/dm/name", sys);
	assert_int_equal(init_layers_find(path, &l, "LABEL=dm-1", &d), 1);
	assert_string_equal(strrchr(path, '/'), "/dm-1");
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
		cmocka_unit_test_setup(the_root_is_found_by_its_name_or_alone,
				       begin),
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
