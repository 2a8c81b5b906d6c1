/* SPDX-License-Identifier: BSD-2-Clause */
/* What an export holds that is no file system for a root. */
#include "boot/init/content.h"
#include "tests/boot/init/image.h"

#include <stdlib.h>

static struct nbd_diag d;

#define PART   "nbdboot.part= names"
#define OPEN   "an initramfs with its programs"
#define QEMU   "the server has to open it: qemu-nbd -f "
#define KIT    "the server has to open it: nbdkit --filter="
#define UNPACK "unpack it on the server"
#define MOUNT  "rootfstype= mounts it"
#define EXPORT "is it the right export?"

/* Its magic number, and its release, 4.0. */
static const char squashfs[32] = "hsqs\0\0\0\0\0\0\0\0\0\0\0\0"
				 "\0\0\0\0\0\0\0\0\0\0\0\0\4";

/* As the formats' own papers and file(1) have them, not our table. */
static const struct sample {
	const char *what, *hint, *magic;
	off_t at;
	size_t len;
} samples[] = {
	{ "a LUKS 1 volume", OPEN, "LUKS\xba\xbe\0\1aes", 0, 11 },
	{ "a LUKS 2 volume", OPEN, "LUKS\xba\xbe\0\2\0\0", 0, 10 },
	{ "a physical volume of LVM", OPEN, "LVM2 001", 536, 8 },
	{ "a member of an md RAID", OPEN, "\xfc\x4e\x2b\xa9\1\0\0\0", 4096, 8 },
	{ "a member of an md RAID", OPEN, "\xfc\x4e\x2b\xa9\1\0\0\0", 0, 8 },
	{ "a member of a ZFS pool", OPEN, "\0\0\0\7version", 16404, 12 },
	{ "hashes of dm-verity", EXPORT, "verity\0\0\1", 0, 9 },
	{ "a qcow2 image", QEMU "qcow2", "QFI\xfb\0\0\0\3", 0, 8 },
	{ "a VMDK image", QEMU "vmdk", "KDMV\1", 0, 5 },
	{ "a VMDK image", QEMU "vmdk", "# Disk DescriptorFile\n", 0, 22 },
	{ "a VHDX image", QEMU "vhdx", "vhdxfile", 0, 8 },
	{ "a VHD image", QEMU "vpc", "conectix", 0, 8 },
	{ "a VDI image", QEMU "vdi", "\x7f\x10\xda\xbe", 64, 4 },
	{ "a gzip archive", KIT "gzip", "\x1f\x8b\x08\x08", 0, 4 },
	{ "an xz archive", KIT "xz", "\xfd\x37zXZ\0", 0, 6 },
	{ "a zstd archive", UNPACK, "\x28\xb5\x2f\xfd\x24", 0, 5 },
	{ "a bzip2 archive", UNPACK, "BZh91AY", 0, 7 },
	{ "an lz4 archive", UNPACK, "\x04\x22\x4d\x18\x64", 0, 5 },
	{ "an lz4 archive", UNPACK, "\x02\x21\x4c\x18", 0, 4 },
	{ "an lzip archive", UNPACK, "LZIP\1", 0, 5 },
	{ "a 7z archive", UNPACK, "7z\xbc\xaf\x27\x1c", 0, 6 },
	{ "a zip archive", UNPACK, "PK\3\4", 0, 4 },
	{ "a sparse image of Android", UNPACK, "\x3a\xff\x26\xed\1", 0, 5 },
	{ "a QED image", QEMU "qed", "QED\0", 0, 4 },
	{ "a VMDK image", QEMU "vmdk", "COWD", 0, 4 },
	{ "a Parallels image", QEMU "parallels", "WithoutFreeSpace", 0, 16 },
	{ "a Parallels image", QEMU "parallels", "WithouFreSpacExt", 0, 16 },
	{ "a kernel", EXPORT, "HdrS", 514, 4 },
	{ "a squashfs of another byte order", EXPORT, "sqsh", 0, 4 },
	{ "a squashfs at byte 64 ", KIT "offset", squashfs, 64, 32 },
	{ "a squashfs at byte 65536 ", KIT "offset", squashfs, 65536, 32 },
	/* the last multiple of 64 KiB in 1 MiB, less 64 KiB; 8 KiB less */
	{ "a member of an md RAID", OPEN, "\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0",
	  983040, 12 },
	{ "a member of an md RAID", OPEN, "\xfc\x4e\x2b\xa9\1\0\0\0", 1040384,
	  8 },
	{ "a tar archive", KIT "tar", "ustar  ", 257, 8 },
	{ "a cpio archive", EXPORT, "070701", 0, 6 },
	{ "swap space", EXPORT, "SWAPSPACE2", 4086, 10 },
	{ "swap space", EXPORT, "SWAPSPACE2", 65526, 10 },
	{ "bcachefs", MOUNT, "\xc6\x85\x73\xf6\x66\xce\x90\xa9", 4120, 8 },
	/* versions, then the magic number that it once shared with bcache */
	{ "bcachefs", MOUNT,
	  "\x0e\0\x0b\0\0\0\0\0\xc6\x85\x73\xf6\x4e\x1a\x45\xca", 4112, 16 },
	{ "a member of bcache", OPEN,
	  "\1\0\0\0\0\0\0\0\xc6\x85\x73\xf6\x4e\x1a\x45\xca", 4112, 16 },
	{ "jfs", MOUNT, "JFS1", 32768, 4 },
	{ "reiserfs", MOUNT, "ReIsEr2Fs", 65588, 9 },
	{ "exfat", MOUNT, "\xeb\x76\x90\x45XFAT   ", 0, 11 },
	{ "NTFS", EXPORT, "\xeb\x52\x90NTFS    ", 0, 11 },
	{ "the journal of another ext4", EXPORT, "\x53\xef", 1080, 2 },
	{ "an image of a CD (ISO 9660)", "rootfstype=iso9660", "\1CD001\1",
	  32768, 7 },
	{ "a partition table (GPT)", PART, "EFI PART", 512, 8 },
	{ "a partition table (GPT)", PART, "EFI PART", 4096, 8 },
	{ "a partition table (MBR)", PART, "\x55\xaa", 510, 2 },
	{ "only zeroes", EXPORT, "", 0, 0 },
};

