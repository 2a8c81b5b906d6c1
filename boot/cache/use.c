/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	label -> heads -> the newer half of this image -> its sum -> tables
 *
 * All of its data is read once before it is used: a disk may have lost or changed
 * some of it, and what is wrong below dm-verity would be an error of the root.
 */
#include "boot/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "boot/mapper/mapper.h"
#include "boot/prefetch/fetch.h"
#include "port/fnv1a.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/module.h"

#define SECTOR	 512u
#define PIECE	 (1024u * 1024)
/* ms for reading all of it: one that is slower is slower than a server. */
#define CHECK_MS 10000
/* Sectors of a region of the mirror, at which it splits requests: 512 KiB. */
#define REGION	 1024u

struct work {
	struct cache_use *u;
	struct clone_disk disk;
	unsigned half;
	struct cache_half h;
	struct prefetch_fetched at; /* where the extents are on the mirror */
	struct dm m;
	char *table;
	size_t cap;
};

/* ---- which half ---- */

/* Where somebody has made something else, a half may be as it was. */
static int check_label(struct work *w, struct nbd_diag *d)
{
	int rc = clone_disk_open(&w->disk, 0, d);

	if (!rc && !cache_is_ours(w->disk.fd, w->disk.size, w->u->eyes))
		rc = nbd_diag(d, NBD_E_NOT_FOUND, "it is no cache yet");
	clone_disk_close(&w->disk);
	return rc;
}

/* Sets w->half and w->h. */
static int choose(struct work *w, struct nbd_diag *d)
{
	int best = -1, rc, failed = NBD_OK;
	uint64_t turn = 0;
	struct nbd_diag why;

	for (unsigned i = 0; i < CACHE_HALVES; i++) {
		rc = cache_read(&w->h, w->disk.fd, w->disk.size, i, &why);
		if (rc && rc != NBD_E_NOT_FOUND) {
			failed = rc;
			*d = why;
		}
		if (!rc && !strcmp(w->h.list.image, w->u->image) &&
		    (best < 0 || w->h.turn > turn)) {
			best = (int)i;
			turn = w->h.turn;
		}
	}
	if (best < 0)
		return failed ? failed
			      : nbd_diag(d, NBD_E_NOT_FOUND,
					 "it has nothing of this image yet");
	w->half = (unsigned)best;
	return cache_read(&w->h, w->disk.fd, w->disk.size, w->half, d);
}

static int check_sum(struct work *w, struct nbd_diag *d)
{
	/* of a child; too large for a stack; O_DIRECT */
	static _Alignas(4096) unsigned char buf[PIECE];
	uint64_t left = prefetch_sum(&w->h.list) * SECTOR, sum = NBD_FNV1A;
	uint64_t at = cache_data_at(w->disk.size, w->half);
	uint64_t end = nbd_now_ms() + CHECK_MS;
	size_t n;

	for (; left; left -= n, at += n) {
		n = left < PIECE ? (size_t)left : PIECE;
		/* whole blocks: there is room behind the data */
		if (!file_read_at(w->disk.fd, buf, (n + 4095) / 4096 * 4096,
				  at))
			return clone_disk_failed(&w->disk, "read", d);
		for (size_t i = 0; i < n; i++)
			sum = nbd_fnv1a(sum, buf[i]);
		if (nbd_now_ms() > end)
			return nbd_diag(d, NBD_E_TIMEOUT,
					"it is too slow: not read in %u s",
					CHECK_MS / 1000);
	}
	return sum == w->h.sum
		       ? NBD_OK
		       : nbd_diag(d, NBD_E_MISMATCH, "its data is damaged");
}

/* ---- the tables ---- */

/* The extents on nbdN, one after the other. */
static void far_table(struct work *w, const char *below)
{
	struct nbd_out o = { .buf = w->table, .cap = w->cap - 1 };
	const struct prefetch_list *l = &w->h.list;
	uint64_t at = 0;

	for (unsigned i = 0; i < l->n; at += l->e[i++].len) {
		w->at.at[i] = at;
		nbd_putf(&o, "%llu %llu linear %s %llu\n",
			 (unsigned long long)at,
			 (unsigned long long)l->e[i].len, below,
			 (unsigned long long)l->e[i].start);
	}
	w->table[o.len] = '\0';
}

/* A region must not be longer than the target, and is of whole pages. */
static void mirror_table(struct work *w, const char *far)
{
	uint64_t all = prefetch_sum(&w->h.list), region = REGION;

	while (region > all && region > PREFETCH_ALIGN)
		region /= 2;
	nbd_fmt(w->table, w->cap,
		"0 %llu mirror core 2 %llu nosync 2 %s %llu %s 0 "
		"1 handle_errors\n",
		(unsigned long long)all, (unsigned long long)region,
		w->disk.number,
		(unsigned long long)cache_data_at(w->disk.size, w->half) /
			SECTOR,
		far);
}

static int map(struct work *w, const char *below, uint64_t sectors,
	       struct nbd_diag *d)
{
	const struct prefetch_list *l = &w->h.list;
	char far[24], cache[24];
	int index = w->u->index, rc;

	if (l->sectors != sectors)
		return nbd_diag(d, NBD_E_MISMATCH, "it is of another size");
	far_table(w, below);
	rc = mapper_beside(&w->m, MAPPER_FAR, index, w->table, true, far, d);
	if (rc)
		return rc;
	mirror_table(w, far);
	rc = mapper_beside(&w->m, MAPPER_CACHE, index, w->table, true, cache,
			   d);
	if (!rc) {
		prefetch_table(l, &w->at, cache, below, w->table, w->cap);
		rc = mapper_set(&w->m, index, w->table, true, d);
	}
	if (rc)
		mapper_take_beside(&w->m, index);
	return rc;
}

static int map_all(struct work *w, struct nbd_diag *d)
{
	char dev[MAPPER_PATH], below[MAPPER_PATH];
	uint64_t sectors;
	int rc = mapper_below(w->u->index, dev, below, &sectors, d);

	if (!rc)
		rc = clone_disk_check(&w->disk, dev + sizeof("/dev/") - 1, d);
	if (!rc)
		rc = mod_load("dm_mirror", "", d);
	if (rc)
		return rc;
	w->cap = PREFETCH_TABLE(w->h.list.n);
	w->table = mmap(NULL, w->cap, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->table == MAP_FAILED)
		return nbd_diag(d, NBD_E_NO_MEMORY, "%zu bytes for a table",
				w->cap);
	rc = dm_open(&w->m, DM_ROOM + w->cap, d);
	if (!rc) {
		rc = map(w, below, sectors, d);
		dm_close(&w->m);
	}
	munmap(w->table, w->cap);
	return rc;
}

int cache_use(struct cache_use *u, struct nbd_diag *d)
{
	/* of a child; too large for a stack */
	static struct work w;
	int rc;

	w = (struct work){ .u = u, .disk.fd = -1 };
	nbd_fmt(w.disk.path, sizeof(w.disk.path), "%s", u->path);
	rc = check_label(&w, d);
	if (!rc)
		rc = clone_disk_open(&w.disk, O_DIRECT, d);
	if (!rc)
		rc = choose(&w, d);
	if (!rc)
		rc = check_sum(&w, d);
	if (!rc)
		rc = map_all(&w, d);
	clone_disk_close(&w.disk);
	if (rc)
		return rc;
	u->extents = w.h.list.n;
	u->sectors = prefetch_sum(&w.h.list);
	return (int)w.half;
}
