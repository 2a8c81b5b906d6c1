/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nothing of the image is looked at but the superblock of the tree, before the
 * kernel has the table.
 */
#include "boot/init/verity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/init/super.h"
#include "boot/mapper/mapper.h"
#include "boot/verity/tree.h"
#include "port/linux/file.h"
#include "port/linux/module.h"

/* Bytes of a read of all, a multiple of every block size. */
#define PIECE (256u << 10)

/* ---- the devices ---- */

struct device {
	char number[24]; /* "43:0" */
	uint64_t size;
};

static int look_at(struct device *dev, const char *path, struct nbd_diag *d)
{
	char sys[64];
	struct stat st;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return nbd_diag(d, NBD_E_NO_DEVICE, "%s: not a block device",
				path);
	nbd_fmt(dev->number, sizeof(dev->number), "%u:%u", major(st.st_rdev),
		minor(st.st_rdev));
	nbd_fmt(sys, sizeof(sys), "/sys/dev/block/%s/size", dev->number);
	dev->size = file_number(AT_FDCWD, sys) * 512;
	return NBD_OK;
}

static int open_device(const char *path, struct nbd_diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd
		       : nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s", path,
				  strerror(errno));
}

/* ---- the tree ---- */

struct search {
	struct verity_tree *tree;
	const struct verity_wanted *w;
	struct verity_room room;
	int fd; /* of the device with the hashes */
};

static int look_for(const struct search *s, uint64_t at, struct nbd_diag *d)
{
	uint8_t sb[VERITY_SUPER];
	int rc = init_super_bytes(s->fd, sb, sizeof(sb), at);

	if (rc < 0)
		return nbd_diag(d, rc, "read the superblock of verity: %s",
				strerror(errno));
	if (!rc)
		return nbd_diag(
			d, NBD_E_NOT_FOUND,
			"verity: byte %llu, where the superblock should "
			"be, is behind the end",
			(unsigned long long)at);
	return verity_tree_parse(s->tree, sb, at, s->w, &s->room, d);
}

/*
 * Behind the data on one device, whose size then says where, but for what pads
 * the image.  Of several superblocks the first that can be true is taken.
 */
static int search(const struct search *s, struct nbd_diag *d)
{
	uint64_t step = s->w->data_block == VERITY_UNSET ? 4096
							 : s->w->data_block;
	uint64_t first = verity_tree_guess(s->room.hash, s->w), at = first;
	struct nbd_diag why;
	int rc = NBD_E_NOT_FOUND, one = NBD_E_NOT_FOUND;

	for (; at >= step && first - at <= VERITY_PADDING; at -= step) {
		one = look_for(s, at, &why);
		if (!one || one == NBD_E_IO) {
			*d = why;
			return one;
		}
		/* the reason of a superblock says more than that of none */
		if (rc == NBD_E_NOT_FOUND && one != rc) {
			*d = why;
			rc = one;
		}
		if (at == first)
			posix_fadvise(s->fd,
				      at > VERITY_PADDING
					      ? (off_t)(at - VERITY_PADDING)
					      : 0,
				      VERITY_PADDING, POSIX_FADV_WILLNEED);
	}
	if (rc != NBD_E_NOT_FOUND)
		return rc;
	return nbd_diag(
		d, rc,
		"verity: no superblock behind the data, neither at byte "
		"%llu nor up to 1 MiB before it "
		"(systemd.verity_%s_options=hash-offset= says where)",
		(unsigned long long)first, s->w->of);
}

static int find_tree(const struct search *s, struct nbd_diag *d)
{
	uint64_t at = s->w->hash_offset;

	if (s->w->bare)
		return verity_tree_bare(s->tree, at == VERITY_UNSET ? 0 : at,
					s->w, &s->room, d);
	if (at == VERITY_UNSET && s->room.same)
		return search(s, d);
	return look_for(s, at == VERITY_UNSET ? 0 : at, d);
}

/* ---- the mapping ---- */

/*
 * The kernel asks for no module where generic code is built in, and a table
 * keeps the code that it began with.
 */
