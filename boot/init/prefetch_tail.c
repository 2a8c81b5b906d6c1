/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list behind the data of an image, which needs one read and no mounted root:
 *
 *	data | the list, as in a file | zeros | "nbdboot-prefetch-tail START BYTES\n"
 *	     ^ START, of 4 KiB                 ^ the last sector, filled with zeros
 *
 * The file system ends at the data, and does not know of the rest.
 */
#include "boot/init/prefetch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/super.h"
#include "port/linux/file.h"

#define MARK   "nbdboot-prefetch-tail "
#define SECTOR 512u
/* Images end at multiples of it: their devices may have such sectors. */
#define BLOCK  4096u
/* Bytes of the first read, which has all of most lists. */
#define FIRST  16384u

struct tail {
	uint64_t size;	/* of the image */
	uint64_t start; /* of the list, and end of the data */
	size_t len;	/* of the list */
	size_t have;	/* of last: what it has of the image */
	unsigned char last[FIRST];
};

/* START BYTES of the last sector; false: there are none, or they are wrong. */
static bool take_mark(struct tail *t)
{
	const char *p = (char *)t->last + t->have - SECTOR, *end = p + SECTOR;
	uint64_t start, len, room = t->size - SECTOR;

	if (memcmp(p, MARK, sizeof(MARK) - 1) != 0)
		return false;
	p += sizeof(MARK) - 1;
	if (!nbd_take_number(&p, end, room, &start) || p == end ||
	    *p++ != ' ' || !nbd_take_number(&p, end, PREFETCH_FILE, &len) ||
	    p == end || *p != '\n' || start % BLOCK || len > room - start)
		return false;
	t->start = start;
	t->len = (size_t)len;
	return true;
}

/* NBD_E_NOT_FOUND: there is no list, and the data ends at the end. */
static int open_tail(struct tail *t, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	int rc;

	t->len = 0;
	t->size = t->start = size < 0 ? 0 : (uint64_t)size;
	if (t->size < SECTOR)
		return NBD_E_NOT_FOUND;
	t->have = t->size < FIRST ? (size_t)t->size : FIRST;
	rc = init_super_bytes(fd, t->last, t->have, t->size - t->have);
	if (rc <= 0)
		return rc ? rc : NBD_E_NOT_FOUND;
	return take_mark(t) ? NBD_OK : NBD_E_NOT_FOUND;
}

int init_prefetch_tail(struct prefetch_list *l, int fd, struct nbd_diag *d)
{
	/* of a child or a command; too large for a stack */
	static char text[PREFETCH_FILE];
	static struct tail t;
	int rc = open_tail(&t, fd);

	if (rc == NBD_E_NOT_FOUND)
		return rc;
	if (!rc && t.size - t.start <= t.have)
		memcpy(text, t.last + t.have - (t.size - t.start), t.len);
	else if (!rc && init_super_bytes(fd, text, t.len, t.start) != 1)
		rc = NBD_E_IO;
	if (!rc)
		rc = prefetch_parse(l, text, t.len, d);
	else
		nbd_diag(d, rc, "it cannot be read");
	return rc ? nbd_diag_prefix(d, rc, "behind the image") : NBD_OK;
}

/* ---- for commands ---- */

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * Makes it the list of an image of t->size, which has room for its text.  Sets
 * o, and t->start and t->size to those that the image will have: it never gets
 * smaller, as machines that use it would not accept that.
 */
static void fit(struct prefetch_list *l, struct tail *t, struct nbd_out *o)
{
	uint64_t size;

	t->start = up(t->start, BLOCK);
	/* more digits of the size make the text longer, at most once */
	do {
		size = t->size;
		l->sectors = size / SECTOR;
		o->len = 0;
		prefetch_print(l, o);
		t->size = up(t->start + up(o->len, SECTOR) + SECTOR, BLOCK);
		if (t->size < size)
			t->size = size;
	} while (t->size != size);
}

static int write_tail(int fd, const struct tail *t, const struct nbd_out *o)
{
	char mark[SECTOR] = "";

	nbd_fmt(mark, sizeof(mark), MARK "%llu %zu\n",
		(unsigned long long)t->start, o->len);
	/* in this order: half of it is none */
	if (ftruncate(fd, (off_t)t->size) ||
	    !file_write_at(fd, o->buf, o->len, t->start) || fsync(fd) ||
	    !file_write_at(fd, mark, SECTOR, t->size - SECTOR) || fsync(fd))
		return NBD_E_IO;
	return NBD_OK;
}

/* Is it a list of the image, with the one that is there, or without? */
static int check(const struct prefetch_list *l, const char *image,
		 const struct tail *t, struct nbd_diag *d)
{
	uint64_t without = t->start / SECTOR, with = t->size / SECTOR;

	if (!strcmp(image, "-"))
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"it has no file system, or has it in a "
				"partition");
	return prefetch_is_of(l, image, l->sectors == without ? without : with,
			      d);
}

int init_prefetch_append(struct prefetch_list l[2], const char *image, int fd,
			 struct nbd_diag *d)
{
	/* of a command; too large for a stack */
	static char text[PREFETCH_FILE];
	static struct tail t;
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	int rc = open_tail(&t, fd);

	if (rc && rc != NBD_E_NOT_FOUND)
		return nbd_diag(d, rc, "it cannot be read");
	rc = check(l, image, &t, d);
	if (rc)
		return rc;
	/* the last extent may end where the image did */
	l[1] = (struct prefetch_list){ .sectors = PREFETCH_DISK };
	memcpy(l[1].image, l->image, sizeof(l->image));
	for (unsigned i = 0; i < l->n; i++)
		prefetch_add(l + 1, l->e[i].start, l->e[i].len);
	fit(l + 1, &t, &o);
	rc = write_tail(fd, &t, &o);
	return rc ? nbd_diag(d, rc, "%s", strerror(errno)) : NBD_OK;
}
