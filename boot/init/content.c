/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people export by mistake: a table of magic numbers.  Only its own words
 * are printed, never those of the device.
 */
#include "boot/init/content.h"

#include <string.h>
#include <unistd.h>

#define KIB 1024u

/* What to do about it. */
#define ROOT	"rootfstype="
#define ANY	ROOT " names another, nbdboot.part= a partition"
#define PART	"nbdboot.part= names a partition"
#define OPEN	"an initramfs with its programs can open it"
#define QEMU(f) "the server has to open it: qemu-nbd -f " f
#define KIT(f)	"the server has to open it: nbdkit --filter=" f
#define UNPACK	"unpack it on the server"
#define EXPORT	"is it the right export?"
#define MOUNT	ROOT " mounts it, if the kernel has its module"
#define CD	ROOT "iso9660 mounts it; a live system is a squashfs inside"

/* Where a mark is: bytes from the start, or from the end as md has it. */
#define MD_0_90 UINT32_MAX
#define MD_1_0	(UINT32_MAX - 1)

/*
 * The first one counts: volumes have leftovers of what they replaced, images of
 * CDs begin with an MBR and a GPT, and a GPT with an MBR.
 */
static const struct kind {
	const char *what, *magic;
	uint32_t at, len;
	const char *hint;
} kinds[] = {
	/* at the end: what is at the front is what the array holds */
	{ INIT_CONTENT_MD, "\xfc\x4e\x2b\xa9\1\0\0\0", MD_1_0, 8, OPEN },
	{ INIT_CONTENT_MD, "\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0", MD_0_90, 12,
	  OPEN },
	{ INIT_CONTENT_LUKS1, "LUKS\xba\xbe\0\1", 0, 8, OPEN },
	{ INIT_CONTENT_LUKS2, "LUKS\xba\xbe\0\2", 0, 8, OPEN },
	{ INIT_CONTENT_LVM, "LVM2 001", 512 + 24, 8, OPEN },
	{ INIT_CONTENT_MD, "\xfc\x4e\x2b\xa9\1\0\0\0", 4 * KIB, 8, OPEN },
	{ INIT_CONTENT_MD, "\xfc\x4e\x2b\xa9\1\0\0\0", 0, 8, OPEN },
	{ "a member of a ZFS pool", "version", 16 * KIB + 24, 8, OPEN },
	{ "hashes of dm-verity", "verity\0", 0, 8, EXPORT },
	{ "a qcow2 image", "QFI\xfb", 0, 4, QEMU("qcow2") },
	{ "a QED image", "QED", 0, 4, QEMU("qed") },
	{ "a VMDK image", "KDMV", 0, 4, QEMU("vmdk") },
	{ "a VMDK image", "COWD", 0, 4, QEMU("vmdk") },
	{ "a VMDK image", "# Disk DescriptorFile", 0, 21, QEMU("vmdk") },
	{ "a VHDX image", "vhdxfile", 0, 8, QEMU("vhdx") },
	{ "a VHD image", "conectix", 0, 8, QEMU("vpc") },
	{ "a VDI image", "\x7f\x10\xda\xbe", 64, 4, QEMU("vdi") },
	{ "a Parallels image", "WithoutFreeSpace", 0, 16, QEMU("parallels") },
	{ "a Parallels image", "WithouFreSpacExt", 0, 16, QEMU("parallels") },
	{ "a sparse image of Android", "\x3a\xff\x26\xed", 0, 4, UNPACK },
	{ "a gzip archive", "\x1f\x8b\x08", 0, 3, KIT("gzip") },
	{ "an xz archive", "\xfd\x37zXZ", 0, 6, KIT("xz") },
	{ "a zstd archive", "\x28\xb5\x2f\xfd", 0, 4, UNPACK },
	{ "a bzip2 archive", "BZh", 0, 3, UNPACK },
	{ "an lz4 archive", "\x04\x22\x4d\x18", 0, 4, UNPACK },
	{ "an lz4 archive", "\x02\x21\x4c\x18", 0, 4, UNPACK },
	{ "an lzip archive", "LZIP\1", 0, 5, UNPACK },
	{ "a 7z archive", "7z\xbc\xaf\x27\x1c", 0, 6, UNPACK },
	{ "a zip archive", "PK\3\4", 0, 4, UNPACK },
	{ "a tar archive", "ustar", 257, 5, KIT("tar with tar-entry=NAME") },
	{ "a cpio archive", "07070", 0, 5, EXPORT },
	{ "a kernel", "HdrS", 514, 4, EXPORT },
	{ "swap space", "SWAPSPACE2", 4 * KIB - 10, 10, EXPORT },
	{ "swap space", "SWAPSPACE2", 64 * KIB - 10, 10, EXPORT },
	/* an old bcachefs has the same magic, but its version before it */
	{ "a member of bcache", "\0\0\0\0\0\0\xc6\x85\x73\xf6\x4e\x1a\x45\xca",
	  4 * KIB + 18, 14, OPEN },
	{ "bcachefs", "\xc6\x85\x73\xf6\x4e\x1a\x45\xca", 4 * KIB + 24, 8,
	  MOUNT },
	{ "bcachefs", "\xc6\x85\x73\xf6\x66\xce\x90\xa9", 4 * KIB + 24, 8,
	  MOUNT },
	{ "jfs", "JFS1", 32 * KIB, 4, MOUNT },
	{ "reiserfs", "ReIsEr", 64 * KIB + 52, 6, MOUNT },
	{ "exfat", "EXFAT   ", 3, 8, MOUNT },
	{ "NTFS", "NTFS    ", 3, 8, EXPORT },
	{ "a squashfs of another byte order", "sqsh", 0, 4, EXPORT },
	{ "the journal of another ext4", "\x53\xef", 1 * KIB + 56, 2, EXPORT },
	{ "an image of a CD (ISO 9660)", "CD001", 32 * KIB + 1, 5, CD },
	{ "a partition table (GPT)", "EFI PART", 512, 8, PART },
	{ "a partition table (GPT)", "EFI PART", 4 * KIB, 8, PART },
	{ "a partition table (MBR)", "\x55\xaa", 510, 2, PART },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* md(4), "The superblock"; of drivers/md/md.c of the kernel. */
static uint64_t place(const struct kind *k, uint64_t size)
{
	if (k->at == MD_0_90)
		return size < 64 * KIB ? size : size / 65536 * 65536 - 65536;
	if (k->at == MD_1_0)
		return size < 8 * KIB ? size : (size - 8192) / 4096 * 4096;
	return k->at;
}

static bool is(int fd, const struct kind *k, uint64_t size)
{
	char buf[24];

	_Static_assert(sizeof(buf) >= 21, "the longest magic number");
	return init_super_bytes(fd, buf, k->len, place(k, size)) > 0 &&
	       !memcmp(buf, k->magic, k->len);
}

/*
 * Something stands before a squashfs: the header of a boot loader, or an
 * export that begins too early.  Returns its byte, or 0.
 */
static uint32_t shifted(int fd)
{
	const uint32_t step = 4 * KIB;
	char b[4 * KIB + 32], *p;

	for (uint32_t at = 0; at < INIT_CONTENT_BYTES; at += step) {
		memset(b, 0, sizeof(b));
		/* an export may end before */
		if (init_super_bytes(fd, b, sizeof(b), at) < 0)
			return 0;
		for (p = b; p < b + step; p += 64)
			/* its magic number, and its release */
			if (!memcmp(p, "hsqs", 4) && !memcmp(p + 28, "\4\0", 2))
				return at + (uint32_t)(p - b);
	}
	return 0;
}

/* Is it blank where it would have a superblock? */
static bool is_blank(int fd)
{
	char buf[4 * KIB];
	int rc = 1;

	for (uint32_t at = 0; at < INIT_CONTENT_BYTES && rc > 0;
	     at += sizeof(buf)) {
		rc = init_super_bytes(fd, buf, sizeof(buf), at);
		if (rc > 0 && (*buf || memcmp(buf, buf + 1, sizeof(buf) - 1)))
			return false;
	}
	return rc >= 0;
}

/* Where these words are not about it, a hint that names one is no help. */
static const char *hint_of(const char *hint, bool root)
{
	return root || (strncmp(hint, ROOT, strlen(ROOT)) != 0 &&
			strcmp(hint, PART) != 0)
		       ? hint
		       : NULL;
}

struct content init_content(int fd, bool root)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t size = end < 0 ? 0 : (uint64_t)end;
	const struct kind *k = kinds;
	uint32_t at;

	while (k < kinds + KINDS && !is(fd, k, size))
		k++;
	if (k < kinds + KINDS)
		return (struct content){ k->what, hint_of(k->hint, root), 0 };
	at = shifted(fd);
	if (at)
		return (struct content){ "a squashfs", KIT("offset"), at };
	if (is_blank(fd))
		return (struct content){ INIT_CONTENT_BLANK, EXPORT, 0 };
	return (struct content){ NULL, hint_of(ANY, root), 0 };
}

void init_content_print(char *text, size_t cap, const struct content *c)
{
	char at[24] = "";

	if (c->at)
		nbd_fmt(at, sizeof(at), " at byte %u", c->at);
	nbd_fmt(text, cap, "%s%s%s%s%s", c->what ? c->what : "", at,
		c->hint ? " (" : "", c->hint ? c->hint : "",
		c->hint ? ")" : "");
}

void init_content_text(int fd, char *text, size_t cap)
{
	struct content c = init_content(fd, true);

	if (c.what)
		init_content_print(text, cap, &c);
}

int init_content_wrong(int fd, const char *dev, bool root, struct nbd_diag *d)
{
	struct content c = init_content(fd, root);
	char text[INIT_CONTENT_TEXT];

	init_content_print(text, sizeof(text), &c);
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s holds none of " SUPER_TYPES "%s%s", dev,
			c.what ? ", but " : "", text);
}