static int load_modules(const struct verity_wanted *w, struct nbd_diag *d)
{
	char alias[32];
	int rc;

	nbd_fmt(alias, sizeof(alias), "crypto-%s", verity_algorithm(w));
	mod_load_alias(alias, NULL);
	rc = mod_load("dm_verity", "", d);
	/* it may be built in; else the table is refused, for this reason */
	return rc == NBD_E_NOT_FOUND ? NBD_OK : rc;
}

static int not_that(const struct verity_wanted *w, uint64_t at,
		    struct nbd_diag *d)
{
	char root[VERITY_HEX];

	verity_hex(root, w->root, w->digest);
	return nbd_diag(d, NBD_E_MISMATCH,
			"verity: byte %llu of the image, or the tree above it, "
			"is wrong for %shash=%.*s...: this is another image, "
			"or one that was changed",
			(unsigned long long)at, w->of, 16, root);
}

/* Reads the first `most` bytes, piece by piece. */
static int read_first(const struct verity_wanted *w, const char *disk,
		      const char *dev, uint64_t most, struct nbd_diag *d)
{
	void *buf = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_device(dev, d), rc = fd < 0 ? fd : 1;
	uint64_t at = 0;

	if (buf == MAP_FAILED)
		rc = nbd_diag(d, NBD_E_NO_MEMORY, "verity: %u bytes", PIECE);
	for (; rc > 0 && at < most; at += PIECE) {
		size_t len = most - at < PIECE ? (size_t)(most - at) : PIECE;

		rc = init_super_bytes(fd, buf, len, at);
		if (rc < 0)
			rc = mapper_is_corrupt(disk)
				     ? not_that(w, at, d)
				     : nbd_diag(d, rc, "read %s: %s", dev,
						strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	if (buf != MAP_FAILED)
		munmap(buf, PIECE);
	return rc < 0 ? rc : NBD_OK;
}

/* A root that is wrong from the beginning is a message, whatever the policy. */
static int cover(const struct verity_tree *t, const struct verity_wanted *w,
		 const struct device devices[3], const char *disk,
		 char dev[PART_PATH], struct nbd_diag *d)
{
	struct verity_wanted first = *w;
	char table[VERITY_TABLE];
	const char *data = devices[0].number, *hash = devices[1].number;
	const char *codes = w->fec ? devices[2].number : NULL;
	int rc;

	first.policy = "";
	if (verity_tree_table(table, t, &first, data, hash, codes) < 0)
		return NBD_E_NO_MEMORY;
	rc = mapper_cover(disk, table, dev, d);
	if (rc)
		return rc;
	rc = read_first(w, disk, dev, t->data_block, d);
	if (!rc && *w->policy) {
		verity_tree_table(table, t, w, data, hash, codes);
		rc = mapper_cover(disk, table, dev, d);
	}
	if (rc)
		mapper_uncover(disk, NULL);
	return rc;
}

int init_verity_map(const struct verity_wanted *w,
		    const struct verity_devices *on, char dev[PART_PATH],
		    struct nbd_diag *d)
{
	struct device devices[3] = { { .size = 0 } };
	struct verity_tree tree = { 0 };
	struct search s = { .tree = &tree, .w = w };
	int rc = look_at(&devices[0], on->data, d);

	if (!rc)
		rc = look_at(&devices[1], on->hash, d);
	if (!rc && on->codes)
		rc = look_at(&devices[2], on->codes, d);
	if (rc)
		return rc;
	s.room = (struct verity_room){ devices[0].size, devices[1].size,
				       !strcmp(on->data, on->hash),
				       on->codes &&
					       !strcmp(on->codes, on->hash) };
	s.fd = open_device(on->hash, d);
	if (s.fd < 0)
		return s.fd;
	rc = find_tree(&s, d);
	close(s.fd);
	if (!rc && w->fec)
		rc = verity_tree_codes(&tree, w, &s.room, d);
	if (rc)
		return rc;
	rc = load_modules(w, d);
	return rc ? rc : cover(&tree, w, devices, on->disk, dev, d);
}

int init_verity_read(const struct verity_wanted *w, const char *disk,
		     const char *dev, struct nbd_diag *d)
{
	struct device device = { .size = 0 };
	int rc = look_at(&device, dev, d);

	return rc ? rc : read_first(w, disk, dev, device.size, d);
}
