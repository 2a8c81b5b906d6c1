/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is read stands in a sparse file in memory, at which the code that init
 * has for devices looks.
 *
 *	MBR --protects--> GPT (sums) --> entries
 *	 '--> 4 entries, and the chain in an extended one
 */
#include "boot/init/disk_part.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boot/init/gpt.h"
#include "boot/init/part_spec.h"
#include "boot/init/super.h"
#include "port/le.h"
#include "port/linux/file.h"

/* Bytes with each superblock that init_super_read() knows. */
#define HEAD	  (68u * 1024)
/* Bytes of a table of entries at most: the kernel takes 256 of them. */
#define TABLE_MAX (256u * 4096)
#define SECTOR	  512u
/* Logical partitions at most, and links of their chain. */
#define LINKS	  251u

struct look {
	const struct disk_bytes *b;
	struct part_spec spec;
	const char *text;
	struct disk_part *found;
	unsigned seen, matches;
	int fd, head; /* of the disk, and of one partition */
	struct nbd_diag *d;
};

/* Copies what the disk has of len bytes at `from` to a file, at `to`. */
static int copy(struct look *l, int fd, uint64_t to, uint64_t from,
		uint64_t len)
{
	unsigned char piece[4096];
	uint64_t size = l->b->size;
	int rc = 0;

	for (size_t n; !rc && len && from < size; from += n, to += n) {
		n = len < sizeof(piece) ? (size_t)len : sizeof(piece);
		if (n > size - from)
			n = (size_t)(size - from);
		rc = l->b->read(l->b->ctx, piece, n, from, l->d);
		if (!rc && !file_write_at(fd, piece, n, to))
			rc = nbd_diag(l->d, NBD_E_NO_MEMORY, "a copy: %s",
				      strerror(errno));
		len -= n;
	}
	return rc;
}

/* ---- one partition ---- */

static int has_super(struct look *l, const struct disk_part *p, bool *yes)
{
	struct super sb;
	uint64_t len = p->len < HEAD ? p->len : HEAD;
	int rc = ftruncate(l->head, 0) ? nbd_diag(l->d, NBD_E_NO_MEMORY,
						  "a copy: %s", strerror(errno))
				       : copy(l, l->head, 0, p->at, len);

	*yes = !rc && !init_super_read(&sb, l->head) &&
	       (l->spec.by == PART_FS_LABEL
			? !strcmp(sb.label, l->spec.value)
			: !strcasecmp(sb.uuid, l->spec.value));
	return rc;
}

/* Sectors of `unit` bytes; name: in a GPT, or "". */
static int visit(struct look *l, unsigned number, uint64_t first,
		 uint64_t count, uint32_t unit, const char *name)
{
	uint64_t all = l->b->size / unit;
	bool inside = first && count && first < all && count <= all - first;
	struct disk_part p = { 0 };
	bool yes = false;
	int rc = 0;

	if (inside)
		p = (struct disk_part){ first * unit, count * unit };
	l->seen++;
	if (l->spec.by == PART_NAME)
		yes = !strcmp(name, l->spec.value);
	else if (l->spec.by <= PART_UUID)
		yes = (long)number == l->spec.number;
	else if (inside)
		rc = has_super(l, &p, &yes);
	if (yes && !inside)
		return nbd_diag(l->d, NBD_E_MISMATCH,
				"%s: partition %u is not in its %llu bytes: "
				"the table is that of another disk",
				l->b->name, number,
				(unsigned long long)l->b->size);
	if (yes)
		*l->found = p;
	l->matches += yes;
	return rc;
}

/* ---- a GPT ---- */

