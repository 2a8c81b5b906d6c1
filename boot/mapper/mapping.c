/* SPDX-License-Identifier: BSD-2-Clause */
/* One mapping: it is made, and its table changes while it is in use. */
#include "boot/mapper/mapper.h"

#include <fcntl.h>
#include <string.h>

#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

void mapper_name(char name[MAPPER_NAME], int index)
{
	nbd_fmt(name, MAPPER_NAME, MAPPER_PREFIX "nbd%d", index);
}

/* After a swap that failed: the table before, and nothing held or waiting. */
static void go_on(struct dm *dm, const char *name)
{
	dm_clear(dm, name);
	dm_resume(dm, name, NULL);
}

/* The read-ahead of a mapping, which a new table sets to the kernel's own. */
struct ahead {
	char path[64], kib[24]; /* "": it cannot be read */
};

/* n: what dm_find() says */
static void keep_ahead(int n, struct ahead *a)
{
	a->kib[0] = '\0';
	if (n < 0)
		return;
	nbd_fmt(a->path, sizeof(a->path), "%s/dm-%d/queue/read_ahead_kb",
		nbdk_sys, n);
	file_read(AT_FDCWD, a->path, a->kib, sizeof(a->kib));
}

static void set_ahead(const struct ahead *a)
{
	if (a->kib[0])
		file_write(AT_FDCWD, a->path, a->kib, strlen(a->kib));
}

static int use(struct dm *dm, const char *name, const char *table,
	       bool read_only, struct nbd_diag *d)
{
	int rc = dm_load(dm, name, table, read_only, d);

	if (rc)
		return rc;
	rc = dm_resume(dm, name, d);
	/* the kernel may refuse a table after it has held the requests */
	if (rc)
		go_on(dm, name);
	return rc;
}

int mapper_set_named(struct dm *dm, const char *name, const char *table,
		     bool read_only, struct nbd_diag *d)
{
	struct ahead ahead;
	int rc;

	keep_ahead(dm_find(dm, name, NULL), &ahead);
	rc = use(dm, name, table, read_only, d);
	if (!rc)
		set_ahead(&ahead);
	return rc;
}

int mapper_set(struct dm *dm, int index, const char *table, bool read_only,
	       struct nbd_diag *d)
{
	char name[MAPPER_NAME];

	mapper_name(name, index);
	return mapper_set_named(dm, name, table, read_only, d);
}

/* Of /dev/dm-n. */
static int writes_of(int n, uint64_t *writes, struct nbd_diag *d)
{
	char sys[64], text[256];

	nbd_fmt(sys, sizeof(sys), "/sys/block/dm-%d/queue/iostats", n);
	if (!file_number(AT_FDCWD, sys))
		return nbd_diag(d, NBD_E_KERNEL, "%s is 0", sys);
	nbd_fmt(sys, sizeof(sys), "/sys/block/dm-%d/stat", n);
	if (file_read(AT_FDCWD, sys, text, sizeof(text)) <= 0)
		return nbd_diag(d, NBD_E_KERNEL, "cannot read %s", sys);
	/* Documentation/block/stat.rst: writes are the 5th, discards the 12th */
	*writes = file_nth_number(text, 4) + file_nth_number(text, 11);
	return NBD_OK;
}

int mapper_writes(struct dm *dm, int index, uint64_t *writes,
		  struct nbd_diag *d)
{
	char name[MAPPER_NAME], sys[64];
	int n;

	mapper_name(name, index);
	n = dm_find(dm, name, d);
	if (n < 0)
		return n;
	/* before Linux 6.5 it is 0, and they are counted nevertheless */
	nbd_fmt(sys, sizeof(sys), "/sys/block/dm-%d/queue/iostats", n);
	file_write(AT_FDCWD, sys, "1", 1);
	return writes_of(n, writes, d);
}

int mapper_move(struct dm *dm, int index, const char *table, bool read_only,
		const struct mapper_mover *mover, struct nbd_diag *d)
{
	char name[MAPPER_NAME];
	int rc, resumed;

	mapper_name(name, index);
	rc = dm_load(dm, name, table, read_only, d);
	if (rc)
		return rc;
	rc = dm_hold(dm, name, d);
	if (!rc)
		rc = mover->ready(mover->ctx, d);
	if (rc)
		dm_clear(dm, name);
	resumed = dm_resume(dm, name, rc ? NULL : d);
	if (resumed && !rc && mover->undo)
		mover->undo(mover->ctx);
	if (resumed)
		go_on(dm, name);
	return rc ? rc : resumed;
}

struct copies {
	int index, n;
	uint64_t writes;
};

static int is_unwritten(void *ctx, struct nbd_diag *d)
{
	const struct copies *c = ctx;
	uint64_t now = 0;
	int rc = writes_of(c->n, &now, d);

	if (!rc && now != c->writes)
		rc = nbd_diag(d, NBD_E_MISMATCH,
			      MAPPER_PREFIX "nbd%d was written to meanwhile",
			      c->index);
	return rc;
}

int mapper_set_copies(struct dm *dm, int index, const char *table,
		      uint64_t writes, struct nbd_diag *d)
{
	struct copies c = { .index = index, .writes = writes };
	const struct mapper_mover mover = { .ready = is_unwritten, .ctx = &c };
	char name[MAPPER_NAME];
	struct ahead ahead;
	int rc;

	mapper_name(name, index);
	c.n = dm_find(dm, name, d);
	if (c.n < 0)
		return c.n;
	keep_ahead(c.n, &ahead);
	rc = mapper_move(dm, index, table, false, &mover, d);
	if (!rc)
		set_ahead(&ahead);
	return rc;
}

int mapper_make(struct dm *dm, const char *name, const char *table,
		bool read_only, struct nbd_diag *d)
{
	int n, rc;

	dm_remove(dm, name, NULL);
	n = dm_create(dm, name, d);
	if (n < 0)
		return n;
	rc = use(dm, name, table, read_only, d);
	if (!rc)
		return n;
	dm_remove(dm, name, NULL);
	return rc;
}
