/* SPDX-License-Identifier: BSD-2-Clause */
/* What is beside the mapping of nbdN if some of it is read from a cache. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <string.h>

#include "port/linux/dm.h"
#include "port/linux/file.h"

static void name_of(char name[MAPPER_NAME], const char *kind, int index)
{
	nbd_fmt(name, MAPPER_NAME, MAPPER_PREFIX "%s-nbd%d", kind, index);
}

int mapper_beside(struct dm *m, const char *kind, int index, const char *table,
		  char number[24], struct nbd_diag *d)
{
	char name[MAPPER_NAME], sys[64];
	int n;

	name_of(name, kind, index);
	n = mapper_make(m, name, table, true, d);
	if (n < 0)
		return n;
	nbd_fmt(sys, sizeof(sys), "/sys/block/dm-%d/dev", n);
	file_read(AT_FDCWD, sys, number, 24);
	number[strcspn(number, "\n")] = '\0';
	return NBD_OK;
}

void mapper_take_beside(struct dm *m, int index)
{
	static const char *const kinds[] = { MAPPER_CACHE, MAPPER_FAR };
	char name[MAPPER_NAME];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		name_of(name, kinds[i], index);
		dm_remove(m, name, NULL);
	}
}

bool mapper_is_cached(struct dm *m, int index)
{
	char name[MAPPER_NAME];

	name_of(name, MAPPER_CACHE, index);
	return dm_find(m, name, NULL) >= 0;
}

int mapper_find(int index, char device[MAPPER_DEVICE], struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	struct dm m;
	int n = dm_open(&m, DM_ROOM, d);

	if (n)
		return n;
	nbd_fmt(name, sizeof(name), MAPPER_PREFIX "nbd%d", index);
	n = dm_find(&m, name, d);
	dm_close(&m);
	nbd_fmt(device, MAPPER_DEVICE, "dm-%d", n);
	return n < 0 ? n : NBD_OK;
}
