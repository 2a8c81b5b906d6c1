/* SPDX-License-Identifier: BSD-2-Clause */
/* Superblocks, partition tables, and the choice of a partition. */
#include "tests/boot/init/gpt_bad.h"
#include "tests/boot/init/image.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "boot/init/gpt.h"
#include "boot/init/part.h"
#include "boot/init/super.h"

#define UUID_A	  "0c1b2a39-4857-4675-a483-92a1b0cfdeed"
#define UUID_SPEC "UUID=" UUID_A

static struct super s;
static struct nbd_diag d;

/* 0c 1b 2a ...: the bytes of UUID_A. */
static const unsigned char uuid_a[16] = { 0x0c, 0x1b, 0x2a, 0x39, 0x48, 0x57,
					  0x46, 0x75, 0xa4, 0x83, 0x92, 0xa1,
					  0xb0, 0xcf, 0xde, 0xed };

struct sample {
	const char *type, *magic;
	size_t magic_len;
	off_t magic_at, uuid_at, label_at;
};

/* Offsets on the disk, from the kernel's headers and the format's papers. */
static const struct sample samples[] = {
	{ "xfs", "XFSB", 4, 0, 32, 108 },
	{ "ext4", "\x53\xef", 2, 1080, 1128, 1144 },
	{ "erofs", "\xe2\xe1\xf5\xe0", 4, 1024, 1072, 1088 },
	{ "btrfs", "_BHRfS_M", 8, 65600, 65568, 65835 },
};

static void superblocks_are_known_by_their_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *t = &samples[i];
		int fd = image(MIB);

		put(fd, t->magic_at, t->magic, t->magic_len);
		put(fd, t->uuid_at, uuid_a, 16);
		put(fd, t->label_at, "my root", 8);
		assert_int_equal(init_super_read(&s, fd), 0);
		assert_string_equal(s.type, t->type);
		assert_string_equal(s.uuid, UUID_A);
		assert_string_equal(s.label, "my root");
		close(fd);
	}
}

static void the_types_are_those_that_messages_name(void **state)
{
	char text[] = ", " SUPER_TYPES ",", word[16];
	const char *type, *last = "";
	size_t len = 1;

	(void)state;
	for (unsigned i = 0; (type = init_super_type(i)); last = type, i++) {
		snprintf(word, sizeof(word), ", %s,", type);
		assert_non_null(strstr(text, word));
		len += strcmp(type, last) != 0 ? strlen(type) + 2 : 0;
	}
	assert_int_equal(len, strlen(text));
}

static void a_label_without_an_end_is_cut_at_its_field(void **state)
{
	static const size_t len[] = { 12, 16, 16, 256 };
	char full[512];

	(void)state;
	memset(full, 'L', sizeof(full));
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *t = &samples[i];
		int fd = image(MIB);

		put(fd, t->label_at, full, sizeof(full));
		put(fd, t->magic_at, t->magic, t->magic_len);
		/* 'L' would say that ext4 is an external journal */
		put(fd, 1120, "\0\0\0", 4);
		assert_int_equal(init_super_read(&s, fd), 0);
		assert_int_equal(strlen(s.label), len[i]);
		close(fd);
	}
}

static void squashfs_has_neither_label_nor_uuid(void **state)
{
	int fd = image(4096);

	(void)state;
	put(fd, 0, "hsqs", 4);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.type, "squashfs");
	assert_string_equal(s.label, "");
	assert_string_equal(s.uuid, "");
	close(fd);
}

static void f2fs_says_its_label_in_ascii_or_not_at_all(void **state)
{
	int fd = image(MIB);

	(void)state;
	put(fd, 1024, "\x10\x20\xf5\xf2", 4);
	put(fd, 1132, uuid_a, 16);
	put(fd, 1148, "m\0y\0 \0r\0", 8);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.type, "f2fs");
	assert_string_equal(s.uuid, UUID_A);
	assert_string_equal(s.label, "my r");
	put(fd, 1156, "\xe4\0", 2);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.label, "");
	for (off_t at = 1148; at < 2100; at += 2)
		put(fd, at, "L\0", 2);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_in_range(strlen(s.label), 0, 255);
	close(fd);
}

