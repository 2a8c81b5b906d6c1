/* SPDX-License-Identifier: BSD-2-Clause */
/* The root among the partitions of a disk, on a sysfs and a /dev made for it. */
#include "tests/boot/init/gpt_bad.h"
#include "tests/boot/init/image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "boot/init/discover.h"
#include "boot/init/gpt.h"
#include "boot/init/version_order.h"
#include "boot/system/console.h"

#if defined(__x86_64__)
#define USR    "8484680c-9521-48c6-9c11-b0720656f69e"
#define OURS   "4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
#define OTHERS "b921b045-1df0-41c3-af44-4c6f280d3fae"
#elif defined(__i386__)
#define USR    "75250d76-8cc6-458e-bd66-bd47cc81a812"
#define OURS   "44479540-f297-41b2-9af7-d131d5f0458a"
#define OTHERS "4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
#elif defined(__aarch64__)
#define USR    "b0e01050-ee5f-4390-949a-9101b17104e9"
#define OURS   "b921b045-1df0-41c3-af44-4c6f280d3fae"
#define OTHERS "4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
#elif defined(__arm__)
#define USR    "7d0359a3-02b3-4f0a-865c-654403e70625"
#define OURS   "69dad710-2ce4-4e3c-b16c-21a1d49abed3"
#define OTHERS "4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
#elif defined(__s390x__)
#define USR    "8a4f5770-50aa-4ed3-874a-99b710db6fea"
#define OURS   "5eead9a9-fe09-4a1e-a1d7-520d00531306"
#define OTHERS "4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
#else
#define USR    "beaec34b-8442-439b-a40b-984381ed097d"
#define OURS   "72ec70a6-cf74-40e6-bd49-4bda08e8f224"
#define OTHERS "4f68bce3-e8cd-4db1-96e7-fbcaf984b709"
#endif
#define LINUX "0fc63daf-8483-4772-8e79-3d69d8477de4"
#define DATA  "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
#define ESP   "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
#define SWAP  "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f"
#define HOME  "933ac7e1-2eb4-4f13-b844-0e14e2aef915"

static char top[] = "/tmp/test_discover.XXXXXX";
static char sys[64], dev[64], path[PART_PATH], said[4096];
static struct nbd_diag d;
static struct cmdline cmd;
static struct root_spec spec;
static bool read_only;

static void keep(const char *p, size_t len)
{
	size_t n = strlen(said);

	snprintf(said + n, sizeof(said) - n, "%.*s", (int)len, p);
}

static void write_at(const char *name, off_t at, const void *p, size_t len)
{
	char file[128];
	int fd;

	snprintf(file, sizeof(file), "%s/%s", dev, name);
	fd = open(file, O_RDWR | O_CREAT, 0644);
	assert_true(fd >= 0);
	put(fd, at, p, len);
	close(fd);
}

static void run(const char *cmdline)
{
	assert_int_equal(system(cmdline), 0);
}

/* Partition n, which starts at MiB n, with the file system `type`. */
static void add(unsigned n, const char *type)
{
	char text[512], name[16];

	snprintf(
		text, sizeof(text),
		"mkdir -p %s/nbd7/nbd7p%u && echo %u >%s/nbd7/nbd7p%u/start && "
		"rm -f %s/nbd7p%u && truncate -s 1M %s/nbd7p%u",
		sys, n, n * 2048, sys, n, dev, n, dev, n);
	run(text);
	snprintf(name, sizeof(name), "nbd7p%u", n);
	if (!strcmp(type, "ext4"))
		write_at(name, 1080, "\x53\xef", 2);
	if (!strcmp(type, "vfat")) {
		write_at(name, 82, "FAT32   ", 8);
		write_at(name, 510, "\x55\xaa", 2);
	}
}

/* A disk with a table of these lines of sfdisk, and partitions of no type. */
static void disk(const char *label, const char *const lines[], unsigned n)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "rm -rf %s %s && mkdir -p %s/nbd7/queue %s && "
		 "echo 512 >%s/nbd7/queue/logical_block_size && "
		 "truncate -s 16M %s/nbd7",
		 sys, dev, sys, dev, sys, dev);
	run(text);
	snprintf(text, sizeof(text), "printf 'label: %s\\n", label);
	for (unsigned i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%u: start=%uMiB, size=1MiB, %s\\n", i + 1, i + 1,
			 lines[i]);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "' | sfdisk -q %s/nbd7", dev);
	run(text);
	for (unsigned i = 0; i < n; i++)
		add(i + 1, "");
	cmd = (struct cmdline){ 0 };
	spec = (struct root_spec){ .cmd = &cmd };
}

