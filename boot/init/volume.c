/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the root among the file systems on volumes: by its path, label or UUID. */
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/init/layers.h"
#include "boot/init/super.h"
#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

struct search {
	const struct layers *l;
	const char *label, *uuid; /* NULL: not asked for */
	char *path;		  /* of the first that was found */
	char btrfs[SUPER_UUID];	  /* the UUID of the first btrfs, or "" */
	unsigned found;
	bool above; /* one is not the disk or a partition of it */
	bool say;
};

/* By the name of the mapping, as people and /etc/fstab write it. */
static void name_path(char path[PART_PATH], const struct layers *l,
		      const char *name)
{
	char file[256], text[PART_PATH];
	int n;

	nbd_fmt(path, PART_PATH, "%s/%s", l->dev, name);
	if (nbd_fmt(file, sizeof(file), "%s/%s/dm/name", l->sys, name) < 0)
		return;
	n = file_read(AT_FDCWD, file, text, sizeof(text));
	/* not a mapping; or half of a name, which may be another's */
	if (n <= 0 || n == sizeof(text) - 1)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (!*text || strchr(text, '/') ||
	    nbd_fmt(file, PART_PATH, "%s/mapper/%s", l->dev, text) < 0)
		return;
	if (!access(file, F_OK))
		nbd_fmt(path, PART_PATH, "%s", file);
}

static int read_super(struct super *sb, const struct layers *l,
		      const char *name)
{
	char path[PART_PATH];
	int fd, rc;

	if (nbd_fmt(path, sizeof(path), "%s/%s", l->dev, name) < 0)
		return NBD_E_IO;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	rc = fd < 0 ? NBD_E_IO : init_super_read(sb, fd);
	if (fd >= 0)
		close(fd);
	return rc;
}

static void weigh(struct search *s, const char *name)
{
	char path[PART_PATH];
	struct super sb;

	if (read_super(&sb, s->l, name) ||
	    (s->label && strcmp(s->label, sb.label) != 0) ||
	    (s->uuid && strcasecmp(s->uuid, sb.uuid) != 0))
		return;
	name_path(path, s->l, name);
	if (s->say)
		boot_say("nbdboot.part=%s: %s", path, sb.type);
	if (init_super_is_again(&sb, s->btrfs))
		return;
	s->above |= init_layers_above(s->l, name);
	if (!s->found++ && s->path)
		nbd_fmt(s->path, PART_PATH, "%s", path);
}

/*
 * What another device stands on is a part of that: a leg of a mirror, the origin
 * of a snapshot.  A label or UUID may also fit a partition.
 */
static bool is_wanted(const struct search *s, const char *name)
{
	if (mapper_is_held(s->l->sys, name))
		return false;
	return init_layers_above(s->l, name) ||
	       ((s->label || s->uuid) &&
		mapper_stands_on(s->l->sys, name, s->l->disk));
}

static void walk(struct search *s)
{
	struct dir dir;
	const char *name;

	s->found = 0;
	s->btrfs[0] = '\0';
	if (!dir_open(&dir, s->l->sys))
		while ((name = dir_next(&dir)))
			if (is_wanted(s, name))
				weigh(s, name);
	dir_close(&dir);
}

/* Has it this number, "254:0"? */
static bool has_number(const struct layers *l, const char *name,
		       const char *number)
{
	char file[300], text[32];

	if (nbd_fmt(file, sizeof(file), "%s/%s/dev", l->sys, name) < 0)
		return false;
	file_read(AT_FDCWD, file, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, number);
}

/* Is it the disk, a partition of it, or made of them? */
static bool is_on_disk(const struct layers *l, dev_t dev)
{
	const char *name;
	char number[32];
	struct dir dir;
	bool found = false;

	nbd_fmt(number, sizeof(number), "%u:%u", major(dev), minor(dev));
	if (!dir_open(&dir, l->sys))
		while (!found && (name = dir_next(&dir)))
			found = has_number(l, name, number) &&
				mapper_stands_on(l->sys, name, l->disk);
	dir_close(&dir);
	return found;
}

static int by_path(char path[PART_PATH], const struct layers *l,
		   const char *spec, struct nbd_diag *d)
{
	struct search s = { .l = l, .say = true };
	struct stat st;
	bool block = !stat(spec, &st) && S_ISBLK(st.st_mode);

	if (block && is_on_disk(l, st.st_rdev) &&
	    nbd_fmt(path, PART_PATH, "%s", spec) > 0)
		return 1;
	walk(&s);
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s: %s on %s; %u file systems are on what the "
			"programs of this initramfs have made",
			spec,
			block ? "this block device is not"
			      : "no such block device",
			l->disk, s.found);
}

/* Names each of several; a copy or a snapshot has the label and UUID as well. */
static int ambiguous(struct search *s, const char *spec, struct nbd_diag *d)
{
	unsigned n = s->found;

	s->say = true;
	walk(s);
	if (spec)
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"%s fits %u file systems on %s: "
				"nbdboot.part= with one of the paths above "
				"names the root",
				spec, n, s->l->disk);
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s has several file systems, and nbdboot.part= does "
			"not name the root",
			s->l->disk);
}

int init_layers_find(char path[PART_PATH], const struct layers *l,
		     const char *spec, struct nbd_diag *d)
{
	char found[PART_PATH];
	struct search s = { .l = l, .path = found };

	if (spec && *spec == '/')
		return by_path(path, l, spec, d);
	if (spec && !strncmp(spec, "LABEL=", 6))
		s.label = spec + 6;
	else if (spec && !strncmp(spec, "UUID=", 5))
		s.uuid = spec + 5;
	else if (spec)
		return 0;
	walk(&s);
	if (!s.above)
		return 0;
	if (s.found > 1)
		return ambiguous(&s, spec, d);
	nbd_fmt(path, PART_PATH, "%s", found);
	return 1;
}
