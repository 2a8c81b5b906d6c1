/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device is empty if both of its ends are blank.  Whatever else it has is
 * named, as far as it is known: never a guess.
 */
#include "boot/init/clone_target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/init/content.h"
#include "boot/init/part.h"
#include "boot/init/recover.h"
#include "boot/init/super.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

#define KIB	1024u
/* Bytes at each end that have to be blank. */
#define ENDS	(1024 * KIB)
#define PIECE	(4 * KIB)
#define SECTOR	512u
/* ms for the disk of the machine to appear, and between two looks. */
#define DISK_MS 5000
#define LOOK_MS 250

/* ---- names ---- */

/*
 * Disks of the machine: not what is made of files, memory or servers, nor each path
 * to an NVMe disk, which has the serial number, too, and no node.
 */
static bool is_disk(const char *name)
{
	char path[96];

	static const char *const others[] = { "nbd", "loop", "ram", "zram",
					      "dm-", "md",   "sr",  "fd" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	nbd_fmt(path, sizeof(path), "/sys/block/%s/hidden", name);
	return !file_number(AT_FDCWD, path);
}

/* Where drivers have it: virtio-blk, NVMe, MMC; SCSI behind a header. */
static bool has_serial(const char *disk, const char *serial)
{
	static const struct {
		const char *leaf;
		size_t head;
	} places[] = { { "serial", 0 },
		       { "device/serial", 0 },
		       { "device/vpd_pg80", 4 } };
	size_t len = strlen(serial);
	char path[96], text[128], *p;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		nbd_fmt(path, sizeof(path), "/sys/block/%s/%s", disk,
			places[i].leaf);
		if (file_read(AT_FDCWD, path, text, sizeof(text)) <=
		    (int)places[i].head)
			continue;
		p = text + places[i].head;
		p += strspn(p, NBD_BLANKS);
		if (!strncmp(p, serial, len) &&
		    !p[len + strspn(p + len, NBD_BLANKS)])
			return true;
	}
	return false;
}

/* How many there are on that disk; 2: several. */
static unsigned matches(char path[PART_PATH], const char *disk,
			const char *device)
{
	static const char serial[] = "serial=";
	int rc;

	if (strncmp(device, serial, sizeof(serial) - 1) != 0) {
		rc = init_part_find(path, "/sys/block", "/dev", disk, device,
				    NULL);
		return rc == NBD_E_USAGE ? 2 : !rc;
	}
	nbd_fmt(path, PART_PATH, "/dev/%s", disk);
	return has_serial(disk, device + sizeof(serial) - 1);
}

int init_clone_find(char path[CLONE_PATH], const char *device,
		    struct nbd_diag *d)
{
	char at[PART_PATH];
	unsigned found = 0, n;
	const char *name;
	struct dir dir;

	if (*device == '/') {
		/* what is left of it may be another disk's name */
		if (nbd_fmt(path, CLONE_PATH, "%s", device) < 0)
			return nbd_diag(d, NBD_E_USAGE,
					"%s is too long: name it by PARTUUID=, "
					"UUID= or serial=",
					device);
		return access(path, F_OK)
			       ? nbd_diag(d, NBD_E_NOT_FOUND,
					  "there is no %s (yet)", device)
			       : NBD_OK;
	}
	if (!dir_open(&dir, "/sys/block"))
		while ((name = dir_next(&dir)))
			if (is_disk(name) && (n = matches(at, name, device))) {
				nbd_fmt(path, CLONE_PATH, "%s", at);
				found += n;
			}
	dir_close(&dir);
	if (found == 1)
		return NBD_OK;
	return nbd_diag(d, NBD_E_NOT_FOUND,
			found ? "%s names several devices"
			      : "%s names no device (yet)",
			device);
}

int init_clone_await(char path[CLONE_PATH], const char *device,
		     struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + DISK_MS;
	int rc;

	while ((rc = init_clone_find(path, device, d)) == NBD_E_NOT_FOUND &&
	       nbd_now_ms() < end)
		init_rest(LOOK_MS);
	return rc;
}

/* ---- contents ---- */

/* What libblkid looks for behind the middle of a device. */
static const char *at_the_end(int fd, uint64_t size)
{
	static const struct {
		const char *what, *magic;
		uint32_t align, back, len;
	} marks[] = {
		{ "the backup of a partition table (GPT)", "EFI PART", 512, 512,
		  8 },
		{ "the backup of a partition table (GPT)", "EFI PART", 4 * KIB,
		  4 * KIB, 8 },
		{ "a member of a ZFS pool", "version", 256 * KIB,
		  256 * KIB - 16 * KIB - 24, 7 },
		{ "a member of a ZFS pool", "version", 256 * KIB,
		  512 * KIB - 16 * KIB - 24, 7 },
	};
	char buf[8];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		uint64_t end = size / marks[i].align * marks[i].align;

		if (end >= marks[i].back &&
		    init_super_bytes(fd, buf, marks[i].len,
				     end - marks[i].back) > 0 &&
		    !memcmp(buf, marks[i].magic, marks[i].len))
			return marks[i].what;
	}
	return NULL;
}

