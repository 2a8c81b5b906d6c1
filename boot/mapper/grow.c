/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapping whose device, or partition of it, has grown. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

/* Bytes for a table of one target. */
#define ROOM	   (DM_ROOM + 1024)
/* More than a disk has. */
#define PARTITIONS 256

static void print_table(char table[MAPPER_LINE], const char *number,
			uint64_t sectors)
{
	nbd_fmt(table, MAPPER_LINE, "0 %llu linear %s 0",
		(unsigned long long)sectors, number);
}

/* Does the table map the device of this directory, all that it had? */
static bool maps(const char *table, const char *sys, char number[24],
		 uint64_t mapped)
{
	char path[128], now[MAPPER_LINE];
	int n;

	nbd_fmt(path, sizeof(path), "%s/dev", sys);
	n = file_read(AT_FDCWD, path, number, 24);
	if (n <= 0)
		return false;
	number[strcspn(number, "\n")] = '\0';
	print_table(now, number, mapped);
	return !strcmp(now, table);
}

/*
 * Sets table to the larger one.  False: the mapping has several parts, or is as
 * large as nbdN, or its partition.
 */
static bool has_grown(char table[MAPPER_LINE], int index)
{
	char sys[96], path[128], number[24];
	uint64_t sectors, mapped;
	size_t len = strlen(table);
	unsigned part = 0;
	bool found;

	while (len && strchr(" \n", table[len - 1]))
		table[--len] = '\0';
	mapped = len > 2 ? strtoull(table + 2, NULL, 10) : 0;
	nbd_fmt(sys, sizeof(sys), "%s/nbd%d", nbdk_sys, index);
	while (!(found = maps(table, sys, number, mapped)) &&
	       ++part < PARTITIONS)
		nbd_fmt(sys, sizeof(sys), "%s/nbd%d/nbd%dp%u", nbdk_sys, index,
			index, part);
	if (!found)
		return false;
	nbd_fmt(path, sizeof(path), "%s/size", sys);
	sectors = file_number(AT_FDCWD, path);
	if (sectors <= mapped)
		return false;
	print_table(table, number, sectors);
	return true;
}

static int set(struct dm *dm, int index, const char *table, struct nbd_diag *d)
{
	char ro[64];

	nbd_fmt(ro, sizeof(ro), "%s/nbd%d/ro", nbdk_sys, index);
	return mapper_set(dm, index, table, file_number(AT_FDCWD, ro), d);
}

int mapper_grow(int dev, int run, int index, struct nbd_diag *d)
{
	char name[MAPPER_NAME], table[MAPPER_LINE];
	struct dm dm;
	int n, rc = mapper_lock(run, index, false, d);

	if (!rc)
		rc = dm_open_at(&dm, dev, ROOM, d);
	if (rc)
		return rc;
	mapper_name(name, index);
	n = dm_find(&dm, name, d);
	/* one that has no room has many parts */
	if (n < 0)
		rc = n == NBD_E_NOT_FOUND ? NBD_OK : n;
	else if (dm_text(&dm, name, false, table, sizeof(table), NULL) > 0 &&
		 has_grown(table, index))
		rc = set(&dm, index, table, d);
	dm_close(&dm);
	return rc;
}
