/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of an output file until it is complete. */
#include "boot/copy/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool copy_hidden_name(char part[PATH_MAX], const char *name)
{
	return nbd_fmt(part, PATH_MAX, "%s" COPY_PART, name) >= 0;
}

static bool is_name(const char *name, int fd)
{
	struct stat named, st;

	return !lstat(name, &named) && !fstat(fd, &st) &&
	       named.st_dev == st.st_dev && named.st_ino == st.st_ino;
}

void copy_hidden_remove(const struct side *s)
{
	char part[PATH_MAX];
	const char *name =
		s->hidden && copy_hidden_name(part, s->name) ? part : s->name;

	if (is_name(name, s->fd))
		unlink(name);
}

void copy_hidden_create(struct side *s, int flags)
{
	char part[PATH_MAX];

	s->hidden = copy_hidden_name(part, s->name) &&
		    (s->fd = open(part, flags, 0666)) >= 0;
	if (!s->hidden)
		s->fd = open(s->name, flags, 0666);
	s->created = s->fd >= 0;
}

int copy_hidden_lock(const struct side *s, struct nbd_diag *d)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(s->fd, F_SETLK, &all) == 0 ||
	    (errno != EAGAIN && errno != EACCES))
		return 0;
	return nbd_diag(d, NBD_E_IN_USE, "another copy writes %s", s->name);
}

/*
 * The file is renamed, not another one made: its mode, its links and its space
 * stay.  Not where that cannot be, as in a directory of somebody else; nor
 * through a symbolic link, which has a directory of its own.
 */
static void hide(struct side *s)
{
	char part[PATH_MAX];

	s->hidden = s->hidden ||
		    (is_name(s->name, s->fd) &&
		     copy_hidden_name(part, s->name) && !rename(s->name, part));
}

static int no_size(struct nbd_diag *d, const char *name)
{
	return nbd_diag(d, NBD_E_IO, "set the size of %s: %s", name,
			strerror(errno));
}

/* The size is on the disk before the name is, and the name when this ends. */
int copy_side_complete(struct side *s, struct nbd_diag *d)
{
	char part[PATH_MAX];

	if (!s->hidden)
		return 0;
	copy_hidden_name(part, s->name);
	if (s->marked && (ftruncate(s->fd, (off_t)s->size) || fsync(s->fd)))
		return no_size(d, part);
	if (!is_name(part, s->fd)) {
		s->hidden = false;
		return nbd_diag(d, NBD_E_IN_USE,
				"another copy to %s began meanwhile", s->name);
	}
	if (rename(part, s->name) || fsync(s->fd))
		return nbd_diag(d, NBD_E_IO, "rename %s to %s: %s", part,
				s->name, strerror(errno));
	s->hidden = false;
	return 0;
}

int copy_side_set_size(struct side *s, uint64_t size, struct nbd_diag *d)
{
	int err;

	s->created = false;
	if (!s->grows)
		return 0;
	err = copy_hidden_lock(s, d);
	if (err)
		return err;
	hide(s);
	/*
	 * Do not truncate to 0 first: freeing the pages of an old file and
	 * allocating new ones takes a third of the time of the whole copy.
	 */
	if (ftruncate(s->fd, size == UINT64_MAX ? 0 : (off_t)size) < 0)
		return no_size(d, s->name);
	s->size = size;
	return 0;
}
