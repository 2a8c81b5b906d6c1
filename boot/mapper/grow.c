/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapping whose device has grown. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

/* Bytes for a table of one target. */
#define ROOM (DM_ROOM + 1024)

static void print_table(char table[MAPPER_LINE], const char *number,
			uint64_t sectors)
{
	nbd_fmt(table, MAPPER_LINE, "0 %llu linear %s 0",
		(unsigned long long)sectors, number);
}

/*
 * Sets table to the larger one.  False: the mapping has several parts, or is one
 * of a partition, or is as large as the device.
 */
static bool has_grown(char table[MAPPER_LINE], int index)
{
	char path[64], number[24], now[MAPPER_LINE];
	uint64_t sectors, mapped;
	size_t len = strlen(table);

	while (len && strchr(" \n", table[len - 1]))
		table[--len] = '\0';
	nbd_fmt(path, sizeof(path), "%s/nbd%d/dev", nbdk_sys, index);
	file_read(AT_FDCWD, path, number, sizeof(number));
	number[strcspn(number, "\n")] = '\0';
	nbd_fmt(path, sizeof(path), "%s/nbd%d/size", nbdk_sys, index);
	sectors = file_number(AT_FDCWD, path);
	mapped = len > 2 ? strtoull(table + 2, NULL, 10) : 0;
	print_table(now, number, mapped);
	if (strcmp(now, table) != 0 || sectors <= mapped)
		return false;
	print_table(table, number, sectors);
	return true;
}

/* A new table has the kernel's own read-ahead: it keeps what it had. */
static int set(struct dm *m, int n, int index, const char *table,
	       struct nbd_diag *d)
{
	char ahead[64], ro[64], value[24];
	int len, rc;

	nbd_fmt(ahead, sizeof(ahead), "%s/dm-%d/queue/read_ahead_kb", nbdk_sys,
		n);
	len = file_read(AT_FDCWD, ahead, value, sizeof(value));
	nbd_fmt(ro, sizeof(ro), "%s/nbd%d/ro", nbdk_sys, index);
	rc = mapper_set(m, index, table, file_number(AT_FDCWD, ro), d);
	if (!rc && len > 0)
		file_write(AT_FDCWD, ahead, value, (size_t)len);
	return rc;
}

int mapper_grow(int dev, int run, int index, struct nbd_diag *d)
{
	char name[MAPPER_NAME], table[MAPPER_LINE];
	struct dm m;
	int n, rc = mapper_lock(run, index, false, d);

	if (!rc)
		rc = dm_open_at(&m, dev, ROOM, d);
	if (rc)
		return rc;
	mapper_name(name, index);
	n = dm_find(&m, name, d);
	/* one that has no room has many parts */
	if (n < 0)
		rc = n == NBD_E_NOT_FOUND ? NBD_OK : n;
	else if (dm_text(&m, name, false, table, sizeof(table), NULL) > 0 &&
		 has_grown(table, index))
		rc = set(&m, n, index, table, d);
	dm_close(&m);
	return rc;
}
