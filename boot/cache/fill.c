/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	device -> boot is over -> label -> clear the head -> data -> head
 *
 * with a flush behind each.  The half in use is only read, through the mapping,
 * as is what the server has.
 */
#include "boot/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "port/fnv1a.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"

#define SECTOR 512u
#define PIECE  (256u * 1024)

/* Of one process; too large for a stack. */
static struct cache_half old, next;
static struct prefetch_list work;

/* ---- the device ---- */

/* May what it holds be lost? */
static int may_erase(struct cache_fill *f, struct nbd_diag *d)
{
	const struct clone_disk *disk = &f->disk;
	char text[CLONE_HOLD];

	if (cache_is_ours(disk->fd, disk->size, f->eyes) ||
	    !f->eyes->look(disk->fd, disk->name, disk->size, text))
		return NBD_OK;
	if (!f->spec.erase)
		return nbd_diag(d, NBD_E_IN_USE,
				"%s is not empty: it holds %s; \"erase\" "
				"overwrites it",
				disk->path, text);
	boot_say("cache: %s, which holds %s, is erased when the boot is over",
		 disk->path, text);
	return NBD_OK;
}

static int check(struct cache_fill *f, struct nbd_diag *d)
{
	int rc;

	if (!cache_room(f->disk.size))
		return nbd_diag(d, NBD_E_USAGE,
				"%s is too small: it has %llu bytes, and %u "
				"MiB are needed",
				f->disk.path, (unsigned long long)f->disk.size,
				2 * CACHE_END / 1048576 + CACHE_HALVES);
	rc = clone_disk_check(&f->disk, f->mapping, d);
	return rc ? rc : may_erase(f, d);
}

int cache_fill_begin(struct cache_fill *f, struct nbd_diag *d)
{
	int rc = mapper_find(f->index, f->mapping, d);

	f->from = -1;
	f->disk.fd = -1;
	if (!rc)
		rc = f->eyes->find(f->disk.path, f->spec.device, d);
	f->devices = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* the mapping has claimed what it uses */
	if (!rc)
		rc = clone_disk_open(&f->disk, f->half < 0 ? O_EXCL : 0, d);
	return rc || f->half >= 0 ? rc : check(f, d);
}

static int put(const struct cache_fill *f, const void *data, size_t len,
	       uint64_t at, struct nbd_diag *d)
{
	return file_write_at(f->disk.fd, data, len, at)
		       ? NBD_OK
		       : clone_disk_failed(&f->disk, "write", d);
}

static int flush(const struct cache_fill *f, struct nbd_diag *d)
{
	return fsync(f->disk.fd) ? clone_disk_failed(&f->disk, "flush", d)
				 : NBD_OK;
}

/* From here on it is a cache, with nothing in it unless it was one. */
static int claim(const struct cache_fill *f, struct nbd_diag *d)
{
	const struct clone_disk *disk = &f->disk;
	char label[CACHE_LABEL];
	int rc = NBD_OK;

	if (cache_is_ours(disk->fd, disk->size, f->eyes))
		return NBD_OK;
	if (f->half >= 0)
		return nbd_diag(d, NBD_E_IN_USE, "%s is no cache any more",
				disk->path);
	for (unsigned i = 0; !rc && i < CACHE_HALVES; i++)
		rc = clone_disk_wipe(disk, cache_head_at(disk->size, i),
				     cache_data_at(disk->size, i), d);
	if (!rc)
		rc = clone_disk_wipe(disk, disk->size - CACHE_END, disk->size,
				     d);
	if (!rc)
		rc = clone_disk_wipe(disk, 0, CACHE_END, d);
	if (!rc)
		rc = flush(f, d);
	cache_label(label, disk->size);
	if (!rc)
		rc = put(f, label, sizeof(label), 0, d);
	return rc ? rc : flush(f, d);
}

/* ---- the data ---- */

static int read_extent(const struct cache_fill *f, struct prefetch_extent e,
		       uint64_t *to, struct nbd_diag *d)
{
	/* too large for a stack; O_DIRECT */
	static _Alignas(4096) unsigned char buf[PIECE];
	uint64_t at = e.start * SECTOR, left = e.len * SECTOR;
	size_t n;
	int rc = NBD_OK;

	for (; !rc && left; left -= n, at += n, *to += n) {
		n = left < PIECE ? (size_t)left : PIECE;
		if (!file_read_at(f->from, buf, n, at))
			return nbd_diag(d, NBD_E_IO, "read the root: %s",
					strerror(errno));
		for (size_t i = 0; i < n; i++)
			next.sum = nbd_fnv1a(next.sum, buf[i]);
		rc = put(f, buf, n, *to, d);
	}
	return rc;
}

