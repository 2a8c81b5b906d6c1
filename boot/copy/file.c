/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, block devices and pipes as sides of a copy. */
#include "boot/copy/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has a signal ended the wait, and does it end the copy? */
static bool is_cut(void)
{
	return copy_interrupted && (errno == EINTR || errno == EAGAIN);
}

static int failed(struct nbd_diag *d, const char *what, const struct side *s,
		  uint64_t offset)
{
	return nbd_diag(d, is_cut() ? NBD_E_CUT : NBD_E_IO,
			"%s %s at offset %llu: %s", what, s->name,
			(unsigned long long)offset, strerror(errno));
}

/* what: a step that has no offset, such as "open" */
static int cannot(struct nbd_diag *d, const char *what, const char *name)
{
	return nbd_diag(d, NBD_E_IO, "%s %s: %s", what, name, strerror(errno));
}

/* Is it the medium?  Some drivers tell its errors apart. */
static bool is_bad(int error)
{
	return error == EIO || error == ENODATA || error == EILSEQ ||
	       error == EREMOTEIO;
}

/*
 * A signal, unless it ends the copy; or a pipe that does not block, as others
 * who have it may want, once it is ready.
 */
static bool tries_again(const struct side *s, short events)
{
	struct pollfd p = { .fd = s->fd, .events = events };

	if (copy_interrupted ||
	    (errno != EINTR && !(s->is_pipe && errno == EAGAIN)))
		return false;
	if (errno == EAGAIN)
		poll(&p, 1, -1);
	return true;
}

/* At the end of a pipe the task is shortened. */
static int file_read(struct side *s, struct task *t, struct nbd_iov *to,
		     struct nbd_diag *d)
{
	uint32_t done = 0;

	while (done < t->len) {
		char *p = (char *)to->base + done;
		size_t want = t->len - done;
		ssize_t n =
			s->is_pipe ? read(s->fd, p, want)
				   : pread(s->fd, p, want,
					   (off_t)(s->base + t->offset + done));

		if (n < 0 && tries_again(s, POLLIN))
			continue;
		if (n < 0 && s->is_pipe && is_cut())
			n = 0;
		t->bad = n < 0 && is_bad(errno);
		if (n < 0)
			return failed(d, "read", s, s->base + t->offset + done);
		if (n == 0 && !s->is_pipe)
			return nbd_diag(d, NBD_E_IO,
					"read %s: it ends at offset %llu, "
					"before its size",
					s->name,
					(unsigned long long)s->base +
						t->offset + done);
		if (n == 0)
			break;
		done += (uint32_t)n;
	}
	t->len = done;
	return 0;
}

/* offset counts from s->base, as all offsets of a side do. */
static int file_put(struct side *s, uint64_t offset, const char *p, size_t len,
		    struct nbd_diag *d)
{
	offset += s->base;
	while (len) {
		ssize_t n = s->is_pipe ? write(s->fd, p, len)
				       : pwrite(s->fd, p, len, (off_t)offset);

		if (n < 0 && tries_again(s, POLLOUT))
			continue;
		if (n <= 0)
			return failed(d, "write", s, offset);
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int file_write(struct side *s, struct task *t, struct nbd_diag *d)
{
	return file_put(s, t->offset, t->iov.base, t->len, d);
}

/* Writes zeroes as data where no hole can be made. */
static int file_zero(struct side *s, struct task *t, struct nbd_diag *d)
{
	static char zeroes[64 << 10]; /* not const, so not in the binary */
	uint64_t offset = t->offset, left = t->len;
	int err = 0;

	if (!s->is_pipe &&
	    fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(s->base + offset), (off_t)left) == 0)
		return 0;
	while (!err && left) {
		size_t len = left < sizeof(zeroes) ? (size_t)left
						   : sizeof(zeroes);

		/* they may take longer than a user waits after a signal */
		if (copy_interrupted) {
			errno = EINTR;
			return failed(d, "write", s, s->base + offset);
		}
		err = file_put(s, offset, zeroes, len, d);
		offset += len;
		left -= len;
	}
	return err;
}

static int file_extent(struct side *s, uint64_t offset, uint64_t *len,
		       bool *zero, struct nbd_diag *d)
{
	off_t data, end;

	*zero = false;
	*len = s->size - offset;
	if (s->is_pipe)
		return 0;
	offset += s->base;
	data = lseek(s->fd, (off_t)offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO) {
		/* a hole up to the end, unless the end has moved */
		*zero = true;
		return copy_side_same_size(s, d);
	}
	if (data < 0) /* a device, or a file system without holes */
		return 0;
	if ((uint64_t)data > offset) {
		*zero = true;
		*len = (uint64_t)data - offset;
		return 0;
	}
	end = lseek(s->fd, (off_t)offset, SEEK_HOLE);
	if (end < 0)
		return failed(d, "look for a hole in", s, offset);
	*len = (uint64_t)end - offset;
	return 0;
}

/*
 * EINVAL: a pipe needs no flush.  An error of the disk is reported once: to a
 * child that flushes now, or here.
 */
static int file_flush(struct side *s, struct nbd_diag *d)
{
	copy_mark_wait(s->copy);
	if (fsync(s->fd) == 0 || (s->is_pipe && errno == EINVAL))
		return 0;
	s->torn = true;
	return cannot(d, "flush", s->name);
}

static void file_close(struct side *s)
{
	/* nothing was copied to it */
	if (s->created)
		copy_hidden_remove(s);
	close(s->fd);
}

static const struct side_ops file_ops = {
	.read = file_read,
	.write = file_write,
	.zero = file_zero,
	.extent = file_extent,
	.flush = file_flush,
	.close = file_close,
};

static int measure(struct side *s, struct nbd_diag *d)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return cannot(d, "size of", s->name);
	if (S_ISBLK(st.st_mode)) {
		off_t end = lseek(s->fd, 0, SEEK_END);

		if (end < 0)
			return cannot(d, "size of", s->name);
		s->size = (uint64_t)end;
	} else if (S_ISREG(st.st_mode)) {
		s->size = (uint64_t)st.st_size;
		s->grows = s->output;
	} else if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
		s->is_pipe = true;
		s->size = UINT64_MAX;
		s->unopened = s->output && S_ISFIFO(st.st_mode);
	} else {
		return nbd_diag(d, NBD_E_USAGE,
				"%s is neither file, block device nor pipe",
				s->name);
	}
	return 0;
}