static void check(int fd, const char *what, const char *hint)
{
	static const char none[] = "/dev/nbd0 holds none of " SUPER_TYPES
				   ", but ";

	assert_int_equal(init_content_wrong(fd, "/dev/nbd0", true, &d),
			 NBD_E_NOT_FOUND);
	assert_memory_equal(d.text, none, strlen(none));
	assert_memory_equal(d.text + strlen(none), what, strlen(what));
	assert_non_null(strstr(d.text, hint));
}

static void each_content_is_named_with_a_hint(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *t = &samples[i];
		int fd = image(MIB);

		put(fd, t->at, t->magic, t->len);
		check(fd, t->what, t->hint);
		close(fd);
	}
}

static void what_ends_before_its_mark_is_something_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *t = &samples[i];
		int fd = image(t->at);
		struct content c;

		put(fd, t->at, t->magic, t->len ? 1 : 0);
		c = init_content(fd, true);
		if (t->len)
			assert_true(!c.what || strcmp(c.what, t->what) != 0);
		close(fd);
	}
}

static void the_outermost_of_several_is_named(void **state)
{
	int fd = image(MIB);

	(void)state;
	put(fd, 510, "\x55\xaa", 2);
	check(fd, "a partition table (MBR)", PART);
	put(fd, 512, "EFI PART", 8);
	check(fd, "a partition table (GPT)", PART);
	put(fd, 32769, "CD001", 5);
	check(fd, "an image of a CD", "rootfstype=iso9660");
	put(fd, 4086, "SWAPSPACE2", 10);
	check(fd, "swap space", EXPORT);
	put(fd, 0, "LUKS\xba\xbe\0\2", 8);
	check(fd, "a LUKS 2 volume", OPEN);
	/* of an array whose members have their superblock at the end */
	put(fd, 1040384, "\xfc\x4e\x2b\xa9\1\0\0\0", 8);
	check(fd, "a member of an md RAID", OPEN);
	put(fd, 1040384, "\0", 1);
	put(fd, 983040, "\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0", 12);
	check(fd, "a member of an md RAID", OPEN);
	close(fd);
}

static void what_is_not_known_has_the_words_that_may_help(void **state)
{
	int fd = image(MIB);

	(void)state;
	put(fd, 100000, "x", 1);
	init_content_wrong(fd, "x", true, &d);
	assert_string_equal(d.text,
			    "x holds none of " SUPER_TYPES
			    " (rootfstype= names another, nbdboot.part= a "
			    "partition)");
	/* where there is no rootfstype= */
	init_content_wrong(fd, "x", false, &d);
	assert_string_equal(d.text, "x holds none of " SUPER_TYPES);
	put(fd, 32768, "JFS1", 4);
	init_content_wrong(fd, "x", false, &d);
	assert_string_equal(d.text, "x holds none of " SUPER_TYPES ", but jfs");
	put(fd, 510, "\x55\xaa", 2);
	put(fd, 32768, "\0", 1);
	init_content_wrong(fd, "x", false, &d);
	assert_string_equal(d.text, "x holds none of " SUPER_TYPES
				    ", but a partition table (MBR)");
	/* what cannot be read is not called blank */
	assert_null(init_content(-1, true).what);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_content_is_named_with_a_hint),
		cmocka_unit_test(what_ends_before_its_mark_is_something_else),
		cmocka_unit_test(the_outermost_of_several_is_named),
		cmocka_unit_test(what_is_not_known_has_the_words_that_may_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
