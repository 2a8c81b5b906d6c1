/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at the disk and its partitions, and again at each device that has
 * appeared since, until there is nothing new: volumes may be stacked in any
 * order.
 */
#include "boot/init/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/content.h"
#include "boot/init/programs.h"
#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

/* A hostile disk may stack many: so many are looked at, in so many turns. */
#define DEVICES 64
#define TURNS	8
#define NAME	32

/* The moments, lower ones first; RAID and LVM ask for all devices at once. */
enum layer { RAID, LUKS, LVM, NONE };

static const struct kind {
	const char *what; /* as init_content() says it */
	enum layer layer;
} kinds[] = { { INIT_CONTENT_MD, RAID },
	      { INIT_CONTENT_LUKS1, LUKS },
	      { INIT_CONTENT_LUKS2, LUKS },
	      { INIT_CONTENT_LVM, LVM } };

static const char *const moments[NONE] = { "RAID", "LUKS", "LVM" };

struct device {
	char name[NAME]; /* "nbd0p2", "dm-1" */
	enum layer layer;
	bool done;
};

struct stack {
	const struct layers *l;
	struct programs_had had;
	struct device dev[DEVICES];
	unsigned n;
	bool full;
};

/* Is it the disk, a partition of it, or made of them? */
static bool is_candidate(const struct layers *l, const char *name)
{
	return strlen(name) < NAME && mapper_stands_on(l->sys, name, l->disk);
}

bool init_layers_above(const struct layers *l, const char *name)
{
	char disk[MAPPER_DEVICE];

	mapper_whole(disk, l->sys, name);
	return is_candidate(l, name) && strcmp(disk, l->disk) != 0;
}

static void path_of(char path[PART_PATH], const struct layers *l,
		    const char *name)
{
	nbd_fmt(path, PART_PATH, "%s/%s", l->dev, name);
}

static int open_device(const struct layers *l, const char *name)
{
	char path[PART_PATH];

	path_of(path, l, name);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static enum layer layer_of(const struct layers *l, const char *name)
{
	int fd = open_device(l, name);
	const char *what;
	size_t i;

	if (fd < 0)
		return NONE;
	what = init_content(fd, false).what;
	close(fd);
	for (i = 0; what && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(what, kinds[i].what))
			return kinds[i].layer;
	return NONE;
}

static bool is_known(const struct stack *s, const char *name)
{
	unsigned i;

	for (i = 0; i < s->n && strcmp(s->dev[i].name, name) != 0; i++)
		;
	return i < s->n;
}

/* Adds the devices that are new. */
static void look(struct stack *s)
{
	struct dir dir;
	const char *name;

	if (dir_open(&dir, s->l->sys))
		boot_say("list the devices in %s: %s", s->l->sys,
			 strerror(errno));
	while (!s->full && (name = dir_next(&dir))) {
		if (is_known(s, name) || !is_candidate(s->l, name))
			continue;
		s->full = s->n == DEVICES;
		if (s->full)
			break;
		nbd_fmt(s->dev[s->n].name, NAME, "%s", name);
		s->dev[s->n++].layer = layer_of(s->l, name);
	}
	dir_close(&dir);
}

/* The UUID in the header of LUKS: at 168, 40 bytes.  "": it is none. */
static void read_uuid(char uuid[41], const struct layers *l, const char *name)
{
	int fd = open_device(l, name);

	if (fd < 0 || init_super_bytes(fd, uuid, 40, 168) <= 0)
		*uuid = '\0';
	if (fd >= 0)
		close(fd);
	uuid[40] = '\0';
	/* it becomes an argument */
	if (uuid[strspn(uuid, "0123456789abcdefABCDEF-")])
		*uuid = '\0';
}

static bool is_read_only(const struct layers *l, const char *name)
{
	char path[256];

	nbd_fmt(path, sizeof(path), "%s/%s/ro", l->sys, name);
	return file_number(AT_FDCWD, path) > 0;
}

static void run_for(struct stack *s, const struct device *dev)
{
	const struct layers *l = s->l;
	char path[PART_PATH], uuid[41] = "";
	const struct programs_value values[] = {
		{ 'p', path },
		{ 'u', uuid },
		{ 'o', is_read_only(l, dev->name) ? "--readonly" : "" },
		{ 0, NULL }
	};
	const struct programs_call call = { l->file, moments[dev->layer],
					    values, &s->had, l->signals };
	struct nbd_diag d;

	path_of(path, l, dev->name);
	if (dev->layer == LUKS)
		read_uuid(uuid, l, dev->name);
	if (dev->layer == LUKS && !*uuid)
		boot_say("%s: its UUID is broken, so it stays closed", path);
	/* what fails is on the console already */
	else
		init_programs_run(&call, &d);
}

/* Runs the programs of a layer for its new devices; returns how many. */
static unsigned run_layer(struct stack *s, enum layer layer)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct device *dev = &s->dev[i];

		if (dev->done || dev->layer != layer)
			continue;
		dev->done = true;
		/* as the partitions of a member of an array of md are */
		if (mapper_is_held(s->l->sys, dev->name))
			continue;
		if (!n++ || layer == LUKS)
			run_for(s, dev);
	}
	return n;
}

/*
 * LVM makes volumes that seem writable also on a disk that is not.  A file
 * system would then fail when it writes, and not know why.
 */
static void protect(const struct layers *l)
{
	struct dir dir;
	const char *name;
	int fd, on = 1;

	if (!is_read_only(l, l->disk))
		return;
	if (!dir_open(&dir, l->sys))
		while ((name = dir_next(&dir))) {
			fd = init_layers_above(l, name) ? open_device(l, name)
							: -1;
			if (fd >= 0 && ioctl(fd, BLKROSET, &on))
				boot_note("%s stays writable: %s", name,
					  strerror(errno));
			if (fd >= 0)
				close(fd);
		}
	dir_close(&dir);
}

/* Is there a device whose programs did not run? */
static bool waits(struct stack *s)
{
	unsigned i;

	look(s);
	for (i = 0; i < s->n && (s->dev[i].done || s->dev[i].layer == NONE);
	     i++)
		;
	return i < s->n;
}

unsigned init_layers_run(const struct layers *l)
{
	struct stack s = { .l = l };
	unsigned n = 0, turn;

	for (turn = 0; turn < TURNS; turn++) {
		unsigned before = n;

		look(&s);
		/* the lowest that is new: it may be part of the others */
		for (int layer = RAID; layer < NONE && n == before; layer++)
			n += run_layer(&s, (enum layer)layer);
		if (n == before)
			break;
		protect(l);
	}
	if (s.full)
		boot_say("%s: more than %u devices are on it, and the others "
			 "are not looked at",
			 l->disk, DEVICES);
	if (turn == TURNS && waits(&s))
		boot_say("%s: more than %u volumes lie in each other, and the "
			 "innermost stay closed",
			 l->disk, TURNS);
	return n;
}
