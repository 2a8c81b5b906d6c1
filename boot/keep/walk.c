/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths, name by name.  A mapped file keeps the directories above it in memory,
 * but not the links that led there: those stay open.
 */
#include "boot/keep/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* As in the kernel. */
#define LINKS 40

struct walk {
	int root;
	int at; /* a directory, opened with O_PATH */
	unsigned links;
	char name[NAME_MAX + 1], rest[PATH_MAX];
};

/* The next name of the path; false: there is none. */
static bool next(struct walk *w)
{
	const char *p = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(p, "/");

	if (!n)
		return false;
	/* too long a name is refused by the kernel, as a part of it would be */
	nbd_fmt(w->name, sizeof(w->name), "%.*s", (int)n, p);
	if (n > NAME_MAX)
		w->name[0] = '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return true;
}

static void go(struct walk *w, int fd)
{
	close(w->at);
	w->at = fd;
}

/* The link at fd comes before the rest of the path. */
static int follow(struct keep *k, struct walk *w, int fd, const struct stat *st)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(fd, "", to, sizeof(to) - 1);
	size_t rest = strlen(w->rest);

	/* in memory as long as it is open */
	if (!keep_first(k, st))
		close(fd);
	if (n <= 0 || ++w->links > LINKS ||
	    (size_t)n >= sizeof(w->rest) - 1 - rest)
		return NBD_E_URI;
	memmove(w->rest + n + 1, w->rest, rest + 1);
	memcpy(w->rest, to, (size_t)n);
	w->rest[n] = '/';
	if (*to == '/')
		go(w, dup(w->root));
	return NBD_OK;
}

/* The directory above it; of the root, which has none, itself. */
static int up(struct walk *w)
{
	struct stat root, st;

	if (fstat(w->root, &root) || fstat(w->at, &st))
		return -1;
	if (st.st_dev == root.st_dev && st.st_ino == root.st_ino)
		return dup(w->at);
	return openat(w->at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Opens what is known by its O_PATH descriptor, if it is what it looks like. */
static int open_it(struct walk *w, const struct stat *known, struct stat *st)
{
	int fd = openat(w->at, w->name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);

	if (fd < 0 || (!fstat(fd, st) && st->st_dev == known->st_dev &&
		       st->st_ino == known->st_ino))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* -2: go on. */
static int step(struct keep *k, struct walk *w, struct stat *st)
{
	int fd = strcmp(w->name, "..") ? openat(w->at, w->name,
						O_PATH | O_NOFOLLOW | O_CLOEXEC)
				       : up(w);
	struct stat known;

	if (fd < 0 || fstat(fd, &known))
		return -1;
	if (S_ISLNK(known.st_mode)) {
		if (!follow(k, w, fd, &known))
			return -2;
		errno = ELOOP;
		return -1;
	}
	if (S_ISDIR(known.st_mode)) {
		keep_blocks(k, fd, &known);
		go(w, fd);
		return -2;
	}
	close(fd);
	errno = ENOENT;
	if (!S_ISREG(known.st_mode) || w->rest[strspn(w->rest, "/")])
		return -1;
	return open_it(w, &known, st);
}

static int walk(struct keep *k, int root, const char *path, struct stat *st)
{
	struct walk w = { .root = root, .at = dup(root) };
	int fd = -2, err;

	if (nbd_fmt(w.rest, sizeof(w.rest), "%s", path) < 0) {
		errno = ENAMETOOLONG;
		fd = -1;
	}
	while (fd == -2 && next(&w))
		fd = step(k, &w, st);
	if (fd == -2) {
		fd = openat(w.at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, st))
			go(&w, fd), fd = -1;
	}
	err = errno;
	close(w.at);
	errno = err;
	return fd;
}

/* An overlay looks for each name that is not in its memory in what is below it. */
int keep_open(struct keep *k, const char *path, struct stat *st)
{
	int fd = k->below > 0 ? walk(k, k->below, path, st) : -1;

	if (fd >= 0)
		close(fd);
	return walk(k, k->root, path, st);
}
