/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of nbd devices: put, looked at, taken away. */
#include "boot/mapper/mapper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"

#define COVER MAPPER_PREFIX "verity-"
#define LOCAL MAPPER_PREFIX "local"
/* Bytes for small tables and lists of devices. */
#define ROOM  65536

static void name_of_cover(char name[MAPPER_NAME], const char *disk)
{
	nbd_fmt(name, MAPPER_NAME, COVER "%s", disk);
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

int mapper_mirror(struct dm *dm, int index, struct mapper_mirror *state,
		  struct nbd_diag *d)
{
	char name[MAPPER_NAME], text[192], *p = text;
	int len;

	mapper_name(name, index);
	len = dm_text(dm, name, true, text, sizeof(text), d);
	if (len < 0)
		return len;
	/* "0 64 mirror 2 43:0 7:0 5/64 1 AA 1 core" */
	for (unsigned i = 0; i < 6; i++) {
		if (i == 2 && strncmp(p, "mirror 2 ", 9) != 0)
			return nbd_diag(d, NBD_E_KERNEL, "%s is no mirror: %s",
					name, text);
		p += strcspn(p, " \n");
		p += strspn(p, " ");
	}
	state->done = strtoull(p, &p, 10);
	state->all = *p == '/' ? strtoull(p + 1, &p, 10) : 0;
	p += !strncmp(p, " 1 ", 3) ? 3 : 0;
	state->source = *p == 'A';
	state->copy = *p && p[1] == 'A';
	return NBD_OK;
}

/* Sets path to that of the mapping. */
static int put(const char *name, const char *table, bool read_only,
	       char path[MAPPER_PATH], struct nbd_diag *d)
{
	struct dm dm;
	int n = dm_open(&dm, ROOM, d);

	if (n)
		return n;
	n = mapper_make(&dm, name, table, read_only, d);
	dm_close(&dm);
	if (n < 0)
		return n;
	nbd_fmt(path, MAPPER_PATH, "/dev/dm-%d", n);
	return NBD_OK;
}

int mapper_put(int index, char path[MAPPER_PATH], struct nbd_diag *d)
{
	char name[MAPPER_NAME], table[MAPPER_LINE];
	bool read_only = false;
	int rc = one_to_one(table, path, &read_only, d);

	mapper_name(name, index);
	return rc ? rc : put(name, table, read_only, path, d);
}

int mapper_local(const char *dev, uint64_t sectors, char path[MAPPER_PATH],
		 struct nbd_diag *d)
{
	char table[MAPPER_LINE];
	struct stat st;

	if (stat(dev, &st) || !S_ISBLK(st.st_mode))
		return nbd_diag(d, NBD_E_NO_DEVICE, "%s: not a block device",
				dev);
	nbd_fmt(table, sizeof(table), "0 %llu linear %u:%u 0\n",
		(unsigned long long)sectors, major(st.st_rdev),
		minor(st.st_rdev));
	return put(LOCAL, table, false, path, d);
}

int mapper_cover(const char *disk, const char *table, char path[MAPPER_PATH],
		 struct nbd_diag *d)
{
	char name[MAPPER_NAME];

	name_of_cover(name, disk);
	return put(name, table, true, path, d);
}

int mapper_reset(int index, const char *path, struct nbd_diag *d)
{
	char table[MAPPER_LINE];
	bool read_only = false;
	struct dm dm;
	int rc = one_to_one(table, path, &read_only, d);

	if (!rc)
		rc = dm_open(&dm, ROOM, d);
	if (rc)
		return rc;
	rc = mapper_set_plain(&dm, index, table, read_only, d);
	dm_close(&dm);
	return rc;
}

/* False: the driver is not there, and with it no mapping. */
static bool has_driver(void)
{
	return !access("/sys/module/dm_mod", F_OK);
}

static int open_mapper(struct dm *dm, struct nbd_diag *d)
{
	return has_driver() ? dm_open(dm, ROOM, d)
			    : nbd_diag(d, NBD_E_NOT_FOUND, "no device mapper");
}

int mapper_uncover(const char *disk, struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	struct dm dm;
	int rc = open_mapper(&dm, d);

	if (rc)
		return rc;
	name_of_cover(name, disk);
	rc = dm_remove(&dm, name, d);
	dm_close(&dm);
	return rc;
}

void mapper_unlocal(void)
{
	struct dm dm;

	if (open_mapper(&dm, NULL))
		return;
	dm_remove(&dm, LOCAL, NULL);
	dm_close(&dm);
}

int mapper_lock(int run, int index, bool wait, struct nbd_diag *d)
{
	int how = LOCK_EX | (wait ? 0 : LOCK_NB), fd, rc;
	char name[MAPPER_NAME];

	nbd_fmt(name, sizeof(name), "nbdboot/nbd%d.table", index);
	fd = openat(run, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && !flock(fd, how))
		return NBD_OK;
	rc = nbd_diag(d, errno == EWOULDBLOCK ? NBD_E_AGAIN : NBD_E_IO,
		      "lock /run/%s: %s", name, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

bool mapper_cover_is_corrupt(struct dm *dm, const char *disk)
{
	char name[MAPPER_NAME], text[MAPPER_LINE];
	struct nbd_diag d;

	name_of_cover(name, disk);
	/* "0 2048 verity C", on newer kernels "0 2048 verity C -" */
	return dm_text(dm, name, true, text, sizeof(text), &d) > 0 &&
	       strstr(text, " verity C");
}

bool mapper_is_corrupt(const char *disk)
{
	struct dm dm;
	bool corrupt;

	if (open_mapper(&dm, NULL))
		return false;
	corrupt = mapper_cover_is_corrupt(&dm, disk);
	dm_close(&dm);
	return corrupt;
}

bool mapper_has_cover(void)
{
	char name[DM_NAME];
	struct nbd_diag d;
	struct dm dm;
	int rc;

	if (open_mapper(&dm, &d))
		return false;
	rc = dm_nth(&dm, COVER, 0, name, NULL);
	dm_close(&dm);
	return !rc;
}

int mapper_take(int index, struct nbd_diag *d)
{
	char name[MAPPER_NAME], disk[MAPPER_NAME];
	struct dm dm;
	int rc = open_mapper(&dm, d), above;

	if (rc)
		return rc;
	nbd_fmt(disk, sizeof(disk), "nbd%d", index);
	name_of_cover(name, disk);
	above = dm_remove(&dm, name, NULL);
	mapper_name(name, index);
	rc = dm_remove(&dm, name, d);
	mapper_take_beside(&dm, index);
	dm_close(&dm);
	/* there may be either, or both */
	return rc == NBD_E_NOT_FOUND ? above : rc;
}

/* Returns how many were removed, and says of the others why not. */
static unsigned take_each(struct dm *dm, bool say)
{
	char name[DM_NAME];
	struct nbd_diag d;
	unsigned left = 0, gone = 0;

	while (!dm_nth(dm, MAPPER_PREFIX, left, name, NULL)) {
		if (!dm_remove(dm, name, &d)) {
			gone++;
			continue;
		}
		if (say)
			boot_say("%s", d.text);
		left++;
	}
	return gone;
}

void mapper_take_all(void)
{
	struct nbd_diag d;
	struct dm dm;

	if (open_mapper(&dm, &d))
		return;
	/* one may be what keeps another */
	while (take_each(&dm, false))
		;
	take_each(&dm, true);
	dm_close(&dm);
}

int mapper_below(int index, char path[MAPPER_PATH], char below[MAPPER_PATH],
		 uint64_t *sectors, struct nbd_diag *d)
{
	char name[MAPPER_NAME], table[MAPPER_LINE], *p = table;
	struct dm dm;
	int n, rc = dm_open(&dm, ROOM, d);

	if (rc)
		return rc;
	mapper_name(name, index);
	n = dm_find(&dm, name, d);
	rc = n < 0 ? n : dm_text(&dm, name, false, table, sizeof(table), d);
	dm_close(&dm);
	if (rc < 0)
		return rc;
	nbd_fmt(path, MAPPER_PATH, "/dev/dm-%d", n);
	*sectors = strncmp(p, "0 ", 2) ? 0 : strtoull(p + 2, &p, 10);
	if (!*sectors || strncmp(p, " linear ", 8) != 0)
		return nbd_diag(d, NBD_E_KERNEL, "%s is not one to one: %s",
				name, table);
	p += 8;
	nbd_fmt(below, MAPPER_PATH, "%.*s", (int)strcspn(p, " "), p);
	/* a short table with copies: its first line is less than the root */
	if (strcmp(p + strlen(below), " 0\n") != 0)
		return nbd_diag(d, NBD_E_KERNEL, "%s is not one to one: %s",
				name, table);
	return NBD_OK;
}
