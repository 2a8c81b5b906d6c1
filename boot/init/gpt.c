/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a GUID partition table, none of whose numbers is trusted. */
#include "boot/init/gpt.h"

#include <string.h>

#include "boot/init/super.h"
#include "port/le.h"

/* The kernel makes at most so many partitions of one disk. */
#define ENTRIES	  256
#define ENTRY_MIN 128u
#define ENTRY_MAX 4096u

/* Alone, or beside others: a hybrid. */
static bool protects(const unsigned char *mbr)
{
	for (unsigned i = 446; i < 510; i += 16)
		if (mbr[i + 4] == 0xee && le32(mbr + i + 8) == 1)
			return mbr[510] == 0x55 && mbr[511] == 0xaa;
	return false;
}

int init_gpt_open(struct gpt *g, int fd, uint32_t sector)
{
	/* no byte of an entry is behind the largest offset */
	const uint64_t most = INT64_MAX - ENTRIES * ENTRY_MAX;
	unsigned char head[512];
	int rc = init_super_bytes(fd, head, sizeof(head), 0);

	if (rc > 0 && !protects(head))
		return NBD_E_NOT_FOUND;
	if (rc > 0)
		rc = init_super_bytes(fd, head, 92, sector);
	if (rc < 0)
		return rc;
	if (!rc || memcmp(head, "EFI PART", 8) != 0)
		return NBD_E_NOT_FOUND;
	g->fd = fd;
	g->sector = sector;
	g->last = le64(head + 48);
	g->table = le64(head + 72);
	g->n = le32(head + 80);
	g->size = le32(head + 84);
	if (g->n > ENTRIES)
		g->n = ENTRIES;
	if (g->size < ENTRY_MIN || g->size > ENTRY_MAX ||
	    g->table > most / sector)
		return NBD_E_NOT_FOUND;
	return NBD_OK;
}

bool init_gpt_find(struct gpt *g, int fd)
{
	for (uint32_t sector = 512; sector <= 4096; sector *= 2)
		if (!init_gpt_open(g, fd, sector))
			return true;
	return false;
}

static void read_name(char name[37], const unsigned char *p)
{
	size_t i;

	/* UTF-16 */
	for (i = 0; i < 36 && (p[2 * i] || p[2 * i + 1]); i++)
		name[i] =
			(char)(p[2 * i + 1] || p[2 * i] > 126 ? '?' : p[2 * i]);
	name[i] = '\0';
}

int init_gpt_read(const struct gpt *g, unsigned i, struct gpt_entry *e)
{
	static const unsigned char unused[16];
	unsigned char p[ENTRY_MIN];
	int rc;

	if (i >= g->n)
		return 0;
	rc = init_super_bytes(g->fd, p, sizeof(p),
			      g->table * g->sector + (uint64_t)i * g->size);
	if (rc <= 0)
		return rc;
	memcpy(e->type, p, 16);
	memcpy(e->uuid, p + 16, 16);
	e->first = le64(p + 32);
	e->last = le64(p + 40);
	e->flags = le64(p + 48);
	read_name(e->name, p + 56);
	return memcmp(e->type, unused, 16) != 0;
}