/* Until its head is written again a half has nothing. */
static int empty(const struct cache_fill *f, unsigned half, struct nbd_diag *d)
{
	uint64_t size = f->disk.size;
	int rc = clone_disk_wipe(&f->disk, cache_head_at(size, half),
				 cache_data_at(size, half), d);

	return rc ? rc : flush(f, d);
}

/*
 * What a server sends may be wrong, and is kept as it is, with a sum that is
 * right.  Only dm-verity above knows: then the next boot asks the servers.
 */
static int empty_all(const struct cache_fill *f, struct nbd_diag *d)
{
	int rc = NBD_OK;

	for (unsigned i = 0; !rc && i < CACHE_HALVES; i++)
		rc = empty(f, i, d);
	if (!rc)
		boot_say(
			"cache: %s is emptied: a block of the root was not what "
			"its hash says",
			f->disk.path);
	return rc;
}

static int write_half(const struct cache_fill *f, unsigned half,
		      struct nbd_diag *d)
{
	static char text[CACHE_HEAD];
	const struct clone_disk *disk = &f->disk;
	uint64_t to = cache_data_at(disk->size, half);
	int rc = empty(f, half, d);

	for (unsigned i = 0; !rc && i < next.list.n; i++)
		rc = read_extent(f, next.list.e[i], &to, d);
	if (!rc)
		rc = flush(f, d);
	/* nobody will read it through this */
	posix_fadvise(disk->fd, 0, 0, POSIX_FADV_DONTNEED);
	cache_head_print(&next, half, text);
	if (!rc)
		rc = put(f, text, sizeof(text), cache_head_at(disk->size, half),
			 d);
	return rc ? rc : flush(f, d);
}

/*
 * The half to write: that which is not in use, and of two such ones one without a
 * head that can be read, or the older one.  Sets next.turn, and old to what is in use.
 */
static int choose_half(const struct cache_fill *f, unsigned *half,
		       struct nbd_diag *d)
{
	uint64_t turns[CACHE_HALVES] = { 0 };
	const struct clone_disk *disk = &f->disk;
	int rc;

	for (unsigned i = 0; i < CACHE_HALVES; i++) {
		rc = cache_read(&old, disk->fd, disk->size, i, d);
		if (rc && f->half == (int)i)
			return rc;
		turns[i] = rc ? 0 : old.turn;
	}
	*half = f->half < 0 ? turns[0] > turns[1] : !f->half;
	next.turn = (turns[0] > turns[1] ? turns[0] : turns[1]) + 1;
	return f->half < 0 ? NBD_OK
			   : cache_read(&old, disk->fd, disk->size,
					(unsigned)f->half, d);
}

static bool is_corrupt(const struct cache_fill *f)
{
	char root[16];
	struct dm dm;
	bool corrupt;

	if (dm_open_at(&dm, f->devices, DM_ROOM, NULL))
		return false;
	nbd_fmt(root, sizeof(root), "nbd%d", f->index);
	corrupt = mapper_cover_is_corrupt(&dm, root);
	dm_close(&dm);
	return corrupt;
}

static int open_mapping(struct cache_fill *f, struct nbd_diag *d)
{
	f->from =
		openat(f->devices, f->mapping, O_RDONLY | O_DIRECT | O_CLOEXEC);
	return f->from < 0 ? nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s",
				      f->mapping, strerror(errno))
			   : NBD_OK;
}

static int fill(struct cache_fill *f, struct prefetch_list *l,
		struct nbd_diag *d)
{
	const struct clone_disk *disk = &f->disk;
	unsigned half;
	int rc = claim(f, d);

	if (!rc && is_corrupt(f))
		return empty_all(f, d);
	if (!rc)
		rc = choose_half(f, &half, d);
	if (rc)
		return rc;
	if (!cache_choose(l, f->half < 0 ? NULL : &old.list,
			  cache_room(disk->size), &work)) {
		boot_say("cache: %s has all that this boot has read",
			 disk->path);
		return NBD_OK;
	}
	next.list = *l;
	nbd_fmt(next.list.image, sizeof(next.list.image), "%s", f->image);
	next.device = disk->size / SECTOR;
	next.sum = NBD_FNV1A;
	rc = open_mapping(f, d);
	if (!rc)
		rc = write_half(f, half, d);
	if (f->from >= 0)
		close(f->from);
	if (!rc)
		boot_say("cache: %s has %llu KiB in %u extents for the next "
			 "boot",
			 disk->path,
			 (unsigned long long)prefetch_sum(&next.list) / 2,
			 next.list.n);
	return rc;
}

int cache_fill_run(struct cache_fill *f, struct prefetch_list *l,
		   struct nbd_diag *d)
{
	int rc = fill(f, l, d);

	clone_disk_close(&f->disk);
	return rc;
}