static int discover(void)
{
	said[0] = d.text[0] = '\0';
	read_only = true;
	return init_discover(path, sys, dev, "nbd7", &spec, &read_only, &d);
}

/* n: 0 is the whole disk. */
static void assert_found(unsigned n)
{
	char want[128];

	assert_int_equal(discover(), 0);
	snprintf(want, sizeof(want), n ? "%s/nbd7p%u" : "%s/nbd7", dev, n);
	assert_string_equal(path, want);
}

#define GPT(...)                                          \
	disk("gpt", (const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void the_partition_marked_as_the_root_of_this_cpu_is_taken(void **state)
{
	(void)state;
	GPT("type=" ESP, "type=" LINUX, "type=" OTHERS, "type=" SWAP,
	    "type=" OURS, "type=" HOME);
	add(2, "ext4");
	assert_found(5);
	assert_false(read_only);
	/* and a word that names another counts */
	spec.part = "2";
	assert_int_equal(
		init_discover(path, sys, dev, "nbd7", &spec, &read_only, &d),
		NBD_E_NOT_FOUND); /* nothing but starts is in this sysfs */
	assert_non_null(strstr(d.text, "nbdboot.part=2"));
}

static void the_newest_of_several_roots_is_taken(void **state)
{
	(void)state;
	GPT("type=" OURS ", name=os_1.9", "type=" OURS ", name=os_1.10",
	    "type=" OURS ", name=os_1.10~rc1", "type=" OURS ", name=_empty",
	    "type=" OURS ", name=os_1.10");
	assert_found(2);
}

static void flags_of_the_table_are_obeyed(void **state)
{
	(void)state;
	GPT("type=" OURS ", attrs=\"GUID:63\"",
	    "type=" OURS ", attrs=\"GUID:60 GUID:59\"");
	assert_found(2);
	assert_true(read_only);
	GPT("type=" OURS ", attrs=\"GUID:63\"",
	    "type=" LINUX ", attrs=\"GUID:63\"", "type=" LINUX);
	assert_found(3);
	assert_false(read_only);
}

static void the_only_partition_of_linux_is_taken(void **state)
{
	(void)state;
	GPT("type=" ESP, "type=" LINUX, "type=" SWAP, "type=" DATA);
	add(4, "vfat");
	assert_found(2);
	add(4, "ext4");
	assert_int_equal(discover(), NBD_E_NOT_FOUND);
	disk("dos", (const char *const[]){ "type=c", "type=83", "type=82" }, 3);
	add(1, "vfat");
	add(2, "ext4");
	assert_found(2);
}

/* Each time that a disk far away is read costs a round trip. */
static void a_disk_without_partitions_is_not_read(void **state)
{
	struct inotify_event opened;
	char file[128];
	int fd = inotify_init1(IN_NONBLOCK);

	(void)state;
	assert_true(fd >= 0);
	GPT("type=" LINUX);
	snprintf(file, sizeof(file), "%s/nbd7", dev);
	assert_true(inotify_add_watch(fd, file, IN_OPEN) >= 0);
	assert_found(1);
	assert_int_equal(read(fd, &opened, sizeof(opened)), sizeof(opened));
	snprintf(file, sizeof(file), "rm -r %s/nbd7/nbd7p1", sys);
	run(file);
	assert_found(0);
	assert_int_equal(read(fd, &opened, sizeof(opened)), -1);
	close(fd);
}

static void a_choice_is_left_to_the_user_with_a_list(void **state)
{
	(void)state;
	GPT("type=" ESP, "type=" LINUX ", name=boot", "type=" LINUX,
	    "type=" OTHERS, "type=" OURS ", attrs=\"GUID:63\"");
	add(1, "vfat");
	add(3, "ext4");
	assert_int_equal(discover(), NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "nbd7 has 5 partitions"));
	assert_non_null(strstr(d.text, "2 could be"));
	assert_non_null(strstr(d.text, "nbdboot.part="));
	assert_non_null(strstr(said, "nbdboot.part=1: vfat, type EFI system"));
	assert_non_null(strstr(said, "nbdboot.part=2: unknown contents, type "
				     "Linux, PARTLABEL=boot\n"));
	assert_non_null(strstr(said, "nbdboot.part=3: ext4, type Linux\n"));
	assert_non_null(strstr(said, "nbdboot.part=4: unknown contents, type "
				     "root of "));
	assert_non_null(strstr(said, ", no-auto\n"));
}

static void a_word_of_systemd_turns_it_off(void **state)
{
	static const char *const off[] = { "0", "no", "false", "off" };

	(void)state;
	GPT("type=" OURS);
	for (size_t i = 0; i < ARRAY_SIZE(off); i++) {
		cmd.gpt_auto = off[i];
		assert_int_equal(discover(), NBD_E_NOT_FOUND);
		assert_non_null(strstr(d.text, "systemd.gpt_auto=0"));
		assert_non_null(strstr(said, "nbdboot.part=1"));
	}
	cmd.gpt_auto = "1";
	assert_found(1);
}

/* What is in a root that is to be verified must not choose it. */
static void a_root_to_be_verified_is_not_looked_for(void **state)
{
	(void)state;
	GPT("type=" OURS ", attrs=\"GUID:60\"");
	cmd.roothash = "";
	assert_found(0);
	assert_false(read_only);
	cmd.roothash = NULL;
	assert_found(1);
}

static void
a_disk_with_a_file_system_or_without_partitions_is_whole(void **state)
{
	(void)state;
	GPT("type=" OURS);
	write_at("nbd7", 32769, "CD001", 5);
	assert_found(0);
	GPT("type=" OURS);
	write_at("nbd7", 65600, "_BHRfS_M", 8);
	assert_found(0);
	assert_false(read_only);
	disk("gpt", NULL, 0);
	assert_found(0);
}

/* The bytes may change behind the kernel's back. */
static void an_entry_that_is_not_the_kernels_partition_is_ignored(void **state)
{
	(void)state;
	GPT("type=" LINUX, "type=" OURS);
	assert_found(2);
	write_at("nbd7", 1024 + 128 + 32, "\x01\x10", 2);
	assert_found(1);
	write_at("nbd7", 1024 + 32, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	assert_int_equal(discover(), NBD_E_NOT_FOUND);
}

static void a_hostile_table_marks_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gpt_bad); i++) {
		GPT("type=" OURS, "type=" ESP);
		write_at("nbd7", gpt_bad[i].at, gpt_bad[i].bytes, 8);
		assert_int_equal(discover(), NBD_E_NOT_FOUND);
	}
}

