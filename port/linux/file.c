/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes small files. */
#include "port/linux/file.h"
#include "port/text.h"
#include "core/nbd_err.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* ms between two tries to lock a file. */
#define AGAIN_MS 20

int file_error(int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR:
		return NBD_E_NOT_FOUND;
	case EACCES:
	case EPERM:
		return NBD_E_PERM;
	default:
		return NBD_E_IO;
	}
}

/* Closes fd and translates errno. */
static int fail(int fd)
{
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return file_error(err);
}

int file_read(int at, const char *name, char *buf, size_t cap)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	size_t len = 0;

	while (n > 0 && len < cap - 1) {
		n = read(fd, buf + len, cap - 1 - len);
		if (n > 0)
			len += (size_t)n;
	}
	buf[n < 0 ? 0 : len] = '\0';
	if (n < 0)
		return fail(fd);
	close(fd);
	return (int)len;
}

int file_lines_open(struct file_lines *f, const char *path)
{
	f->at = f->len = 0;
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	return f->fd < 0 ? file_error(errno) : 0;
}

void file_lines_close(struct file_lines *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* Reads more behind the rest of the buffer; false at the end of the file. */
static bool read_more(struct file_lines *f)
{
	ssize_t n;

	f->len -= f->at;
	memmove(f->buf, f->buf + f->at, f->len);
	f->at = 0;
	if (f->len == FILE_LINE)
		f->len = 0;
	n = f->fd < 0 ? 0 : read(f->fd, f->buf + f->len, FILE_LINE - f->len);
	if (n > 0)
		f->len += (size_t)n;
	return n > 0;
}

char *file_lines_next(struct file_lines *f)
{
	char *line, *end;

	do {
		line = f->buf + f->at;
		end = memchr(line, '\n', f->len - f->at);
		if (end) {
			*end = '\0';
			f->at = (size_t)(end + 1 - f->buf);
			return line;
		}
	} while (read_more(f));
	file_lines_close(f);
	/* a last line without a newline */
	f->buf[f->len] = '\0';
	end = f->len ? f->buf : NULL;
	f->len = 0;
	return end;
}

int file_write(int at, const char *name, const void *data, size_t len)
{
	int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0644);
	const char *p = data;
	ssize_t n = fd < 0 ? -1 : 1;

	/* after a short write, the next one says what is in the way */
	while (n > 0 && len) {
		n = write(fd, p, len);
		if (n > 0)
			p += n, len -= (size_t)n;
	}
	if (n <= 0)
		return fail(fd);
	close(fd);
	return 0;
}

bool file_write_at(int fd, const void *data, size_t len, uint64_t at)
{
	const char *p = data;
	ssize_t n;

	/* after a short write, the next one says what is in the way */
	for (; len; len -= (size_t)n, p += n, at += (uint64_t)n) {
		n = pwrite(fd, p, len, (off_t)at);
		if (n <= 0)
			return false;
	}
	return true;
}

bool file_read_at(int fd, void *buf, size_t len, uint64_t at)
{
	char *p = buf;
	ssize_t n;

	for (; len; len -= (size_t)n, p += n, at += (uint64_t)n) {
		n = pread(fd, p, len, (off_t)at);
		if (n == 0)
			errno = ENODATA;
		if (n <= 0)
			return false;
	}
	return true;
}

int file_save(int at, const char *path, const void *data, size_t len)
{
	const char *slash = path;
	char dir[128];

	while ((slash = strchr(slash, '/'))) {
		if (nbd_fmt(dir, sizeof(dir), "%.*s", (int)(slash++ - path),
			    path) >= 0)
			mkdirat(at, dir, 0755);
	}
	return file_write(at, path, data, len);
}

/* The name of a file that replaces another one when it is whole. */
struct part {
	char name[PATH_MAX];
};

static int part_of(struct part *part, const char *path)
{
	int rc = nbd_fmt(part->name, sizeof(part->name), "%s.part", path);

	errno = ENAMETOOLONG; /* for rc < 0 */
	return rc < 0 ? rc : 0;
}

/* rc: of writing the part.  On failure, also an earlier one, deletes it. */
static int replace(int at, const char *path, const struct part *part, int rc)
{
	int err;

	if (!rc && renameat(at, part->name, at, path))
		rc = file_error(errno);
	err = errno;
	if (rc)
		unlinkat(at, part->name, 0);
	errno = err;
	return rc;
}

int file_replace(int at, const char *path, const void *data, size_t len)
{
	struct part part;
	int rc = part_of(&part, path);

	return rc ? rc
		  : replace(at, path, &part,
			    file_save(at, part.name, data, len));
}

static int copy(int at, const char *path, int in, unsigned mode)
{
	int out = openat(at, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			 mode);
	ssize_t n = out < 0 ? -1 : 1;

	while (n > 0)
		n = sendfile(out, in, NULL, 1 << 20);
	if (n < 0)
		return fail(out);
	return close(out) ? file_error(errno) : 0;
}

int file_replace_by(int at, const char *path, int in, unsigned mode)
{
	struct part part;
	int rc = part_of(&part, path);

	return rc ? rc
		  : replace(at, path, &part, copy(at, part.name, in, mode));
}

uint64_t file_number(int at, const char *name)
{
	char buf[21], *p = buf;
	uint64_t v = 0;

	file_read(at, name, buf, sizeof(buf));
	for (; *p >= '0' && *p <= '9' && p - buf < 19; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return *p >= '0' && *p <= '9' ? 0 : v;
}

uint64_t file_nth_number(const char *line, unsigned n)
{
	for (; n; n--) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	return strtoull(line, NULL, 10);
}

uint64_t file_meminfo(const char *key)
{
	char buf[4096], *p;
	uint64_t kib = 0;

	file_read(AT_FDCWD, "/proc/meminfo", buf, sizeof(buf));
	for (p = strstr(buf, key); p && p > buf && p[-1] != '\n';)
		p = strstr(p + 1, key);
	if (p)
		p += strcspn(p, "0123456789");
	for (; p && *p >= '0' && *p <= '9'; p++)
		kib = kib * 10 + (uint64_t)(*p - '0');
	return kib;
}

int file_run(void)
{
	int run;

	mkdir("/run", 0755);
	run = open("/run", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (run < 0)
		return file_error(errno);
	mkdirat(run, "nbdboot", 0755);
	return run;
}

bool file_lock(int fd, int ms)
{
	for (; flock(fd, LOCK_EX | LOCK_NB); ms -= AGAIN_MS) {
		if (errno != EWOULDBLOCK || ms <= 0)
			return false;
		poll(NULL, 0, AGAIN_MS);
	}
	return true;
}
