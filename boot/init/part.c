/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds partitions by sysfs and by their contents. */
#include "boot/init/part.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "boot/init/content.h"
#include "boot/init/odd.h"
#include "boot/init/part_spec.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

#define WORD_PART "nbdboot.part"

struct search {
	const char *sys, *dev, *disk, *spec;
	struct part_spec part;
	unsigned seen;	/* partitions that were examined */
	unsigned found; /* those that match */
	char *path;	/* of the first of them */
	char names[128],
		btrfs[SUPER_UUID]; /* of all of them; the UUID of a btrfs */
};

/* Returns the number in a file of sysfs, or -1. */
static long read_number(const char *path)
{
	char text[24];

	file_read(AT_FDCWD, path, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return nbd_number(text, 0, 0x7fffffff);
}

/* The size of the disk's sectors. */
static uint32_t sector_of(const struct search *s)
{
	char path[256];
	long sector;

	nbd_fmt(path, sizeof(path), "%s/%s/queue/logical_block_size", s->sys,
		s->disk);
	sector = read_number(path);
	return sector < 512 ? 512 : (uint32_t)sector;
}

static int open_dev(const struct search *s, const char *name)
{
	char path[PART_PATH];

	if (nbd_fmt(path, sizeof(path), "%s/%s", s->dev, name) < 0)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Has the file system on dev/name the label or UUID? */
static bool same_super(struct search *s, const char *name)
{
	struct super sb;
	int fd = open_dev(s, name), rc;

	if (fd < 0)
		return false;
	rc = init_super_read(&sb, fd);
	close(fd);
	if (rc || !*s->part.value)
		return false;
	return !(s->part.by == PART_FS_LABEL
			 ? strcmp(sb.label, s->part.value)
			 : strcasecmp(sb.uuid, s->part.value)) &&
	       !init_super_is_again(&sb, s->btrfs);
}

/* Has the partition this name in its table (a GPT)? */
static bool same_name(const struct search *s, const char *name)
{
	char path[256], text[1024];
	const char *p;
	size_t len = strlen(s->part.value);

	if (nbd_fmt(path, sizeof(path), "%s/%s/%s/uevent", s->sys, s->disk,
		    name) < 0)
		return false;
	file_read(AT_FDCWD, path, text, sizeof(text));
	p = strstr(text, "\nPARTNAME=");
	return p && !strncmp(p + 10, s->part.value, len) && p[10 + len] == '\n';
}

/* Is sys/disk/name a partition to find? */
static bool matches(struct search *s, const char *name)
{
	char path[256];
	long number;

	if (nbd_fmt(path, sizeof(path), "%s/%s/%s/partition", s->sys, s->disk,
		    name) < 0)
		return false;
	number = read_number(path);
	if (number < 0)
		return false;
	s->seen++;
	if (s->part.by == PART_FS_LABEL || s->part.by == PART_FS_UUID)
		return same_super(s, name);
	return s->part.by == PART_NAME ? same_name(s, name)
				       : number == s->part.number;
}

static int take(struct search *s, const char *name)
{
	size_t n = strlen(s->names);

	/* half of a name would be another's */
	if (nbd_fmt(s->names + n, sizeof(s->names) - n, "%s%s", n ? ", " : "",
		    name) < 0)
		s->names[n] = '\0';
	if (s->found++)
		return NBD_OK;
	return nbd_fmt(s->path, PART_PATH, "%s/%s", s->dev, name) > 0
		       ? NBD_OK
		       : NBD_E_NO_MEMORY;
}

/* Says that there is none, with the reason if the disk has no partition. */
static int none(struct search *s, struct nbd_diag *d)
{
	char text[INIT_CONTENT_TEXT] = "";
	int fd = s->seen ? -1 : open_dev(s, s->disk);

	if (fd >= 0) {
		init_odd_disk(fd, sector_of(s), text, sizeof(text));
		close(fd);
	}
	return nbd_diag(d, NBD_E_NOT_FOUND,
			"%s: no partition matches nbdboot.part=%s (it has "
			"%u%s%s)",
			s->disk, s->spec, s->seen, *text ? ": " : "", text);
}

static int walk(struct search *s, struct nbd_diag *d)
{
	char path[256];
	const char *name;
	struct dir dir;
	int err, rc = NBD_OK;

	nbd_fmt(path, sizeof(path), "%s/%s", s->sys, s->disk);
	err = dir_open(&dir, path);
	if (err)
		return nbd_diag(d, NBD_E_IO, "list the partitions in %s: %s",
				path, strerror(errno));
	while (!rc && (name = dir_next(&dir)))
		if (matches(s, name))
			rc = take(s, name);
	dir_close(&dir);
	if (!rc && !s->found)
		return none(s, d);
	/* a copy or a snapshot, and what tools call all that they make */
	if (s->found > 1)
		return nbd_diag(d, NBD_E_USAGE,
				"%s: nbdboot.part=%s fits %u partitions (%s): "
				"the number of one names it",
				s->disk, s->spec, s->found, s->names);
	return rc;
}

/* Turns a PARTUUID into a number. */
static int by_table(struct search *s, struct nbd_diag *d)
{
	long n = NBD_E_IO;
	int fd = open_dev(s, s->disk);

	if (fd >= 0) {
		n = init_super_partuuid(fd, sector_of(s), s->part.value);
		close(fd);
	}
	if (n == NBD_E_NOT_FOUND)
		return nbd_diag(d, (int)n,
				"%s: its partition table has no entry %s",
				s->disk, s->spec);
	if (n < 0)
		return nbd_diag(d, (int)n,
				"read the partition table of %s/%s: %s", s->dev,
				s->disk, strerror(errno));
	s->part.number = n;
	return NBD_OK;
}

int init_part_check(const char *spec, struct nbd_diag *d)
{
	struct part_spec s;

	return init_part_spec(&s, WORD_PART, spec, d);
}

int init_part_find(char path[PART_PATH], const char *sys, const char *dev,
		   const char *disk, const char *spec, struct nbd_diag *d)
{
	struct search s = {
		.sys = sys, .dev = dev, .disk = disk, .spec = spec, .path = path
	};
	int rc;

	if (!spec)
		return nbd_fmt(path, PART_PATH, "%s/%s", dev, disk) > 0
			       ? NBD_OK
			       : NBD_E_NO_MEMORY;
	rc = init_part_spec(&s.part, WORD_PART, spec, d);
	if (!rc && s.part.by == PART_UUID)
		rc = by_table(&s, d);
	if (rc)
		return rc;
	/* a file system on the whole disk, without a partition table */
	if (s.part.by >= PART_FS_LABEL && same_super(&s, disk))
		return take(&s, disk);
	return walk(&s, d);
}