static void fat_says_its_serial_and_its_label(void **state)
{
	int fd = image(MIB);

	(void)state;
	put(fd, 82, "FAT32   ", 8);
	put(fd, 67, "\xcd\xab\x34\x12MYBOOT     ", 15);
	/* without the mark at the end it is no boot sector */
	assert_int_equal(init_super_read(&s, fd), NBD_E_NOT_FOUND);
	put(fd, 510, "\x55\xaa", 2);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.type, "vfat");
	assert_string_equal(s.uuid, "1234-abcd");
	assert_string_equal(s.label, "MYBOOT");
	put(fd, 71, "NO NAME    ", 11);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.label, "");
	close(fd);
	fd = image(MIB);
	put(fd, 510, "\x55\xaa", 2);
	put(fd, 39, "\xcd\xab\x34\x12SMALL      FAT16   ", 23);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.uuid, "1234-abcd");
	assert_string_equal(s.label, "SMALL");
	close(fd);
}

static void nothing_known_is_not_found(void **state)
{
	static const off_t sizes[] = { 0, 1, 511, 1023, 1024, 1100, 65600, MIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int fd = image(sizes[i]);

		assert_int_equal(init_super_read(&s, fd), NBD_E_NOT_FOUND);
		assert_int_equal(init_super_partuuid(fd, 512, UUID_A),
				 NBD_E_NOT_FOUND);
		close(fd);
	}
	assert_int_equal(init_super_read(&s, -1), NBD_E_IO);
	assert_int_equal(init_super_partuuid(-1, 512, UUID_A), NBD_E_IO);
}

static void an_external_journal_is_no_root(void **state)
{
	int fd = image(MIB);

	(void)state;
	put(fd, 1080, "\x53\xef", 2);
	put(fd, 1120, "\x08", 1);
	assert_int_equal(init_super_read(&s, fd), NBD_E_NOT_FOUND);
	close(fd);
}

static void what_mke2fs_makes_is_read(void **state)
{
	char path[] = "/tmp/test_part.XXXXXX", cmd[256];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4 * MIB), 0);
	snprintf(cmd, sizeof(cmd),
		 "mke2fs -q -F -t ext4 -L 'the root' -U " UUID_A " %s", path);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(init_super_read(&s, fd), 0);
	assert_string_equal(s.type, "ext4");
	assert_string_equal(s.label, "the root");
	assert_string_equal(s.uuid, UUID_A);
	unlink(path);
	close(fd);
}

/* ---- tables ---- */

#define GPT_UUID  "11223344-5566-7788-99AA-BBCCDDEEFF01"
#define GPT_UUID4 "11223344-5566-7788-99AA-BBCCDDEEFF04"

static int sfdisk(const char *script)
{
	char path[] = "/tmp/test_part.XXXXXX", cmd[512];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 16 * MIB), 0);
	snprintf(cmd, sizeof(cmd), "printf '%s' | sfdisk -q %s", script, path);
	assert_int_equal(system(cmd), 0);
	unlink(path);
	return fd;
}

static int gpt(void)
{
	return sfdisk("label: gpt\n"
		      "1: size=1MiB, uuid=" GPT_UUID "\n"
		      "4: size=1MiB, uuid=" GPT_UUID4 "\n");
}

static void a_gpt_of_sfdisk_is_read(void **state)
{
	int fd = gpt();

	(void)state;
	assert_int_equal(init_super_partuuid(fd, 512, GPT_UUID), 1);
	assert_int_equal(
		init_super_partuuid(fd, 512,
				    "11223344-5566-7788-99aa-bbccddeeff04"),
		4);
	assert_int_equal(init_super_partuuid(fd, 512, UUID_A), NBD_E_NOT_FOUND);
	/* the UUID of entries that are not in use */
	assert_int_equal(
		init_super_partuuid(fd, 512,
				    "00000000-0000-0000-0000-000000000000"),
		NBD_E_NOT_FOUND);
	close(fd);
}

