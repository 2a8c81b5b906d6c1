/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of nbd devices: put, looked at, taken away. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"

#define PREFIX "nbdboot-"
/* Bytes for small tables and lists of devices. */
#define ROOM   65536

static void name_of(char name[MAPPER_NAME], int index)
{
	nbd_fmt(name, MAPPER_NAME, PREFIX "nbd%d", index);
}

/* The table that maps it one to one.  *read_only: as the device is. */
static int one_to_one(char table[MAPPER_LINE], const char *path,
		      bool *read_only, struct nbd_diag *d)
{
	char sys[64];
	struct stat st;
	uint64_t sectors;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return nbd_diag(d, NBD_E_NO_DEVICE, "%s: not a block device",
				path);
	nbd_fmt(sys, sizeof(sys), "/sys/dev/block/%u:%u/size",
		major(st.st_rdev), minor(st.st_rdev));
	sectors = file_number(AT_FDCWD, sys);
	nbd_fmt(sys, sizeof(sys), "/sys/dev/block/%u:%u/ro", major(st.st_rdev),
		minor(st.st_rdev));
	*read_only = file_number(AT_FDCWD, sys);
	nbd_fmt(table, MAPPER_LINE, "0 %llu linear %u:%u 0\n",
		(unsigned long long)sectors, major(st.st_rdev),
		minor(st.st_rdev));
	return sectors ? NBD_OK
		       : nbd_diag(d, NBD_E_NO_DEVICE, "%s: it has no size",
				  path);
}

int mapper_set(struct dm *m, int index, const char *table, bool read_only,
	       struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	int rc;

	name_of(name, index);
	rc = dm_load(m, name, table, read_only, d);
	return rc ? rc : dm_resume(m, name, d);
}

/* Returns N of /dev/dm-N; after a failure nothing is left. */
static int make(struct dm *m, int index, const char *table, bool read_only,
		struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	int n, rc;

	name_of(name, index);
	dm_remove(m, name, NULL);
	n = dm_create(m, name, d);
	if (n < 0)
		return n;
	rc = mapper_set(m, index, table, read_only, d);
	if (!rc)
		return n;
	dm_remove(m, name, NULL);
	return rc;
}

int mapper_put(int index, char path[MAPPER_PATH], struct nbd_diag *d)
{
	char table[MAPPER_LINE];
	bool read_only = false;
	struct dm m;
	int n = one_to_one(table, path, &read_only, d);

	if (n)
		return n;
	n = dm_open(&m, ROOM, d);
	if (n)
		return n;
	n = make(&m, index, table, read_only, d);
	dm_close(&m);
	if (n < 0)
		return n;
	nbd_fmt(path, MAPPER_PATH, "/dev/dm-%d", n);
	return NBD_OK;
}

int mapper_reset(int index, const char *path, struct nbd_diag *d)
{
	char table[MAPPER_LINE];
	bool read_only = false;
	struct dm m;
	int rc = one_to_one(table, path, &read_only, d);

	if (!rc)
		rc = dm_open(&m, ROOM, d);
	if (rc)
		return rc;
	rc = mapper_set(&m, index, table, read_only, d);
	dm_close(&m);
	return rc;
}

/* False: the driver is not there, and with it no mapping. */
static bool has_driver(void)
{
	return !access("/sys/module/dm_mod", F_OK);
}

int mapper_take(int index, struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	struct dm m;
	int rc;

	if (!has_driver())
		return nbd_diag(d, NBD_E_NOT_FOUND, "no device mapper");
	rc = dm_open(&m, ROOM, d);
	if (rc)
		return rc;
	name_of(name, index);
	rc = dm_remove(&m, name, d);
	dm_close(&m);
	return rc;
}

void mapper_take_all(void)
{
	char name[DM_NAME];
	struct nbd_diag d;
	unsigned left = 0;
	struct dm m;

	if (!has_driver() || dm_open(&m, ROOM, &d))
		return;
	while (!dm_nth(&m, PREFIX, left, name, NULL))
		if (dm_remove(&m, name, &d)) {
			boot_say("%s", d.text);
			left++;
		}
	dm_close(&m);
}

int mapper_below(int index, char path[MAPPER_PATH], char below[MAPPER_PATH],
		 uint64_t *sectors, struct nbd_diag *d)
{
	char name[MAPPER_NAME], table[MAPPER_LINE], *p = table;
	struct dm m;
	int n, rc = dm_open(&m, ROOM, d);

	if (rc)
		return rc;
	name_of(name, index);
	n = dm_find(&m, name, d);
	rc = n < 0 ? n : dm_text(&m, name, false, table, sizeof(table), d);
	dm_close(&m);
	if (rc < 0)
		return rc;
	nbd_fmt(path, MAPPER_PATH, "/dev/dm-%d", n);
	*sectors = strncmp(p, "0 ", 2) ? 0 : strtoull(p + 2, &p, 10);
	if (!*sectors || strncmp(p, " linear ", 8) != 0)
		return nbd_diag(d, NBD_E_KERNEL, "%s is not one to one: %s",
				name, table);
	p += 8;
	nbd_fmt(below, MAPPER_PATH, "%.*s", (int)strcspn(p, " "), p);
	return NBD_OK;
}
