/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings with copies in RAM that no process looks after any more. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <string.h>

#include "port/linux/dir.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"

#define MAPPING MAPPER_PREFIX "nbd"
#define MIRROR	MAPPER_PREFIX MAPPER_MIRROR "-nbd"

/* Does the name of the mapping "dm-0" begin so? */
static bool is(const char *device, const char *begin, char name[DM_NAME])
{
	char path[64];

	nbd_fmt(path, sizeof(path), "/sys/block/%s/dm/name", device);
	return file_read(AT_FDCWD, path, name, DM_NAME) > 0 &&
	       !strncmp(name, begin, strlen(begin));
}

/* The index of the mapping "dm-0", or -1: it is another's. */
static int index_of(const char *device)
{
	char name[DM_NAME];
	const char *p = name + sizeof(MAPPING) - 1;
	uint64_t n;

	if (!is(device, MAPPING, name))
		return -1;
	name[strcspn(name, "\n")] = '\0';
	return nbd_take_number(&p, name + strlen(name), INT32_MAX, &n) && !*p
		       ? (int)n
		       : -1;
}

/*
 * Sets below to the path of what "dm-0" is made of beside RAM.  False: no RAM,
 * or nothing else, as of a small image that is read only, which can stay so.
 */
static bool has_copies(const char *device, char below[MAPPER_PATH])
{
	char path[64], mapping[DM_NAME];
	struct dir dir;
	const char *name;
	bool ram = false;

	below[0] = '\0';
	nbd_fmt(path, sizeof(path), "/sys/block/%s/slaves", device);
	if (!dir_open(&dir, path))
		while ((name = dir_next(&dir))) {
			if (!strncmp(name, "loop", 4) ||
			    is(name, MIRROR, mapping))
				ram = true;
			else
				nbd_fmt(below, MAPPER_PATH, "/dev/%s", name);
		}
	dir_close(&dir);
	return ram && below[0];
}

static bool is_stuck(int index)
{
	struct dm m;
	bool stuck;

	if (dm_open(&m, DM_ROOM, NULL))
		return false;
	stuck = mapper_is_stuck(&m, index);
	dm_close(&m);
	return stuck;
}

/* A new table has the kernel's own read-ahead: it keeps what it had. */
static int reset(const char *device, int index, const char *below,
		 struct nbd_diag *d)
{
	char ahead[64], value[24];
	int n, rc;

	nbd_fmt(ahead, sizeof(ahead), "/sys/block/%s/queue/read_ahead_kb",
		device);
	n = file_read(AT_FDCWD, ahead, value, sizeof(value));
	rc = mapper_reset(index, below, d);
	if (!rc && n > 0)
		file_write(AT_FDCWD, ahead, value, (size_t)n);
	return rc;
}

int mapper_mend(bool all, struct nbd_diag *d)
{
	char below[MAPPER_PATH];
	struct dir dir;
	const char *name;
	int index, rc = 0, mended = 0;

	if (!dir_open(&dir, "/sys/block"))
		while (!rc && (name = dir_next(&dir))) {
			if (strncmp(name, "dm-", 3) != 0)
				continue;
			index = index_of(name);
			if (index < 0 || !has_copies(name, below) ||
			    (!all && !is_stuck(index)))
				continue;
			rc = reset(name, index, below, d);
			mended += !rc;
		}
	dir_close(&dir);
	return rc ? rc : mended;
}