/* CRC-32, as the UEFI specification has it; bit by bit: a table is small. */
static uint32_t crc32_add(uint32_t crc, const unsigned char *p, size_t len)
{
	for (; len; len--) {
		crc ^= *p++;
		for (unsigned k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

static uint32_t crc32_of(int fd, uint64_t at, uint64_t len)
{
	unsigned char piece[SECTOR];
	uint32_t crc = ~0u;

	for (size_t n; len; len -= n, at += n) {
		n = len < sizeof(piece) ? (size_t)len : sizeof(piece);
		if (init_super_bytes(fd, piece, n, at) <= 0)
			memset(piece, 0, n);
		crc = crc32_add(crc, piece, n);
	}
	return ~crc;
}

/* The sum of the header is made as if it were 0 there. */
static bool is_sound(const unsigned char head[SECTOR])
{
	uint32_t len = le32(head + 12);
	unsigned char copy[SECTOR];

	if (len < 92 || len > SECTOR)
		return false;
	memcpy(copy, head, SECTOR);
	memset(copy + 16, 0, 4);
	return ~crc32_add(~0u, copy, len) == le32(head + 16);
}

/* Compares the checksums of the header and of the table, and copies the table. */
static int check_sums(struct look *l, const struct gpt *g)
{
	const uint64_t at = g->table * g->sector;
	unsigned char head[SECTOR];
	uint64_t len;
	int rc;

	if (init_super_bytes(l->fd, head, sizeof(head), g->sector) <= 0 ||
	    !is_sound(head))
		return NBD_E_MISMATCH;
	len = (uint64_t)le32(head + 80) * g->size;
	if (len > TABLE_MAX || at > l->b->size || len > l->b->size - at)
		return NBD_E_MISMATCH;
	rc = copy(l, l->fd, at, at, len);
	if (!rc && crc32_of(l->fd, at, len) != le32(head + 88))
		rc = NBD_E_MISMATCH;
	return rc;
}

static int walk_gpt(struct look *l, const struct gpt *g)
{
	struct gpt_entry e;
	int rc = check_sums(l, g), used;

	if (rc == NBD_E_MISMATCH)
		return nbd_diag(l->d, rc,
				"%s: the sums of its partition table (GPT) are "
				"wrong",
				l->b->name);
	for (unsigned i = 0; !rc && i < g->n; i++) {
		used = init_gpt_read(g, i, &e);
		if (used > 0)
			rc = visit(l, i + 1, e.first,
				   e.last < e.first ? 0 : e.last - e.first + 1,
				   g->sector, e.name);
	}
	return rc;
}

/* NBD_E_NOT_FOUND: there is none. */
static int find_gpt(struct look *l, struct gpt *g)
{
	uint32_t sector = l->b->sector ? l->b->sector : SECTOR;
	uint32_t last = l->b->sector ? l->b->sector : 4096;
	int rc = NBD_E_NOT_FOUND, err;

	for (; rc == NBD_E_NOT_FOUND && sector <= last; sector *= 2) {
		err = copy(l, l->fd, sector, sector, SECTOR);
		rc = err ? err : init_gpt_open(g, l->fd, sector);
	}
	return rc;
}

/* ---- an MBR ---- */

static bool is_extended(unsigned char type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

static int not_sound(struct look *l, const char *what)
{
	return nbd_diag(l->d, NBD_E_MISMATCH, "%s: its partition table %s",
			l->b->name, what);
}

/*
 * Each link has one partition, beside it, and the place of the next link, which
 * is relative to the first one.
 */
static int walk_chain(struct look *l, uint32_t base, uint32_t unit)
{
	unsigned char b[SECTOR], *e;
	uint64_t at = base, next;
	unsigned n = 5;
	int rc;

	for (unsigned links = 0; links < LINKS; links++, at = base + next) {
		if (at >= l->b->size / unit)
			return not_sound(l, "leaves the disk");
		rc = l->b->read(l->b->ctx, b, sizeof(b), at * unit, l->d);
		if (rc)
			return rc;
		if (b[510] != 0x55 || b[511] != 0xaa)
			return not_sound(l, "breaks off");
		next = 0;
		for (e = b + 446; !rc && e < b + 478; e += 16) {
			if (!le32(e + 12))
				continue;
			if (is_extended(e[4]))
				next = le32(e + 8);
			else
				rc = visit(l, n++, at + le32(e + 8),
					   le32(e + 12), unit, "");
		}
		if (rc || !next)
			return rc;
	}
	return not_sound(l, "has no end");
}

static int walk_mbr(struct look *l)
{
	uint32_t unit = l->b->sector ? l->b->sector : SECTOR;
	unsigned char b[SECTOR], *e = b + 446;
	int rc = 0;

	if (init_super_bytes(l->fd, b, sizeof(b), 0) <= 0 || b[510] != 0x55 ||
	    b[511] != 0xaa)
		return nbd_diag(l->d, NBD_E_NOT_FOUND,
				"%s has no partition table", l->b->name);
	for (unsigned i = 1; !rc && i <= 4; i++, e += 16) {
		if (e[4] == 0xee)
			rc = not_sound(l, "(GPT) is damaged, or for sectors of "
					  "another size");
		else if (!le32(e + 12))
			continue;
		else if (is_extended(e[4]))
			rc = walk_chain(l, le32(e + 8), unit);
		else if (e[4])
			rc = visit(l, i, le32(e + 8), le32(e + 12), unit, "");
	}
	return rc;
}

/* ---- the disk ---- */

static int walk(struct look *l)
{
	struct gpt g = { .sector = SECTOR };
	int rc = copy(l, l->fd, 0, 0, SECTOR), gpt, n;

	if (rc)
		return rc;
	gpt = find_gpt(l, &g);
	if (gpt && gpt != NBD_E_NOT_FOUND)
		return gpt;
	if (l->spec.by == PART_UUID) {
		/* walk_gpt() says what is wrong with it */
		if (!gpt)
			check_sums(l, &g);
		n = init_super_partuuid(l->fd, g.sector, l->spec.value);
		/* none has the number 0 */
		l->spec.number = n < 0 ? 0 : n;
	}
	return gpt ? walk_mbr(l) : walk_gpt(l, &g);
}

static int look(struct look *l)
{
	int rc = l->fd < 0 || l->head < 0
			 ? nbd_diag(l->d, NBD_E_NO_MEMORY, "a copy: %s",
				    strerror(errno))
			 : walk(l);

	if (!rc && l->matches != 1)
		rc = nbd_diag(l->d,
			      l->matches ? NBD_E_MISMATCH : NBD_E_NOT_FOUND,
			      "%s: %u of its %u partitions are %s", l->b->name,
			      l->matches, l->seen, l->text);
	return rc;
}

int init_disk_part(struct disk_part *p, const struct disk_bytes *b,
		   const char *word, const char *text, struct nbd_diag *d)
{
	struct look l = { .b = b, .found = p, .text = text, .d = d };
	int rc = init_part_spec(&l.spec, word, text, d);

	if (rc)
		return rc;
	l.fd = memfd_create("table", MFD_CLOEXEC);
	l.head = memfd_create("partition", MFD_CLOEXEC);
	rc = look(&l);
	if (l.fd >= 0)
		close(l.fd);
	if (l.head >= 0)
		close(l.head);
	return rc;
}
