/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/dm.h"

#include "port/linux/dm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int __wrap_dm_open(struct dm *m, size_t cap, struct nbd_diag *d);
int __wrap_dm_open_at(struct dm *m, int dev, size_t cap, struct nbd_diag *d);
void __wrap_dm_close(struct dm *m);
int __wrap_dm_find(struct dm *m, const char *name, struct nbd_diag *d);
int __wrap_dm_load(struct dm *m, const char *name, const char *table,
		   bool read_only, struct nbd_diag *d);
int __wrap_dm_resume(struct dm *m, const char *name, struct nbd_diag *d);

static int open_now;

/* Whoever opens the device mapper closes it: a process may live for long. */
__attribute__((destructor)) static void all_are_closed(void)
{
	if (!open_now)
		return;
	fprintf(stderr, "the device mapper is still open: %d\n", open_now);
	_exit(1);
}

static void step(char what, const char *name)
{
	if (world.dm)
		world.dm(what, name);
}

int __wrap_dm_open(struct dm *m, size_t cap, struct nbd_diag *d)
{
	return __wrap_dm_open_at(m, AT_FDCWD, cap, d);
}

int __wrap_dm_open_at(struct dm *m, int dev, size_t cap, struct nbd_diag *d)
{
	(void)m, (void)d;
	if (cap < DM_ROOM)
		world_fail("%zu bytes for the device mapper", cap);
	if (world.dm_error)
		return world.dm_error;
	open_now++;
	world.dm_dev = dev;
	step('(', "");
	return 0;
}

void __wrap_dm_close(struct dm *m)
{
	(void)m;
	open_now--;
	step(')', "");
}

int __wrap_dm_find(struct dm *m, const char *name, struct nbd_diag *d)
{
	(void)m;
	if (world.dm_found > 0)
		return world.dm_found;
	return nbd_diag(d, world.dm_found ? world.dm_found : NBD_E_NOT_FOUND,
			"no %s", name);
}

int __wrap_dm_load(struct dm *m, const char *name, const char *table,
		   bool read_only, struct nbd_diag *d)
{
	(void)m;
	snprintf(world.table, sizeof(world.table), "%s", table);
	world.table_read_only = read_only;
	step('l', name);
	return world.load_error ? nbd_diag(d, world.load_error, "refused") : 0;
}

int __wrap_dm_resume(struct dm *m, const char *name, struct nbd_diag *d)
{
	(void)m;
	step('r', name);
	return world.resume_error ? nbd_diag(d, world.resume_error, "refused")
				  : 0;
}
