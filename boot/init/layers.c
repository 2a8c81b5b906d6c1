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
	struct device dev[DEVICES];
	unsigned n;
};

/* Is it the disk, a partition of it, or made of devices? */
static bool is_candidate(const struct layers *l, const char *name)
{
	size_t len = strlen(l->disk);

	if (strlen(name) >= NAME)
		return false;
	if (!strncmp(name, l->disk, len))
		return !name[len] || name[len] == 'p';
	return !strncmp(name, "dm-", 3) || !strncmp(name, "md", 2);
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

/* Adds the devices that are new. */
static void look(struct stack *s)
{
	struct dir dir;
	const char *name;
	unsigned i;

	if (dir_open(&dir, s->l->sys))
		boot_say("list the devices in %s: %s", s->l->sys,
			 strerror(errno));
	while (s->n < DEVICES && (name = dir_next(&dir))) {
		if (!is_candidate(s->l, name))
			continue;
		for (i = 0; i < s->n && strcmp(s->dev[i].name, name) != 0; i++)
			;
		if (i < s->n)
			continue;
		nbd_fmt(s->dev[i].name, NAME, "%s", name);
		s->dev[i].layer = layer_of(s->l, name);
		s->n++;
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

static void run_for(const struct layers *l, const struct device *dev)
{
	char path[PART_PATH], uuid[41] = "";
	const struct programs_value values[] = {
		{ 'p', path },
		{ 'u', uuid },
		{ 'o', is_read_only(l, dev->name) ? "--readonly" : "" },
		{ 0, NULL }
	};
	const struct programs_call call = { l->file, moments[dev->layer],
					    values, l->signals };
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
		if (!n++ || layer == LUKS)
			run_for(s->l, dev);
	}
	return n;
}

static bool is_above(const struct layers *l, const char *name)
{
	return is_candidate(l, name) &&
	       strncmp(name, l->disk, strlen(l->disk)) != 0;
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
			fd = is_above(l, name) ? open_device(l, name) : -1;
			if (fd >= 0 && ioctl(fd, BLKROSET, &on))
				boot_note("%s stays writable: %s", name,
					  strerror(errno));
			if (fd >= 0)
				close(fd);
		}
	dir_close(&dir);
}

unsigned init_layers_run(const struct layers *l)
{
	struct stack s = { .l = l };
	unsigned n = 0;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned before = n;

		look(&s);
		/* the lowest that is new: it may be part of the others */
		for (int layer = RAID; layer < NONE && n == before; layer++)
			n += run_layer(&s, (enum layer)layer);
		if (n == before)
			break;
		protect(l);
	}
	return n;
}

/* ---- the root above ---- */

struct search {
	const struct layers *l;
	const char *label, *uuid; /* NULL: not asked for */
	char *path;		  /* of the last that was found */
	unsigned found;
	bool say;
};

/* By the name of the mapping, as people and /etc/fstab write it. */
static void name_path(char path[PART_PATH], const struct layers *l,
		      const char *name)
{
	char file[256], text[PART_PATH];

	path_of(path, l, name);
	nbd_fmt(file, sizeof(file), "%s/%s/dm/name", l->sys, name);
	file_read(AT_FDCWD, file, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	nbd_fmt(file, sizeof(file), "%s/mapper/%s", l->dev, text);
	if (*text && !strchr(text, '/') && strlen(file) < PART_PATH &&
	    !access(file, F_OK))
		nbd_fmt(path, PART_PATH, "%s", file);
}

static void weigh(struct search *s, const char *name)
{
	int fd = open_device(s->l, name), rc;
	char path[PART_PATH];
	struct super sb;

	rc = fd < 0 ? NBD_E_IO : init_super_read(&sb, fd);
	if (fd >= 0)
		close(fd);
	if (rc || (s->label && strcmp(s->label, sb.label) != 0) ||
	    (s->uuid && strcasecmp(s->uuid, sb.uuid) != 0))
		return;
	name_path(path, s->l, name);
	if (s->say)
		boot_say("nbdboot.part=%s: %s", path, sb.type);
	else
		nbd_fmt(s->path, PART_PATH, "%s", path);
	s->found++;
}

static void walk(struct search *s)
{
	struct dir dir;
	const char *name;

	if (!dir_open(&dir, s->l->sys))
		while ((name = dir_next(&dir)))
			if (is_above(s->l, name))
				weigh(s, name);
	dir_close(&dir);
}

static int by_path(char path[PART_PATH], const struct layers *l,
		   const char *spec, struct nbd_diag *d)
{
	char text[PART_PATH];
	struct search s = { .l = l, .path = text, .say = true };
	struct stat st;

	if (!stat(spec, &st) && S_ISBLK(st.st_mode) &&
	    nbd_fmt(path, PART_PATH, "%s", spec) > 0)
		return 1;
	walk(&s);
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s: no such block device on %s; %u file systems are "
			"on what the programs of this initramfs have made",
			spec, l->disk, s.found);
}

int init_layers_find(char path[PART_PATH], const struct layers *l,
		     const char *spec, struct nbd_diag *d)
{
	struct search s = { .l = l, .path = path };

	if (spec && *spec == '/')
		return by_path(path, l, spec, d);
	if (spec && !strncmp(spec, "LABEL=", 6))
		s.label = spec + 6;
	else if (spec && !strncmp(spec, "UUID=", 5))
		s.uuid = spec + 5;
	else if (spec)
		return 0;
	walk(&s);
	if (s.found <= 1 || spec)
		return s.found > 0;
	s.say = true;
	walk(&s);
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s has several file systems, and nbdboot.part= does "
			"not name the root",
			l->disk);
}
