/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at each partition that the kernel has made of the disk, and at its entry
 * in the table.
 *
 *	root of this CPU, newest version --none--> the only one of Linux
 *	                                 --none, several--> a list, and an error
 *
 * If the export is nothing but /usr (root=tmpfs), that is looked for likewise.
 * What else is there (/usr, /home, /srv, /var, swap) the real system mounts.
 */
#include "boot/init/discover.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/init/gpt.h"
#include "boot/init/super.h"
#include "boot/init/version_order.h"
#include "boot/system/console.h"
#include "boot/words/boolean.h"
#include "boot/words/word.h"
#include "port/linux/file.h"

/* Of partitions that may be mounted without being asked for. */
#define NO_AUTO	  (1ull << 63)
#define READ_ONLY (1ull << 60)

/* A GUID as people write it; on the disk three of its fields are reversed. */
#define GUID(a, b, c, d, e)                                                  \
	{                                                                    \
		(a) & 0xff, (a) >> 8 & 0xff, (a) >> 16 & 0xff, (a) >> 24,    \
			(b)&0xff, (b) >> 8, (c)&0xff, (c) >> 8, (d) >> 8,    \
			(d)&0xff, (e) >> 40 & 0xff, (e) >> 32 & 0xff,        \
			(e) >> 24 & 0xff, (e) >> 16 & 0xff, (e) >> 8 & 0xff, \
			(e)&0xff                                             \
	}

#if defined(__x86_64__)
#define CPU	"x86-64"
#define CPU_USR GUID(0x8484680c, 0x9521, 0x48c6, 0x9c11, 0xb0720656f69eull)
#elif defined(__i386__)
#define CPU	"x86"
#define CPU_USR GUID(0x75250d76, 0x8cc6, 0x458e, 0xbd66, 0xbd47cc81a812ull)
#elif defined(__aarch64__)
#define CPU	"ARM-64"
#define CPU_USR GUID(0xb0e01050, 0xee5f, 0x4390, 0x949a, 0x9101b17104e9ull)
#elif defined(__arm__)
#define CPU	"ARM"
#define CPU_USR GUID(0x7d0359a3, 0x02b3, 0x4f0a, 0x865c, 0x654403e70625ull)
#elif defined(__riscv) && __riscv_xlen == 64
#define CPU	"RISC-V-64"
#define CPU_USR GUID(0xbeaec34b, 0x8442, 0x439b, 0xa40b, 0x984381ed097dull)
#elif defined(__s390x__)
#define CPU	"S390X"
#define CPU_USR GUID(0x8a4f5770, 0x50aa, 0x4ed3, 0x874a, 0x99b710db6feaull)
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define CPU	"PPC64LE"
#define CPU_USR GUID(0x15bb03af, 0x77e7, 0x4d4a, 0xb12b, 0xc0d084f7491cull)
#elif defined(__loongarch64)
#define CPU	"LoongArch-64"
#define CPU_USR GUID(0xe611c702, 0x575c, 0x4cbe, 0x9a46, 0x434fa0bf7e3full)
#else
#define CPU "other"
#define CPU_USR   \
	{         \
		0 \
	}
#endif

/* One more than the highest number. */
#define PARTITIONS 256

enum use { OTHER, ROOT, USR, LINUX, MAYBE };

