/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people export by mistake: a table of magic numbers.  Only its own words
 * are printed, never those of the device.
 */
#include "boot/init/content.h"

#include <string.h>

#define KIB 1024u

enum hint { ANY, PART, OPEN, SERVE, MOUNT, EXPORT };

static const char *const hints[] = {
	[ANY] = "rootfstype= names another, nbdboot.part= a partition",
	[PART] = "nbdboot.part= names a partition",
	[OPEN] = "an initramfs of dracut or initramfs-tools can open it",
	[SERVE] = "let the server unpack it: qemu-nbd -f, nbdkit --filter",
	[MOUNT] = "rootfstype= mounts it, if the kernel has its module",
	[EXPORT] = "is it the right export?",
};

/*
 * The first one counts: volumes have leftovers of what they replaced, images of
 * CDs begin with an MBR and a GPT, and a GPT with an MBR.
 */
static const struct kind {
	const char *what, *magic;
	uint32_t at; /* bytes */
	uint8_t len;
	uint8_t hint; /* enum hint */
} kinds[] = {
	{ "a LUKS 1 volume", "LUKS\xba\xbe\0\1", 0, 8, OPEN },
	{ "a LUKS 2 volume", "LUKS\xba\xbe\0\2", 0, 8, OPEN },
	{ "a physical volume of LVM", "LVM2 001", 512 + 24, 8, OPEN },
	{ "a member of an md RAID", "\xfc\x4e\x2b\xa9\1\0\0\0", 4 * KIB, 8,
	  OPEN },
	{ "a member of an md RAID", "\xfc\x4e\x2b\xa9\1\0\0\0", 0, 8, OPEN },
	{ "a member of a ZFS pool", "version", 16 * KIB + 24, 8, OPEN },
	{ "hashes of dm-verity", "verity\0", 0, 8, EXPORT },
	{ "a qcow2 image", "QFI\xfb", 0, 4, SERVE },
	{ "a VMDK image", "KDMV", 0, 4, SERVE },
	{ "a VMDK image", "# Disk DescriptorFile", 0, 21, SERVE },
	{ "a VHDX image", "vhdxfile", 0, 8, SERVE },
	{ "a VHD image", "conectix", 0, 8, SERVE },
	{ "a VDI image", "\x7f\x10\xda\xbe", 64, 4, SERVE },
	{ "a gzip archive", "\x1f\x8b\x08", 0, 3, SERVE },
	{ "an xz archive", "\xfd\x37zXZ", 0, 6, SERVE },
	{ "a zstd archive", "\x28\xb5\x2f\xfd", 0, 4, SERVE },
	{ "a bzip2 archive", "BZh", 0, 3, SERVE },
	{ "a tar archive", "ustar", 257, 5, SERVE },
	{ "a cpio archive", "07070", 0, 5, EXPORT },
	{ "swap space", "SWAPSPACE2", 4 * KIB - 10, 10, EXPORT },
	{ "swap space", "SWAPSPACE2", 64 * KIB - 10, 10, EXPORT },
	{ "f2fs", "\x10\x20\xf5\xf2", 1 * KIB, 4, MOUNT },
	{ "bcachefs", "\xc6\x85\x73\xf6\x4e\x1a\x45\xca", 4 * KIB + 24, 8,
	  MOUNT },
	{ "jfs", "JFS1", 32 * KIB, 4, MOUNT },
	{ "reiserfs", "ReIsEr", 64 * KIB + 52, 6, MOUNT },
	{ "exfat", "EXFAT   ", 3, 8, MOUNT },
	{ "NTFS", "NTFS    ", 3, 8, EXPORT },
	{ "the journal of another ext4", "\x53\xef", 1 * KIB + 56, 2, EXPORT },
	{ "an image of a CD (ISO 9660)", "CD001", 32 * KIB + 1, 5, MOUNT },
	{ "a partition table (GPT)", "EFI PART", 512, 8, PART },
	{ "a partition table (GPT)", "EFI PART", 4 * KIB, 8, PART },
	{ "a partition table (MBR)", "\x55\xaa", 510, 2, PART },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is(int fd, const struct kind *k)
{
	char buf[24];

	_Static_assert(sizeof(buf) >= 21, "the longest magic number");
	return init_super_bytes(fd, buf, k->len, k->at) > 0 &&
	       !memcmp(buf, k->magic, k->len);
}

/* Is it blank where it would have a superblock? */
static bool is_blank(int fd)
{
	char buf[4 * KIB];
	int rc = 1;

	for (uint32_t at = 0; at < 128 * KIB && rc > 0; at += sizeof(buf)) {
		rc = init_super_bytes(fd, buf, sizeof(buf), at);
		if (rc > 0 && (*buf || memcmp(buf, buf + 1, sizeof(buf) - 1)))
			return false;
	}
	return rc >= 0;
}

struct content init_content(int fd, bool rootfstype)
{
	const struct kind *k = kinds;

	while (k < kinds + KINDS && !is(fd, k))
		k++;
	if (k < kinds + KINDS)
		return (struct content){ k->what,
					 k->hint == MOUNT && !rootfstype
						 ? NULL
						 : hints[k->hint] };
	if (is_blank(fd))
		return (struct content){ "only zeroes", hints[EXPORT] };
	return (struct content){ NULL, rootfstype ? hints[ANY] : NULL };
}

int init_content_wrong(int fd, const char *dev, bool rootfstype,
		       struct nbd_diag *d)
{
	struct content c = init_content(fd, rootfstype);

	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s holds none of " SUPER_TYPES "%s%s%s%s%s", dev,
			c.what ? ", but " : "", c.what ? c.what : "",
			c.hint ? " (" : "", c.hint ? c.hint : "",
			c.hint ? ")" : "");
}
