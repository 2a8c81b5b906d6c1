/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is beside the mapping of nbdN if some of it is read from RAM or a cache.
 */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "port/linux/dm.h"
#include "port/linux/file.h"

static void name_of(char name[MAPPER_NAME], const char *kind, int index)
{
	nbd_fmt(name, MAPPER_NAME, MAPPER_PREFIX "%s-nbd%d", kind, index);
}

/* Nobody is to use it, and who removes it may have no /dev any more. */
static void remove_link(const char *name)
{
	char path[MAPPER_PATH];

	nbd_fmt(path, sizeof(path), "/dev/mapper/%s", name);
	unlink(path);
}

int mapper_beside(struct dm *dm, const char *kind, int index, const char *table,
		  bool read_only, char number[24], struct nbd_diag *d)
{
	char name[MAPPER_NAME], sys[64];
	int n;

	name_of(name, kind, index);
	n = mapper_make(dm, name, table, read_only, d);
	if (n < 0)
		return n;
	remove_link(name);
	nbd_fmt(sys, sizeof(sys), "/sys/block/dm-%d/dev", n);
	file_read(AT_FDCWD, sys, number, 24);
	number[strcspn(number, "\n")] = '\0';
	return NBD_OK;
}

void mapper_take_beside(struct dm *dm, int index)
{
	static const char *const kinds[] = { MAPPER_MIRROR, MAPPER_CACHE,
					     MAPPER_FAR };
	char name[MAPPER_NAME];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		name_of(name, kinds[i], index);
		dm_remove(dm, name, NULL);
	}
}

int mapper_set_plain(struct dm *dm, int index, const char *table,
		     bool read_only, struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	int rc = NBD_OK;

	/*
	 * The mirror first, which has the same table then: writes that it holds
	 * are done, or the mapping would wait for them.
	 */
	name_of(name, MAPPER_MIRROR, index);
	if (dm_find(dm, name, NULL) >= 0)
		rc = mapper_set_named(dm, name, table, read_only, d);
	if (!rc)
		rc = mapper_set(dm, index, table, read_only, d);
	if (!rc)
		mapper_take_beside(dm, index);
	return rc;
}

bool mapper_is_cached(struct dm *dm, int index)
{
	char name[MAPPER_NAME];

	name_of(name, MAPPER_CACHE, index);
	return dm_find(dm, name, NULL) >= 0;
}

/* "0 64 mirror 2 7:0 43:0 1/1 1 AA 1 core": A is alive. */
static bool has_failed(const char *line)
{
	const char *p = line;

	for (unsigned i = 0; i < 8; i++) {
		p += strspn(p, " ");
		/* one that has become plain, and was in use then */
		if (i == 2 && strncmp(p, "mirror ", 7) != 0)
			return false;
		p += strcspn(p, " \n");
	}
	return strncmp(p, " AA ", 4) != 0;
}

bool mapper_is_stuck(struct dm *dm, int index)
{
	char name[MAPPER_NAME], state[192];

	name_of(name, MAPPER_MIRROR, index);
	return dm_text(dm, name, true, state, sizeof(state), NULL) > 0 &&
	       has_failed(state);
}

int mapper_find(int index, char device[MAPPER_DEVICE], struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	struct dm dm;
	int n = dm_open(&dm, DM_ROOM, d);

	if (n)
		return n;
	mapper_name(name, index);
	n = dm_find(&dm, name, d);
	dm_close(&dm);
	nbd_fmt(device, MAPPER_DEVICE, "dm-%d", n);
	return n < 0 ? n : NBD_OK;
}