static const struct type {
	unsigned char guid[16];
	const char *name;
	enum use use;
} types[] = {
	{ GUID(0x4f68bce3, 0xe8cd, 0x4db1, 0x96e7, 0xfbcaf984b709ull), "x86-64",
	  ROOT },
	{ GUID(0x44479540, 0xf297, 0x41b2, 0x9af7, 0xd131d5f0458aull), "x86",
	  ROOT },
	{ GUID(0xb921b045, 0x1df0, 0x41c3, 0xaf44, 0x4c6f280d3faeull), "ARM-64",
	  ROOT },
	{ GUID(0x69dad710, 0x2ce4, 0x4e3c, 0xb16c, 0x21a1d49abed3ull), "ARM",
	  ROOT },
	{ GUID(0x72ec70a6, 0xcf74, 0x40e6, 0xbd49, 0x4bda08e8f224ull),
	  "RISC-V-64", ROOT },
	{ GUID(0x5eead9a9, 0xfe09, 0x4a1e, 0xa1d7, 0x520d00531306ull), "S390X",
	  ROOT },
	{ GUID(0xc31c45e6, 0x3f39, 0x412e, 0x80fb, 0x4809c4980599ull),
	  "PPC64LE", ROOT },
	{ GUID(0x77055800, 0x792c, 0x4f94, 0xb39a, 0x98c91b762bb6ull),
	  "LoongArch-64", ROOT },
	{ CPU_USR, "/usr", USR },
	{ GUID(0x0fc63daf, 0x8483, 0x4772, 0x8e79, 0x3d69d8477de4ull), "Linux",
	  LINUX },
	/* older programs gave this type to file systems of Linux, too */
	{ GUID(0xebd0a0a2, 0xb9e5, 0x4433, 0x87c0, 0x68b6b72699c7ull), "data",
	  MAYBE },
	{ GUID(0xc12a7328, 0xf81f, 0x11d2, 0xba4b, 0x00a0c93ec93bull),
	  "EFI system", OTHER },
	{ GUID(0xbc13c2ff, 0x59e6, 0x4262, 0xa352, 0xb275fd6f7172ull), "/boot",
	  OTHER },
	{ GUID(0x21686148, 0x6449, 0x6e6f, 0x744e, 0x656564454649ull),
	  "BIOS boot", OTHER },
	{ GUID(0x0657fd6d, 0xa4ab, 0x43c4, 0x84e5, 0x0933c84b4f4full), "swap",
	  OTHER },
	{ GUID(0x933ac7e1, 0x2eb4, 0x4f13, 0xb844, 0x0e14e2aef915ull), "/home",
	  OTHER },
	{ GUID(0x3b8f8425, 0x20e0, 0x4f3b, 0x907f, 0x1a25a76f98e8ull), "/srv",
	  OTHER },
	{ GUID(0x4d21b016, 0xb534, 0x45c2, 0xa9fb, 0x5c16e091fd2dull), "/var",
	  OTHER },
	{ GUID(0xe6d6d379, 0xf507, 0x44c2, 0xa23c, 0x238f2a3df928ull), "LVM",
	  OTHER },
	{ GUID(0xa19d880f, 0x05fc, 0x4d3b, 0xa006, 0x743f0f84911eull), "RAID",
	  OTHER },
};

struct disk {
	const char *sys, *dev, *name;
	struct gpt gpt;
	bool has_gpt;
	enum use wanted; /* ROOT, USR */
};

/* Of disk->wanted, in messages. */
static const char *const wanted[] = { [ROOT] = "root", [USR] = "/usr" };

struct partition {
	unsigned number;
	bool in_table; /* of a GPT; otherwise e is unset */
	struct gpt_entry e;
	struct super sb; /* of no type: unknown */
};

struct choice {
	unsigned seen, linuxes, only, root;
	char version[sizeof(((struct gpt_entry *)0)->name)];
	bool read_only;
};

/* NULL: another type. */
static const struct type *type_of(const struct partition *p)
{
	for (size_t i = 0; p->in_table && i < sizeof(types) / sizeof(*types);
	     i++)
		if (!memcmp(types[i].guid, p->e.type, 16))
			return &types[i];
	return NULL;
}

static void path_of(char path[PART_PATH], const struct disk *disk, unsigned n)
{
	/* nbd0p1, loop0p1: their names end in a digit */
	nbd_fmt(path, PART_PATH, "%s/%sp%u", disk->dev, disk->name, n);
}

/* Its first sector, of 512 bytes.  0: the kernel has no partition n. */
static uint64_t start_of(const struct disk *disk, unsigned n)
{
	char path[256];

	nbd_fmt(path, sizeof(path), "%s/%s/%sp%u/start", disk->sys, disk->name,
		disk->name, n);
	return file_number(AT_FDCWD, path);
}

/* Asks the kernel alone: whatever is read from the disk is an exchange. */
static bool has_partitions(const struct disk *disk)
{
	unsigned n = 1;

	while (n < PARTITIONS && !start_of(disk, n))
		n++;
	return n < PARTITIONS;
}

/* false: the kernel has no partition n. */
static bool read_partition(struct partition *p, const struct disk *disk,
			   unsigned n)
{
	const unsigned unit = disk->gpt.sector / 512;
	uint64_t start = start_of(disk, n);
	char path[256];
	int fd;

	if (!start)
		return false;
	memset(p, 0, sizeof(*p));
	p->number = n;
	/* the kernel may have another table in mind, or the server, now */
	p->in_table = disk->has_gpt &&
		      init_gpt_read(&disk->gpt, n - 1, &p->e) > 0 &&
		      start % unit == 0 && start / unit == p->e.first;
	path_of(path, disk, n);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (init_super_read(&p->sb, fd))
		p->sb.type = NULL;
	close(fd);
	return true;
}

/* ---- the choice ---- */

