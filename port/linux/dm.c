/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device mapper by its ioctls (linux/dm-ioctl.h).  Each passes one buffer:
 *
 *	struct dm_ioctl | spec, parameters, padding | spec, ...
 */
#include "port/linux/dm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port/linux/module.h"
#include "port/linux/request.h"

#define NODE	DM_DIR "/" DM_CONTROL_NODE
#define CONTROL "/dev/" NODE
/* A target and its text end at a multiple of it. */
#define ALIGN	8u
/* Where targets begin. */
#define HEAD	((sizeof(struct dm_ioctl) + ALIGN - 1) / ALIGN * ALIGN)

_Static_assert(DM_NAME == DM_NAME_LEN, "the kernel's names");

/* Its node may be there without the module. */
static int open_control(struct nbd_diag *d)
{
	int fd = open(CONTROL, O_RDWR | O_CLOEXEC), rc;

	if (fd >= 0)
		return fd;
	rc = mod_load("dm_mod", "", d);
	fd = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	/* without the module its reason says more */
	return rc ? rc
		  : nbd_diag(d, NBD_E_KERNEL, "open %s: %s", CONTROL,
			     strerror(errno));
}

/* With dm->fd, which is closed after a failure. */
static int take_memory(struct dm *dm, size_t cap, struct nbd_diag *d)
{
	int rc;

	dm->cap = cap;
	dm->buf = mmap(NULL, cap, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (dm->buf != MAP_FAILED)
		return NBD_OK;
	rc = nbd_diag(d, NBD_E_NO_MEMORY, "%zu bytes for a table: %s", cap,
		      strerror(errno));
	dm_close(dm);
	return rc;
}

int dm_open(struct dm *dm, size_t cap, struct nbd_diag *d)
{
	dm->buf = MAP_FAILED;
	dm->fd = open_control(d);
	return dm->fd < 0 ? dm->fd : take_memory(dm, cap, d);
}

int dm_open_at(struct dm *dm, int dev, size_t cap, struct nbd_diag *d)
{
	dm->buf = MAP_FAILED;
	dm->fd = openat(dev, NODE, O_RDWR | O_CLOEXEC);
	return dm->fd < 0 ? nbd_diag(d, NBD_E_KERNEL, "open %s: %s", CONTROL,
				     strerror(errno))
			  : take_memory(dm, cap, d);
}

void dm_close(struct dm *dm)
{
	if (dm->buf != MAP_FAILED)
		munmap(dm->buf, dm->cap);
	if (dm->fd >= 0)
		close(dm->fd);
	dm->fd = -1;
	dm->buf = MAP_FAILED;
}

static struct dm_ioctl *begin(struct dm *dm, const char *name, uint32_t flags)
{
	struct dm_ioctl *io = dm->buf;

	memset(io, 0, HEAD);
	io->version[0] = DM_VERSION_MAJOR;
	io->data_size = (uint32_t)dm->cap;
	io->data_start = HEAD;
	io->flags = flags;
	nbd_fmt(io->name, sizeof(io->name), "%s", name);
	return io;
}

static int error_of(int err)
{
	switch (err) {
	case ENXIO:
		return NBD_E_NOT_FOUND;
	case EBUSY:
		return NBD_E_IN_USE;
	case EINTR:
		return NBD_E_INTERRUPTED;
	case ENOMEM:
		return NBD_E_NO_MEMORY;
	case EACCES:
	case EPERM:
		return NBD_E_PERM;
	default:
		return NBD_E_KERNEL;
	}
}

/* rc is that of the ioctl. */
static int result(int rc, const char *verb, const char *name,
		  struct nbd_diag *d)
{
	if (!rc)
		return NBD_OK;
	return nbd_diag(d, error_of(errno), "%s the mapping %s: %s", verb, name,
			strerror(errno));
}

#define call(m, r, verb, name, d) \
	result(ioctl((m)->fd, LINUX_REQUEST(r), (m)->buf), (verb), (name), (d))

/* The kernel's huge_encode_dev(): 12 bits of the major in between. */
static int minor_of(const struct dm *dm)
{
	uint64_t dev = ((const struct dm_ioctl *)dm->buf)->dev;

	return (int)((dev & 0xff) | ((dev >> 12) & 0xfff00));
}

/* "/dev/mapper/NAME": the kernel lets no '/' into a name. */
static void link_of(char path[DM_NAME + 16], const char *name)
{
	nbd_fmt(path, DM_NAME + 16, "/dev/" DM_DIR "/%s", name);
}

int dm_create(struct dm *dm, const char *name, struct nbd_diag *d)
{
	char to[24], path[DM_NAME + 16];
	int rc, n;

	begin(dm, name, 0);
	rc = call(dm, DM_DEV_CREATE, "create", name, d);
	if (rc)
		return rc;
	n = minor_of(dm);
	nbd_fmt(to, sizeof(to), "../dm-%d", n);
	link_of(path, name);
	unlink(path);
	/* the device works without it */
	(void)!symlink(to, path);
	return n;
}

int dm_find(struct dm *dm, const char *name, struct nbd_diag *d)
{
	int rc;

	begin(dm, name, 0);
	rc = call(dm, DM_DEV_STATUS, "look at", name, d);
	return rc ? rc : minor_of(dm);
}

/* ---- tables ---- */

/* Cuts a number, and the blank behind it, off the line. */
static bool take_number(const char **p, const char *end, unsigned long long *to)
{
	uint64_t n;

	if (!nbd_take_number(p, end, UINT64_MAX, &n) || *p == end || **p != ' ')
		return false;
	++*p;
	*to = n;
	return true;
}

/* Appends the target of a line at *at. */
static int put_target(struct dm *dm, size_t *at, const char *line, size_t len)
{
	struct dm_target_spec spec = { 0 };
	const char *p = line, *end = line + len;
	size_t type, room;

	if (!take_number(&p, end, &spec.sector_start) ||
	    !take_number(&p, end, &spec.length))
		return NBD_E_USAGE;
	for (type = 0; p + type < end && p[type] != ' '; type++)
		;
	if (!type || type >= sizeof(spec.target_type))
		return NBD_E_USAGE;
	memcpy(spec.target_type, p, type);
	p += type;
	p += p < end;
	room = (sizeof(spec) + (size_t)(end - p) + 1 + ALIGN - 1) / ALIGN *
	       ALIGN;
	if (room > dm->cap - *at)
		return NBD_E_NO_MEMORY;
	spec.next = (uint32_t)room;
	memset((char *)dm->buf + *at, 0, room);
	memcpy((char *)dm->buf + *at, &spec, sizeof(spec));
	memcpy((char *)dm->buf + *at + sizeof(spec), p, (size_t)(end - p));
	*at += room;
	return NBD_OK;
}

/* With `alone` only the target of the first line, at the start. */
static int load(struct dm *dm, const char *name, const char *table, bool alone,
		bool read_only, struct nbd_diag *d)
{
	uint32_t flags = read_only ? DM_READONLY_FLAG : 0;
	struct dm_ioctl *io = begin(dm, name, flags);
	size_t at = HEAD, len;
	int rc;

	for (; *table; table += len + (table[len] == '\n')) {
		len = strcspn(table, "\n");
		rc = put_target(dm, &at, table, len);
		if (rc)
			return nbd_diag(d, rc, "the target %.*s: %s", (int)len,
					table,
					rc == NBD_E_USAGE
						? "not START LENGTH TYPE"
						: "no room for so many");
		io->target_count++;
		if (alone)
			break;
	}
	if (alone)
		((struct dm_target_spec *)((char *)dm->buf + HEAD))
			->sector_start = 0;
	io->data_size = (uint32_t)at;
	return call(dm, DM_TABLE_LOAD, "load a table into", name, d);
}

/* The first line that is refused alone, or else the first line. */
static const char *refused(struct dm *dm, const char *name, const char *table,
			   bool read_only)
{
	const char *line = table;

	while (*line && !load(dm, name, line, true, read_only, NULL)) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return *line ? line : table;
}

void dm_clear(struct dm *dm, const char *name)
{
	begin(dm, name, 0);
	call(dm, DM_TABLE_CLEAR, "clear", name, NULL);
}

int dm_load(struct dm *dm, const char *name, const char *table, bool read_only,
	    struct nbd_diag *d)
{
	const char *line;
	int rc = load(dm, name, table, false, read_only, d);

	if (rc != NBD_E_KERNEL && rc != NBD_E_PERM && rc != NBD_E_IN_USE)
		return rc;
	line = refused(dm, name, table, read_only);
	/* of those loads the last that succeeded waits */
	dm_clear(dm, name);
	return nbd_diag_prefix(d, rc, "target \"%.*s\"",
			       (int)strcspn(line, "\n"), line);
}

int dm_text(struct dm *dm, const char *name, bool status, char *text,
	    size_t cap, struct nbd_diag *d)
{
	struct dm_ioctl *io =
		begin(dm, name, status ? 0 : DM_STATUS_TABLE_FLAG);
	struct nbd_out o = { .buf = text, .cap = cap - 1 };
	int rc = call(dm, DM_TABLE_STATUS, "read the table of", name, d);
	size_t at = HEAD;

	for (uint32_t n = 0; !rc && n < io->target_count; n++) {
		struct dm_target_spec spec;
		const char *params = (char *)dm->buf + at + sizeof(spec);

		if (at > dm->cap - sizeof(spec)) {
			o.cut = true;
			break;
		}
		memcpy(&spec, (char *)dm->buf + at, sizeof(spec));
		nbd_putf(&o, "%llu %llu %.*s %s\n",
			 (unsigned long long)spec.sector_start,
			 (unsigned long long)spec.length, DM_MAX_TYPE_NAME,
			 spec.target_type, params);
		/* unlike in a table that is loaded, from the first target */
		at = HEAD + spec.next;
	}
	text[o.len] = '\0';
	if (!rc && (o.cut || io->flags & DM_BUFFER_FULL_FLAG))
		rc = nbd_diag(d, NBD_E_NO_MEMORY, "the table of %s is too long",
			      name);
	return rc ? rc : (int)o.len;
}

/* ---- states ---- */

int dm_resume(struct dm *dm, const char *name, struct nbd_diag *d)
{
	begin(dm, name, DM_NOFLUSH_FLAG | DM_SKIP_LOCKFS_FLAG);
	return call(dm, DM_DEV_SUSPEND, "resume", name, d);
}

int dm_hold(struct dm *dm, const char *name, struct nbd_diag *d)
{
	begin(dm, name,
	      DM_SUSPEND_FLAG | DM_NOFLUSH_FLAG | DM_SKIP_LOCKFS_FLAG);
	return call(dm, DM_DEV_SUSPEND, "hold", name, d);
}

int dm_remove(struct dm *dm, const char *name, struct nbd_diag *d)
{
	char path[DM_NAME + 16];
	int rc;

	begin(dm, name, 0);
	rc = call(dm, DM_DEV_REMOVE, "remove", name, d);
	link_of(path, name);
	if (!rc)
		unlink(path);
	return rc;
}

int dm_nth(struct dm *dm, const char *prefix, unsigned n, char name[DM_NAME],
	   struct nbd_diag *d)
{
	const struct dm_ioctl *io = begin(dm, "", 0);
	struct dm_name_list entry;
	size_t at = HEAD, head = offsetof(struct dm_name_list, name);
	int rc = call(dm, DM_LIST_DEVICES, "list", "devices", d);
	unsigned seen = 0;

	while (!rc && at < io->data_size && at < dm->cap - sizeof(entry)) {
		const char *p = (char *)dm->buf + at + head;

		memcpy(&entry, (char *)dm->buf + at, sizeof(entry));
		/* the list is empty if its first entry has no device */
		if (entry.dev && !strncmp(p, prefix, strlen(prefix)) &&
		    seen++ == n) {
			nbd_fmt(name, DM_NAME, "%s", p);
			return NBD_OK;
		}
		if (!entry.next)
			break;
		at += entry.next;
	}
	return rc ? rc
		  : nbd_diag(d, NBD_E_NOT_FOUND,
			     "no other mapping has a name that begins with %s",
			     prefix);
}