/* A table at the second sector of 4096 bytes, with larger entries. */
static void sectors_of_4096_bytes_are_counted_as_such(void **state)
{
	unsigned char entry[128] = { 0 };
	char file[128], text[256];

	(void)state;
	GPT("type=" OURS);
	snprintf(file, sizeof(file), "%s/nbd7", dev);
	run((snprintf(text, sizeof(text),
		      "cd %s && dd if=nbd7 of=head bs=512 skip=2 count=1 "
		      "status=none && truncate -s 0 nbd7 && "
		      "truncate -s 16M nbd7",
		      dev),
	     text));
	snprintf(text, sizeof(text), "%s/head", dev);
	{
		FILE *f = fopen(text, "r");

		assert_non_null(f);
		assert_int_equal(fread(entry, 1, sizeof(entry), f), 128);
		fclose(f);
	}
	/* 2048 sectors of 512 bytes are 256 of these */
	memcpy(entry + 32, "\0\1\0\0\0\0\0\0", 8);
	/* the MBR that protects it */
	write_at("nbd7", 450, "\xee\0\0\0\1\0\0\0", 8);
	write_at("nbd7", 510, "\x55\xaa", 2);
	write_at("nbd7", 4096, "EFI PART", 8);
	write_at("nbd7", 4096 + 72, "\2\0\0\0\0\0\0\0\1\0\0\0\0\1\0\0", 16);
	write_at("nbd7", 8192, entry, 128);
	assert_int_equal(discover(), NBD_E_NOT_FOUND);
	run((snprintf(text, sizeof(text),
		      "echo 4096 >%s/nbd7/queue/logical_block_size", sys),
	     text));
	assert_found(1);
}