static void an_mbr_of_sfdisk_is_read(void **state)
{
	int fd = sfdisk("label: dos\nlabel-id: 0x1a2b3c4d\n,1MiB\n,1MiB\n");
	static const struct {
		const char *uuid;
		int number;
	} t[] = {
		{ "1a2b3c4d-01", 1 },
		{ "1A2B3C4D-02", 2 },
		{ "1a2b3c4d-0f", 15 },
		{ "1a2b3c4d-2", NBD_E_NOT_FOUND },
		{ "1a2b3c4d-00", NBD_E_NOT_FOUND },
		{ "1a2b3c4d-", NBD_E_NOT_FOUND },
		{ "1a2b3c4d", NBD_E_NOT_FOUND },
		{ "1a2b3c4", NBD_E_NOT_FOUND },
		{ "", NBD_E_NOT_FOUND },
		{ "1a2b3c4e-01", NBD_E_NOT_FOUND },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(init_super_partuuid(fd, 512, t[i].uuid),
				 t[i].number);
	close(fd);
}

static void a_gpt_counts_if_the_mbr_protects_it(void **state)
{
	int fd = gpt();

	(void)state;
	/* a hybrid: the entry that protects is the third one */
	put(fd, 478, "\0\0\0\0\xee\0\0\0\1\0\0\0\1\0\0\0", 16);
	put(fd, 440, "\x4d\x3c\x2b\x1a", 4);
	put(fd, 450, "\x83", 1);
	assert_int_equal(init_super_partuuid(fd, 512, GPT_UUID4), 4);
	/* the leftover of a GPT: the kernel has the partitions of the MBR */
	put(fd, 482, "\x83", 1);
	assert_int_equal(init_super_partuuid(fd, 512, GPT_UUID4),
			 NBD_E_NOT_FOUND);
	assert_int_equal(init_super_partuuid(fd, 512, "1a2b3c4d-01"), 1);
	close(fd);
}

static void a_gpt_says_for_which_sectors_it_is(void **state)
{
	unsigned char head[512];
	struct gpt g;
	int fd = gpt();

	(void)state;
	assert_int_equal(init_gpt_open(&g, fd, 512), 0);
	/* 33 sectors at the end are the other table */
	assert_int_equal(g.last, 16 * MIB / 512 - 34);
	assert_int_equal(pread(fd, head, 512, 512), 512);
	put(fd, 512, "not here", 8);
	assert_int_equal(init_gpt_open(&g, fd, 512), NBD_E_NOT_FOUND);
	put(fd, 4096, head, 512);
	assert_int_equal(init_gpt_open(&g, fd, 4096), 0);
	close(fd);
}

static void a_hostile_gpt_ends_in_not_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gpt_bad); i++) {
		int fd = gpt(), rc;

		put(fd, gpt_bad[i].at, gpt_bad[i].bytes, 8);
		rc = init_super_partuuid(fd, 512, GPT_UUID4);
		/* an offset beyond all files may be an error instead */
		assert_true(rc == NBD_E_NOT_FOUND || rc == NBD_E_IO);
		close(fd);
	}
}

/* ---- the choice, on a sysfs and a /dev made for it ---- */

static char top[] = "/tmp/test_part.XXXXXX";
static char sys[64], dev[64];