static void weigh(struct choice *c, const struct disk *disk,
		  const struct partition *p)
{
	const struct type *t = type_of(p);
	bool linux_fs = p->sb.type && strcmp(p->sb.type, "vfat") != 0;

	c->seen++;
	if (p->in_table && p->e.flags & NO_AUTO)
		return;
	if (t && t->use == disk->wanted &&
	    (t->use == USR || !strcmp(t->name, CPU))) {
		/* systemd-sysupdate has not filled this one in yet */
		if (!strcmp(p->e.name, "_empty") ||
		    (c->root && init_version_order(p->e.name, c->version) <= 0))
			return;
		c->root = p->number;
		c->read_only = p->e.flags & READ_ONLY;
		memcpy(c->version, p->e.name, sizeof(c->version));
	} else if (t ? t->use == LINUX || (t->use == MAYBE && linux_fs)
		     : !disk->has_gpt && linux_fs) {
		c->linuxes++;
		c->only = p->number;
	}
}

static void list(const struct disk *disk)
{
	struct partition p;

	for (unsigned n = 1; n < PARTITIONS; n++) {
		const struct type *t;

		if (!read_partition(&p, disk, n))
			continue;
		t = type_of(&p);
		boot_say("nbdboot.part=%u: %s%s%s%s%s%s%s", n,
			 p.sb.type ? p.sb.type : "unknown contents",
			 t ? ", type " : "",
			 t && t->use == ROOT ? "root of " : "",
			 t ? t->name : "",
			 p.in_table && p.e.name[0] ? ", PARTLABEL=" : "",
			 p.in_table ? p.e.name : "",
			 p.in_table && p.e.flags & NO_AUTO ? ", no-auto" : "");
	}
}

static int none(const struct disk *disk, const struct choice *c, bool off,
		struct nbd_diag *d)
{
	list(disk);
	if (off)
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"%s has %u partitions, and systemd.gpt_auto=0 "
				"lets none be chosen: nbdboot.part= names it",
				disk->name, c->seen);
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s has %u partitions; none is marked as a %s of "
			"this CPU (" CPU "), and %u could be one of Linux: "
			"nbdboot.part= names it",
			disk->name, c->seen, wanted[disk->wanted], c->linuxes);
}

static int choose(char path[PART_PATH], const struct disk *disk,
		  const struct root_spec *r, bool *read_only,
		  struct nbd_diag *d)
{
	const char *gpt_auto = r->cmd ? r->cmd->gpt_auto : NULL;
	bool off = gpt_auto && !boot_words_boolean(gpt_auto);
	struct choice c = { 0 };
	struct partition p;

	for (unsigned n = 1; n < PARTITIONS; n++)
		if (read_partition(&p, disk, n))
			weigh(&c, disk, &p);
	if (off || (!c.root && c.linuxes != 1))
		return none(disk, &c, off, d);
	*read_only = c.root && c.read_only;
	path_of(path, disk, c.root ? c.root : c.only);
	boot_note("%s: the %s is partition %u, %s", disk->name,
		  wanted[disk->wanted], c.root ? c.root : c.only,
		  c.root ? "as the table marks it" : "the only one of Linux");
	return NBD_OK;
}

/* A file system, or an image of a CD, which may have tables for firmware. */
static bool is_whole(int fd)
{
	struct super sb;
	char magic[5];

	return init_super_read(&sb, fd) != NBD_E_NOT_FOUND ||
	       (init_super_bytes(fd, magic, sizeof(magic), 32769) > 0 &&
		!memcmp(magic, "CD001", 5));
}

int init_discover(char path[PART_PATH], const char *sys, const char *dev,
		  const char *name, const struct root_spec *r, bool *read_only,
		  struct nbd_diag *d)
{
	struct disk disk = { .sys = sys,
			     .dev = dev,
			     .name = name,
			     .wanted = r->cmd && r->cmd->usr_only ? USR
								  : ROOT };
	int rc = init_part_find(path, sys, dev, name, r->part, d), fd;
	char file[256];
	uint64_t sector;

	*read_only = false;
	/* without partitions there is no choice */
	if (rc || r->part || !has_partitions(&disk))
		return rc;
	/* nothing may look at what is in a root that is to be verified */
	if (r->cmd && r->cmd->roothash)
		return NBD_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NBD_OK;
	nbd_fmt(file, sizeof(file), "%s/%s/queue/logical_block_size", sys,
		name);
	sector = file_number(AT_FDCWD, file);
	disk.gpt.sector = sector < 512 ? 512 : (uint32_t)sector;
	if (!is_whole(fd)) {
		disk.has_gpt = !init_gpt_open(&disk.gpt, fd, disk.gpt.sector);
		rc = choose(path, &disk, r, read_only, d);
	}
	close(fd);
	return rc;
}

/* ---- its word ---- */

const struct word init_discover_words[] = {
	WORD("systemd.gpt_auto", gpt_auto, WORD_TEXT, 0), WORD_END
};