/* "-" is read or written in order, even if it is redirected to a file. */
static int take_standard(struct side *s, bool output)
{
	s->fd = output ? 1 : 0;
	s->is_pipe = true;
	s->size = UINT64_MAX;
	return 0;
}

static struct side file_side(const char *name, bool output)
{
	return (struct side){ .ops = &file_ops,
			      .name = name,
			      .output = output,
			      .align = 1,
			      .piece = COPY_PIECE,
			      .zeroes = COPY_ZEROES };
}

/* A pipe may have waited for its other end. */
static int not_open(struct nbd_diag *d, int err, const char *name)
{
	return is_cut()
		       ? nbd_diag(d, NBD_E_INTERRUPTED,
				  "interrupted: nobody has opened the other "
				  "end of %s",
				  name)
		       : nbd_diag(d, err, "open %s: %s", name, strerror(errno));
}

/* A file of RAM among the devices, in the place of one that is missing. */
static bool is_in_dev(const struct side *s)
{
	struct stat st, dev, root;

	return !fstat(s->fd, &st) && !stat("/dev", &dev) && !stat("/", &root) &&
	       st.st_dev == dev.st_dev && dev.st_dev != root.st_dev;
}

int copy_side_open_file(struct side *s, const char *name, bool output,
			struct nbd_diag *d)
{
	int flags = output ? O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC;
	struct stat st;
	int err;

	*s = file_side(name, output);
	if (!strcmp(name, "-"))
		return take_standard(s, output);
	if (output && stat(name, &st) == 0) {
		/* O_EXCL without O_CREAT fails while a device is mounted */
		if (S_ISBLK(st.st_mode))
			flags |= O_EXCL;
		else if (S_ISFIFO(st.st_mode)) /* this does not wait */
			flags = O_PATH | O_CLOEXEC;
	} else if (output && errno == ENOENT && !lstat(name, &st)) {
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"%s is a link to what is not there", name);
	}
	s->fd = open(name, flags);
	if (s->fd < 0 && output && errno == ENOENT && *name)
		copy_hidden_create(s, flags | O_CREAT | O_EXCL);
	if (s->fd < 0 && output && errno == EBUSY)
		return nbd_diag(d, NBD_E_IN_USE, "%s is mounted or in use",
				name);
	if (s->fd < 0)
		return not_open(d, NBD_E_NOT_FOUND, name);
	err = s->created && is_in_dev(s)
		      ? nbd_diag(d, NBD_E_NOT_FOUND, "there is no device %s",
				 name)
		      : measure(s, d);
	if (err)
		file_close(s);
	return err;
}

int copy_side_open_part(struct side *s, const char *name, struct nbd_diag *d)
{
	char part[PATH_MAX];
	struct stat st;
	int err;

	*s = file_side(name, true);
	if (lstat(name, &st) == 0)
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"%s exists: --resume goes on with a copy to a "
				"new file that was interrupted",
				name);
	if (!copy_hidden_name(part, name) || lstat(part, &st) ||
	    !S_ISREG(st.st_mode))
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"there is no file %s" COPY_PART
				" to go on with (copy without --resume)",
				name);
	s->fd = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0)
		return cannot(d, "open", part);
	err = measure(s, d);
	if (!err)
		err = copy_hidden_lock(s, d);
	if (err) {
		close(s->fd);
		return err;
	}
	s->hidden = s->marked = true;
	return 0;
}

int copy_side_open_again(struct side *s, const char *name, struct nbd_diag *d)
{
	char part[PATH_MAX];
	struct stat st;
	int err;

	if (!copy_hidden_name(part, name) || lstat(part, &st) == 0 ||
	    stat(name, &st))
		return copy_side_open_part(s, name, d);
	err = copy_side_open_file(s, name, true, d);
	if (!err && s->grows && (err = copy_hidden_lock(s, d)) != 0)
		close(s->fd);
	return err;
}

int copy_side_open_pipe(struct side *s, struct nbd_diag *d)
{
	char path[32];
	int fd;

	if (!s->unopened)
		return 0;
	/* not O_RDWR: this would be a reader that never reads */
	nbd_fmt(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return not_open(d, NBD_E_IO, s->name);
	close(s->fd);
	s->fd = fd;
	return 0;
}

int copy_side_same_size(const struct side *s, struct nbd_diag *d)
{
	uint64_t was = s->base + s->size + s->rest;
	struct side now = *s;
	int err;

	if (s->ops != &file_ops || s->is_pipe)
		return 0;
	err = measure(&now, d);
	if (err || now.size == was)
		return err;
	return nbd_diag(d, NBD_E_IO,
			"%s has %llu bytes now, and had %llu when the copy "
			"began",
			s->name, (unsigned long long)now.size,
			(unsigned long long)was);
}
