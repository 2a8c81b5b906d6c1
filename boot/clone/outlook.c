/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy as another process sees it: by the table that is in use. */
#include "boot/clone/clone.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/mapper/mapper.h"
#include "port/linux/dir.h"
#include "port/linux/dm.h"
#include "port/linux/nbdk.h"

/* Is anything but `name` below the device `above`? */
static int check_below(const char *above, const char *name, struct nbd_diag *d)
{
	char path[128];
	const char *below;
	struct dir dir;
	int rc = NBD_OK;

	nbd_fmt(path, sizeof(path), "/sys/class/block/%s/slaves", above);
	if (!dir_open(&dir, path))
		while (!rc && (below = dir_next(&dir)))
			if (strcmp(below, name) != 0)
				rc = nbd_diag(
					d, NBD_E_MISMATCH,
					"the root is on %s, too, which is "
					"not copied: a hash tree has to "
					"be behind the data",
					below);
	dir_close(&dir);
	return rc;
}

int clone_check_alone(const char *name, struct nbd_diag *d)
{
	char path[128];
	const char *above;
	struct dir dir;
	int rc = NBD_OK;

	nbd_fmt(path, sizeof(path), "/sys/class/block/%s/holders", name);
	if (!dir_open(&dir, path))
		while (!rc && (above = dir_next(&dir)))
			rc = check_below(above, name, d);
	dir_close(&dir);
	return rc;
}

/* "0 64 mirror core 1 64 2 43:0 0 254:0 0 ...", or "0 64 linear 254:0 0". */
static bool number_in(const char *table, char number[24])
{
	const char *end = strchr(table, '\n');
	unsigned skip = 0;

	/* several lines: copies in RAM, or a cache, of what boots read */
	if (!end || end[1])
		return false;
	for (const char *p = table; *p; p += strspn(p, " "), skip++) {
		size_t len = strcspn(p, " \n");

		if ((skip == 9 && strstr(table, " mirror ")) ||
		    (skip == 3 && strstr(table, " linear "))) {
			nbd_fmt(number, 24, "%.*s", (int)len, p);
			return true;
		}
		p += len;
	}
	return false;
}

/* Is it nbdN, or what has copies of all of it: RAM, or a cache? */
static bool is_at_home(const char *name, int index)
{
	int other = nbdk_parse_part(name, NULL);

	return other == index ||
	       (other < 0 && mapper_stands_on("/sys/class/block", name, NULL));
}

static int read_progress(struct clone_progress *p, struct dm *dm, int index,
			 struct nbd_diag *d)
{
	char table[192], number[24], name[MAPPER_NAME];
	struct mapper_mirror state = { .all = 1, .done = 1 };
	int rc;

	mapper_name(name, index);
	rc = dm_text(dm, name, false, table, sizeof(table), d);
	if (rc < 0)
		return rc == NBD_E_NO_MEMORY ? NBD_E_NOT_FOUND : rc;
	if (!number_in(table, number))
		return NBD_E_NOT_FOUND;
	clone_name_of(number, p->name);
	if (is_at_home(p->name, index))
		return NBD_E_NOT_FOUND;
	if (strstr(table, " mirror ")) {
		rc = mapper_mirror(dm, index, &state, d);
		if (rc)
			return rc;
		/* until the table is swapped it is not the root */
		state.all += state.done == state.all;
	}
	p->sectors = strtoull(table + 2, NULL, 10);
	p->done = state.done;
	p->all = state.all;
	return NBD_OK;
}

unsigned clone_percent(const struct clone_progress *p)
{
	return (unsigned)(p->done * 100 / p->all);
}

int clone_progress(struct clone_progress *p, int index, struct nbd_diag *d)
{
	struct dm dm;
	int rc = dm_open(&dm, DM_ROOM, d);

	if (rc)
		return rc;
	rc = read_progress(p, &dm, index, d);
	dm_close(&dm);
	if (rc == NBD_E_NOT_FOUND)
		return nbd_diag(d, rc, "nothing of nbd%d is copied", index);
	return rc < 0 ? rc : NBD_OK;
}
