/* SPDX-License-Identifier: BSD-2-Clause */
/* Names become files, and files are locked: what those need is named, too. */
#include "boot/keep/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

/* Directories in a directory of the list. */
#define DEPTH 4

static const char *const programs[] = { "/usr/local/sbin", "/usr/local/bin",
					"/usr/sbin",	   "/usr/bin",
					"/sbin",	   "/bin" };
/* Where there is no cache of ld.so. */
static const char *const libraries[] = { "/lib", "/usr/lib", "/lib64",
					 "/usr/lib64" };
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void keep_file(struct keep *k, const char *path, int fd,
		      const struct stat *st)
{
	int rc;

	k->found = true;
	keep_companions(k, path);
	if (!keep_first(k, st))
		return;
	rc = keep_lock(k, fd, 0, (uint64_t)st->st_size);
	/* an empty file has no mapping that holds it: it stays open */
	if (!st->st_size && fcntl(fd, F_DUPFD_CLOEXEC, 0) < 0)
		rc = file_error(errno);
	if (!rc) {
		k->files++;
		return;
	}
	k->failed++;
	boot_say("keep: %s is not kept: %s", path,
		 rc == NBD_E_NO_MEMORY ? "there is not enough memory for it"
				       : strerror(errno));
}

static void keep_directory(struct keep *k, const char *path, int fd,
			   unsigned depth);

/* Of a script: "#!/bin/sh". */
static void keep_interpreter(struct keep *k, int fd)
{
	char text[KEEP_NAME];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *p = text + 2;

	text[n > 0 ? n : 0] = '\0';
	if (n < 4 || text[0] != '#' || text[1] != '!')
		return;
	p += strspn(p, " \t");
	p[strcspn(p, " \t\n")] = '\0';
	if (*p == '/')
		keep_add(k, KEEP_FILE, p);
}

static void keep_entry(struct keep *k, const char *path, unsigned depth)
{
	struct stat st;
	int fd = keep_open(k, path, &st);

	if (fd < 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		/* takes fd */
		keep_directory(k, path, fd, depth);
		return;
	}
	if (!keep_needed(k, fd))
		keep_interpreter(k, fd);
	keep_file(k, path, fd, &st);
	close(fd);
}

static void keep_directory(struct keep *k, const char *path, int fd,
			   unsigned depth)
{
	char below[KEEP_NAME];
	const char *name;
	struct dir dir;

	k->found = true;
	dir_take(&dir, fd);
	while (depth && (name = dir_next(&dir)))
		if (nbd_fmt(below, sizeof(below), "%s/%s", path, name) > 0)
			keep_entry(k, below, depth - 1);
	dir_close(&dir);
}

/* A library of another machine, as i386, is not the one. */
static void keep_library(struct keep *k, const char *path)
{
	struct stat st;
	int fd = keep_open(k, path, &st);

	if (fd < 0)
		return;
	if (S_ISREG(st.st_mode) && keep_needed(k, fd))
		keep_file(k, path, fd, &st);
	close(fd);
}

static bool keep_program(struct keep *k, const char *name)
{
	char path[KEEP_NAME];
	struct stat st;
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < COUNT(programs); i++)
		if (nbd_fmt(path, sizeof(path), "%s/%s", programs[i], name) > 0)
			fd = keep_open(k, path, &st);
	if (fd < 0)
		return false;
	close(fd);
	keep_entry(k, path, DEPTH);
	return true;
}

static void find_library(struct keep *k, const char *name)
{
	char path[KEEP_NAME];
	struct stat st;
	int fd = keep_open(k, "/etc/ld.so.cache", &st);

	if (fd >= 0) {
		keep_cache(k, fd, name, keep_library);
		close(fd);
	}
	for (size_t i = 0; !k->found && i < COUNT(libraries); i++)
		if (nbd_fmt(path, sizeof(path), "%s/%s", libraries[i], name) >
		    0)
			keep_library(k, path);
}

static void keep_name(struct keep *k, const char *name, enum keep_kind kind)
{
	bool path = strchr(name, '/');

	k->found = false;
	if (path && kind == KEEP_LIBRARY)
		keep_library(k, name);
	else if (path)
		/* a directory only if a person or the table has named it */
		keep_entry(k, name, kind == KEEP_FILE ? 0 : DEPTH);
	else if (kind == KEEP_LIBRARY || !keep_program(k, name))
		find_library(k, name);
	if (kind == KEEP_PROGRAM && !k->found) {
		k->failed++;
		boot_say("keep: %s is not in the root", name);
	}
}

int keep_list(struct keep *k, const char *list, struct nbd_diag *d)
{
	char name[KEEP_NAME];
	size_t n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n >= sizeof(name))
			return nbd_diag(d, NBD_E_USAGE,
					"a name has more than %d bytes",
					KEEP_NAME - 1);
		nbd_fmt(name, sizeof(name), "%.*s", (int)n, list);
		if (n)
			keep_add(k, KEEP_PROGRAM, name);
	}
	/* what is added meanwhile comes last */
	for (unsigned i = 0; i < k->n_names; i++)
		keep_name(k, k->names[i].text, k->names[i].kind);
	return NBD_OK;
}
