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

/* What "dm-0" is made of. */
struct made {
	char below[MAPPER_PATH]; /* beside RAM; "": nothing */
	bool ram, mirror;	 /* a mirror is of RAM */
};

/*
 * False: no RAM, or nothing else, as of a small image that is read only, which
 * can stay so.
 */
static bool has_copies(const char *device, struct made *of)
{
	char path[64], mapping[DM_NAME];
	struct dir dir;
	const char *name;

	*of = (struct made){ 0 };
	nbd_fmt(path, sizeof(path), "/sys/block/%s/slaves", device);
	if (!dir_open(&dir, path))
		while ((name = dir_next(&dir))) {
			if (is(name, MIRROR, mapping))
				of->ram = of->mirror = true;
			else if (!strncmp(name, "loop", 4))
				of->ram = true;
			else
				nbd_fmt(of->below, MAPPER_PATH, "/dev/%s",
					name);
		}
	dir_close(&dir);
	return of->ram && of->below[0];
}

static bool is_stuck(int index)
{
	struct dm dm;
	bool stuck;

	if (dm_open(&dm, DM_ROOM, NULL))
		return false;
	stuck = mapper_is_stuck(&dm, index);
	dm_close(&dm);
	return stuck;
}

/*
 * What it was before the mirror is lost with the process that knew it: the kernel's
 * default, which is what a device has unless a site set another.
 */
static void restore_wbt(int index)
{
	char path[64];

	nbd_fmt(path, sizeof(path), "/sys/block/nbd%d/" MAPPER_WBT, index);
	file_write(AT_FDCWD, path, "-1", 2);
}

static int reset(int index, const struct made *of, bool down,
		 struct nbd_diag *d)
{
	int rc = mapper_reset(index, of->below, d);

	if (rc)
		return rc;
	/* which waits for requests in flight: on the way down forever */
	if (of->mirror && !down)
		restore_wbt(index);
	return NBD_OK;
}

int mapper_mend(bool down, struct nbd_diag *d)
{
	struct made of;
	struct dir dir;
	const char *name;
	int index, rc = 0, mended = 0;

	if (!dir_open(&dir, "/sys/block"))
		while (!rc && (name = dir_next(&dir))) {
			if (strncmp(name, "dm-", 3) != 0)
				continue;
			index = index_of(name);
			if (index < 0 || !has_copies(name, &of) ||
			    (down && !is_stuck(index)))
				continue;
			rc = reset(index, &of, down, d);
			mended += !rc;
		}
	dir_close(&dir);
	return rc ? rc : mended;
}