static void the_name_of_an_entry_ends_within_it(void **state)
{
	struct gpt g;
	struct gpt_entry e;
	char file[128], full[72];
	int fd;

	(void)state;
	GPT("type=" OURS ", name=short");
	snprintf(file, sizeof(file), "%s/nbd7", dev);
	fd = open(file, O_RDWR);
	assert_int_equal(init_gpt_open(&g, fd, 512), 0);
	assert_int_equal(init_gpt_read(&g, 0, &e), 1);
	assert_string_equal(e.name, "short");
	assert_int_equal(init_gpt_read(&g, 1, &e), 0);
	assert_int_equal(init_gpt_read(&g, 255, &e), 0);
	assert_int_equal(init_gpt_read(&g, 256, &e), 0);
	memset(full, 'L', sizeof(full));
	put(fd, 1024 + 56, full, sizeof(full));
	assert_int_equal(init_gpt_read(&g, 0, &e), 1);
	assert_int_equal(strlen(e.name), 36);
	assert_int_equal(e.name[0], '?');
	close(fd);
	assert_int_equal(init_gpt_open(&g, -1, 512), NBD_E_IO);
}

static void versions_are_compared_as_systemd_does(void **state)
{
	/* from older to newer */
	static const char *const t[] = {
		"~1",	    "",	       "ab",	  "abb",	"abc",
		"0001",	    "002",     "12",	  "122",	"122.9",
		"123~rc1",  "123",     "123-a",	  "123-a.1",	"123-a1",
		"123-a1.1", "123-3",   "123-3.1", "123^patch1", "123^1",
		"123.a-1",  "123.1-1", "123a-1",  "124",
	};
	static const char *const same[][2] = { { "1_", "1" },
					       { "123.0001", "123.1" },
					       { "_a", "a_" },
					       { "00", "0" } };

	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(t); i++) {
		if (init_version_order(t[i - 1], t[i]) >= 0 ||
		    init_version_order(t[i], t[i - 1]) <= 0)
			fail_msg("%s, %s", t[i - 1], t[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_int_equal(init_version_order(same[i][0], same[i][1]), 0);
}

static int make_top(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(sys, sizeof(sys), "%s/sys", top);
	snprintf(dev, sizeof(dev), "%s/dev", top);
	boot_console_tee = keep;
	/* it begins with the first failure */
	boot_say_failed("test", NBD_E_IO, &d, NULL);
	return 0;
}

static int remove_top(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "rm -rf %s", top);
	return system(text);
}

/* Of an export that is mounted on /usr, below a root in RAM. */
static void without_a_root_usr_of_this_cpu_is_taken(void **state)
{
	(void)state;
	GPT("type=" OURS, "type=" USR ", name=usr_1",
	    "type=" USR ", name=usr_2", "type=" USR ", name=_empty",
	    "type=" LINUX);
	assert_found(1);
	cmd.usr_only = true;
	assert_found(3);
	GPT("type=" OURS, "type=" HOME);
	cmd.usr_only = true;
	assert_int_equal(discover(), NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "none is marked as a /usr of this CPU"));
	GPT("type=" USR, "type=" HOME);
	assert_int_equal(discover(), NBD_E_NOT_FOUND);
	assert_non_null(strstr(said, "nbdboot.part=1: unknown contents, "
				     "type /usr"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_root_usr_of_this_cpu_is_taken),
		cmocka_unit_test(
			the_partition_marked_as_the_root_of_this_cpu_is_taken),
		cmocka_unit_test(the_newest_of_several_roots_is_taken),
		cmocka_unit_test(flags_of_the_table_are_obeyed),
		cmocka_unit_test(the_only_partition_of_linux_is_taken),
		cmocka_unit_test(a_disk_without_partitions_is_not_read),
		cmocka_unit_test(a_choice_is_left_to_the_user_with_a_list),
		cmocka_unit_test(a_word_of_systemd_turns_it_off),
		cmocka_unit_test(a_root_to_be_verified_is_not_looked_for),
		cmocka_unit_test(
			a_disk_with_a_file_system_or_without_partitions_is_whole),
		cmocka_unit_test(
			an_entry_that_is_not_the_kernels_partition_is_ignored),
		cmocka_unit_test(a_hostile_table_marks_nothing),
		cmocka_unit_test(sectors_of_4096_bytes_are_counted_as_such),
		cmocka_unit_test(the_name_of_an_entry_ends_within_it),
		cmocka_unit_test(versions_are_compared_as_systemd_does),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