/* Bytes of one value, as flash has 0xff where nothing was written. */
static bool is_blank(int fd, uint64_t from, uint64_t to)
{
	char buf[PIECE], first = 0;
	bool begun = false;

	for (uint64_t at = from; at < to; at += sizeof(buf)) {
		size_t n = to - at < sizeof(buf) ? (size_t)(to - at)
						 : sizeof(buf);

		if (init_super_bytes(fd, buf, n, at) <= 0)
			return false;
		if (!begun)
			first = buf[0];
		begun = true;
		if (buf[0] != first || memcmp(buf, buf + 1, n - 1) != 0 ||
		    (first != 0 && first != (char)0xff))
			return false;
	}
	return true;
}

/* Partitions that the kernel has found: their directories in that of the disk. */
static unsigned partitions(const char *disk)
{
	char path[128];
	unsigned n = 0;
	const char *name;
	struct dir dir;

	nbd_fmt(path, sizeof(path), "/sys/class/block/%s", disk);
	if (!dir_open(&dir, path))
		while ((name = dir_next(&dir)))
			n += !strncmp(name, disk, strlen(disk));
	dir_close(&dir);
	return n;
}

static bool look(int fd, const char *name, uint64_t size, char text[CLONE_HOLD])
{
	unsigned parts = partitions(name);
	uint64_t ends = size < ENDS ? size : ENDS;
	struct super sb;
	const char *what = init_super_read(&sb, fd)
				   ? init_content(fd, false).what
				   : sb.type;

	if (!what || !strcmp(what, INIT_CONTENT_BLANK))
		what = at_the_end(fd, size);
	if (!what && !parts && is_blank(fd, 0, ends) &&
	    is_blank(fd, size - ends, size))
		return false;
	nbd_fmt(text, CLONE_HOLD, "%s", what ? what : "something unknown");
	if (parts)
		nbd_fmt(text + strlen(text), CLONE_HOLD - strlen(text),
			", %u partitions", parts);
	return true;
}

/* How many sectors of a piece, which are not all zeroes, are the source's. */
static void compare(const char *copy, const char *image, unsigned *same,
		    unsigned *others)
{
	static const char zeroes[SECTOR];

	for (unsigned at = 0; at < PIECE; at += SECTOR) {
		if (!memcmp(copy + at, zeroes, SECTOR))
			continue;
		if (memcmp(copy + at, image + at, SECTOR) != 0)
			++*others;
		else
			++*same;
	}
}

/*
 * A disk that loses its power keeps any of the sectors that were in its cache:
 * the superblock may be missing, and what is behind it there.  The source may
 * have been written to since, a little.
 */
static bool is_torn_copy(int fd, int source)
{
	const char *what = init_content(fd, false).what;
	char copy[PIECE], image[PIECE];
	unsigned same = 0, others = 0;

	if (what && strcmp(what, INIT_CONTENT_BLANK) != 0)
		return false;
	for (uint64_t at = 0; at < ENDS; at += PIECE) {
		if (init_super_bytes(fd, copy, PIECE, at) <= 0 ||
		    init_super_bytes(source, image, PIECE, at) <= 0)
			return false;
		compare(copy, image, &same, &others);
	}
	return same >= others;
}

/* A squashfs has no UUID, and nobody writes to it. */
static bool is_same_sector(int fd, int source)
{
	char copy[SECTOR], image[SECTOR];

	return init_super_bytes(fd, copy, SECTOR, 0) > 0 &&
	       init_super_bytes(source, image, SECTOR, 0) > 0 &&
	       !memcmp(copy, image, SECTOR);
}

static bool is_begun(int fd, int source)
{
	struct super copy, image;

	if (init_super_read(&copy, fd))
		return is_blank(fd, 0, ENDS) || is_torn_copy(fd, source);
	if (!copy.uuid[0])
		return is_same_sector(fd, source);
	return !init_super_read(&image, source) &&
	       !strcmp(copy.type, image.type) && !strcmp(copy.uuid, image.uuid);
}

const struct clone_eyes init_clone_eyes = { init_clone_find, look, is_blank,
					    is_begun };

bool init_clone_has_super(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct super s;
	bool has = fd >= 0 && !init_super_read(&s, fd);

	if (fd >= 0)
		close(fd);
	return has;
}

int init_clone_mark(struct clone_mark *m, const char *path, struct nbd_diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (size < 0)
		rc = nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s", path,
			      strerror(errno));
	else
		rc = clone_mark_read(m, fd, (uint64_t)size, d);
	if (size >= 0 && rc)
		nbd_diag_prefix(d, rc, "%s", path);
	if (fd >= 0)
		close(fd);
	return rc;
}