static void write_file(const char *directory, const char *name,
		       const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* nbd7 with a GPT, an ext4 on its fourth partition, nothing on its first. */
static int make_disk(void **state)
{
	static const char *const directories[] = {
		"/sys",
		"/dev",
		"/sys/nbd7",
		"/sys/nbd7/queue",
		"/sys/nbd7/nbd7p1",
		"/sys/nbd7/nbd7p4",
		"/sys/nbd7/holders",
	};
	char path[256], buf[65536];
	int fd = gpt();
	ssize_t n;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(sys, sizeof(sys), "%s/sys", top);
	snprintf(dev, sizeof(dev), "%s/dev", top);
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		snprintf(path, sizeof(path), "%s%s", top, directories[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	write_file(sys, "nbd7/queue/logical_block_size", "512\n");
	write_file(sys, "nbd7/nbd7p1/partition", "1\n");
	write_file(sys, "nbd7/nbd7p4/partition", "4\n");
	write_file(sys, "nbd7/nbd7p1/uevent", "PARTN=1\nPARTNAME=boot\n");
	write_file(sys, "nbd7/nbd7p4/uevent",
		   "MAJOR=43\nPARTN=4\nPARTNAME=the root\nPARTUUID=x\n");
	snprintf(path, sizeof(path), "%s/nbd7", dev);
	f = fopen(path, "w");
	assert_non_null(f);
	for (off_t at = 0; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		fwrite(buf, 1, (size_t)n, f);
	fclose(f);
	close(fd);
	write_file(dev, "nbd7p1", "nothing");
	snprintf(
		path, sizeof(path),
		"truncate -s 4M %s/nbd7p4 && mke2fs -q -F -t ext4 -L ROOT -U " UUID_A
		" %s/nbd7p4",
		dev, dev);
	return system(path);
}

static int remove_disk(void **state)
{
	char cmd[256];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	return system(cmd);
}

static void a_partition_is_found_by_each_of_its_names(void **state)
{
	static const struct {
		const char *spec, *name;
	} t[] = {
		{ NULL, "nbd7" },
		{ "1", "nbd7p1" },
		{ "4", "nbd7p4" },
		{ "004", "nbd7p4" },
		{ "PARTUUID=" GPT_UUID, "nbd7p1" },
		{ "PARTUUID=" GPT_UUID4, "nbd7p4" },
		{ "PARTLABEL=boot", "nbd7p1" },
		{ "PARTLABEL=the root", "nbd7p4" },
		{ "LABEL=ROOT", "nbd7p4" },
		{ "UUID=" UUID_A, "nbd7p4" },
		{ "UUID=0C1B2A39-4857-4675-A483-92A1B0CFDEED", "nbd7p4" },
	};
	char path[PART_PATH], want[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		snprintf(want, sizeof(want), "%s/%s", dev, t[i].name);
		assert_int_equal(init_part_find(path, sys, dev, "nbd7",
						t[i].spec, &d),
				 0);
		assert_string_equal(path, want);
	}
}

static void a_missing_partition_is_named_as_it_was_written(void **state)
{
	static const struct {
		const char *spec;
		int rc;
	} t[] = {
		{ "2", NBD_E_NOT_FOUND },
		{ "40", NBD_E_NOT_FOUND },
		{ "LABEL=root", NBD_E_NOT_FOUND }, /* labels have a case */
		{ "LABEL=ROOT2", NBD_E_NOT_FOUND },
		{ "PARTLABEL=the", NBD_E_NOT_FOUND },
		{ "PARTLABEL=boot2", NBD_E_NOT_FOUND },
		{ "PARTLABEL=", NBD_E_USAGE },
		{ "PARTUUID=" UUID_A, NBD_E_NOT_FOUND },
		{ "UUID=" GPT_UUID, NBD_E_NOT_FOUND },
		{ "", NBD_E_USAGE },
		{ "0", NBD_E_USAGE },
		{ "256", NBD_E_USAGE },
		{ "-1", NBD_E_USAGE },
		{ "4x", NBD_E_USAGE },
		{ "LABEL=", NBD_E_USAGE },
		{ "UUID=", NBD_E_USAGE },
		{ "label=ROOT", NBD_E_USAGE },
		{ "nbd7p4", NBD_E_USAGE },
	};
	char path[PART_PATH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		d.text[0] = '\0';
		assert_int_equal(init_part_find(path, sys, dev, "nbd7",
						t[i].spec, &d),
				 t[i].rc);
		assert_non_null(strstr(d.text, t[i].spec));
	}
	assert_int_equal(init_part_find(path, sys, dev, "nbd8", "1", &d),
			 NBD_E_IO);
	assert_non_null(strstr(d.text, "nbd8"));
}

/* nbd6 without partitions: what is on it says why. */
static void a_disk_without_partitions_has_a_reason(void **state)
{
	static const struct {
		const char *sector, *make, *why;
	} t[] = {
		{ "512", "truncate -s 8M nbd6", "(it has 0: only zeroes" },
		{ "512", "printf 'QFI\\373' >nbd6",
		  "(it has 0: a qcow2 image" },
		{ "512", "cp nbd7p4 nbd6",
		  "(it has 0: it holds ext4: leave out nbdboot.part=)" },
		{ "4096", "cp nbd7 nbd6",
		  "made for sectors of 512 bytes, and it has 4096" },
		{ "512", "head -c 4M nbd7 >nbd6",
		  "a partition may use sector 32734, and it has 8192)" },
	};
	char path[PART_PATH], cmd[512];

	(void)state;
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/nbd6/queue", sys);
	assert_int_equal(system(cmd), 0);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		write_file(sys, "nbd6/queue/logical_block_size", t[i].sector);
		snprintf(cmd, sizeof(cmd), "cd %s && rm -f nbd6 && %s", dev,
			 t[i].make);
		assert_int_equal(system(cmd), 0);
		assert_int_equal(init_part_find(path, sys, dev, "nbd6", "1",
						&d),
				 NBD_E_NOT_FOUND);
		if (!strstr(d.text, t[i].why))
			fail_msg("%s", d.text);
	}
}

static void a_label_on_the_whole_disk_is_found(void **state)
{
	char path[PART_PATH], cmd[512];

	(void)state;
	snprintf(cmd, sizeof(cmd), "mkdir %s/nbd9 && cp %s/nbd7p4 %s/nbd9", sys,
		 dev, dev);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(
		init_part_find(path, sys, dev, "nbd9", "LABEL=ROOT", &d), 0);
	snprintf(cmd, sizeof(cmd), "%s/nbd9", dev);
	assert_string_equal(path, cmd);
}

/* nbd5 with a number of partitions of one name and contents. */
static void make_copies(const char *from, const char *names)
{
	char cmd[1024];

	snprintf(cmd, sizeof(cmd),
		 "cd %s && rm -rf sys/nbd5 dev/nbd5* && mkdir sys/nbd5 && "
		 ": >dev/nbd5 && for n in %s; do mkdir sys/nbd5/$n && "
		 "echo ${n#nbd5p} >sys/nbd5/$n/partition && "
		 "printf 'PARTN=1\\nPARTNAME=x\\n' >sys/nbd5/$n/uevent && "
		 "cp %s dev/$n; done",
		 top, names, from);
	assert_int_equal(system(cmd), 0);
}

static void what_fits_several_partitions_is_refused(void **state)
{
	static const char *const specs[] = { "LABEL=ROOT", UUID_SPEC,
					     "PARTLABEL=x" };
	char path[PART_PATH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		make_copies("dev/nbd7p4", "nbd5p2");
		assert_int_equal(init_part_find(path, sys, dev, "nbd5",
						specs[i], &d),
				 0);
		assert_non_null(strstr(path, "/nbd5p2"));
		make_copies("dev/nbd7p4", "nbd5p2 nbd5p13");
		assert_int_equal(init_part_find(path, sys, dev, "nbd5",
						specs[i], &d),
				 NBD_E_USAGE);
		assert_non_null(strstr(d.text, specs[i]));
		assert_non_null(strstr(d.text, "fits 2 partitions ("));
		assert_non_null(strstr(d.text, "nbd5p2"));
		assert_non_null(strstr(d.text, "nbd5p13"));
	}
	assert_int_equal(init_part_find(path, sys, dev, "nbd5", "13", &d), 0);
	assert_non_null(strstr(path, "/nbd5p13"));
}

static void a_list_of_many_partitions_has_whole_names(void **state)
{
	char path[PART_PATH], *end;

	(void)state;
	make_copies("dev/nbd7p1", "$(seq -f nbd5p%.0f 101 140)");
	assert_int_equal(init_part_find(path, sys, dev, "nbd5", "PARTLABEL=x",
					&d),
			 NBD_E_USAGE);
	assert_non_null(strstr(d.text, "fits 40 partitions (nbd5p1"));
	end = strchr(d.text, ')');
	assert_non_null(end);
	assert_int_equal(strspn(end - 3, "0123456789"), 3);
}

static void a_btrfs_on_several_partitions_is_one(void **state)
{
	static const char *const specs[] = { "LABEL=my root", UUID_SPEC };
	char path[PART_PATH], cmd[256];
	int fd = image(MIB);

	(void)state;
	put(fd, 65600, "_BHRfS_M", 8);
	put(fd, 65568, uuid_a, 16);
	put(fd, 65835, "my root", 8);
	snprintf(cmd, sizeof(cmd), "cp /proc/%d/fd/%d %s/btrfs", getpid(), fd,
		 top);
	assert_int_equal(system(cmd), 0);
	close(fd);
	make_copies("btrfs", "nbd5p1 nbd5p2");
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		assert_int_equal(init_part_find(path, sys, dev, "nbd5",
						specs[i], &d),
				 0);
		assert_non_null(strstr(path, "/nbd5p"));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(superblocks_are_known_by_their_bytes),
		cmocka_unit_test(the_types_are_those_that_messages_name),
		cmocka_unit_test(a_label_without_an_end_is_cut_at_its_field),
		cmocka_unit_test(squashfs_has_neither_label_nor_uuid),
		cmocka_unit_test(f2fs_says_its_label_in_ascii_or_not_at_all),
		cmocka_unit_test(fat_says_its_serial_and_its_label),
		cmocka_unit_test(nothing_known_is_not_found),
		cmocka_unit_test(an_external_journal_is_no_root),
		cmocka_unit_test(what_mke2fs_makes_is_read),
		cmocka_unit_test(a_gpt_of_sfdisk_is_read),
		cmocka_unit_test(an_mbr_of_sfdisk_is_read),
		cmocka_unit_test(a_gpt_counts_if_the_mbr_protects_it),
		cmocka_unit_test(a_gpt_says_for_which_sectors_it_is),
		cmocka_unit_test(a_hostile_gpt_ends_in_not_found),
		cmocka_unit_test(a_partition_is_found_by_each_of_its_names),
		cmocka_unit_test(
			a_missing_partition_is_named_as_it_was_written),
		cmocka_unit_test(a_disk_without_partitions_has_a_reason),
		cmocka_unit_test(a_label_on_the_whole_disk_is_found),
		cmocka_unit_test(what_fits_several_partitions_is_refused),
		cmocka_unit_test(a_list_of_many_partitions_has_whole_names),
		cmocka_unit_test(a_btrfs_on_several_partitions_is_one),
	};

	return cmocka_run_group_tests(tests, make_disk, remove_disk);
}
