/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/linux/file.h"

int __real_file_read(int at, const char *name, char *buf, size_t cap);
int __wrap_file_read(int at, const char *name, char *buf, size_t cap);
uint64_t __real_file_number(int at, const char *name);
uint64_t __wrap_file_number(int at, const char *name);
uint64_t __real_file_meminfo(const char *key);
uint64_t __wrap_file_meminfo(const char *key);
int __real_file_write(int at, const char *name, const void *data, size_t len);
int __wrap_file_write(int at, const char *name, const void *data, size_t len);
int __real_file_save(int at, const char *path, const void *data, size_t len);
int __wrap_file_save(int at, const char *path, const void *data, size_t len);
int __real_file_replace(int at, const char *path, const void *data, size_t len);
int __wrap_file_replace(int at, const char *path, const void *data, size_t len);

struct world_file *world_find(const char *name)
{
	world.asked++;
	for (struct world_file *f = world.files;
	     f < world.files + WORLD_FILES && f->name; f++)
		if (!fnmatch(f->name, name, 0))
			return f;
	if (world.others == WORLD_FAILS)
		world_fail("nobody should ask for %s", name);
	return NULL;
}

struct world_file *world_named(const char *name)
{
	struct world_file *f = world.files;

	while (f < world.files + WORLD_FILES && f->name &&
	       strcmp(f->name, name) != 0)
		f++;
	if (f == world.files + WORLD_FILES)
		world_fail("more than %d files", WORLD_FILES);
	*f = (struct world_file){ .name = name };
	return f;
}

void world_link(const char *name, const char *target)
{
	struct world_file *f = world_named(name);

	f->there = true;
	f->target = target;
}

const char *world_run(const char *path)
{
	static char to[256];
	int n;

	if (!world.run || strncmp(path, "/run", 4) != 0 ||
	    (path[4] && path[4] != '/'))
		return path;
	n = snprintf(to, sizeof(to), "%s%s", world.run, path + 4);
	if (n < 0 || (size_t)n >= sizeof(to))
		world_fail("no room for %s", path);
	return to;
}

int world_fails(const struct world_file *f)
{
	errno = f && f->error ? f->error : ENOENT;
	return f && f->there && !f->error ? 0 : -1;
}

void world_data(const char *name, const void *data, size_t len)
{
	struct world_file *f = world_named(name);

	f->there = data;
	f->data = data;
	f->len = len;
	f->st.st_mode = S_IFREG | 0644;
}

void world_file(const char *name, const char *text)
{
	world_data(name, text, text ? strlen(text) : 0);
}

void world_file_fails(const char *name, int error)
{
	struct world_file *f = world_find(name);

	(f ? f : world_named(name))->error = error;
}

void world_file_refuses(const char *name, int error)
{
	struct world_file *f = world_find(name);

	(f ? f : world_named(name))->refusal = error;
}

int __wrap_file_read(int at, const char *name, char *buf, size_t cap)
{
	struct world_file *f = world_find(name);
	size_t n;

	if (!f && world.others == WORLD_REAL)
		return __real_file_read(at, name, buf, cap);
	if (world.read)
		world.read(name);
	*buf = '\0';
	if (world_fails(f))
		return file_error(errno);
	n = f->len < cap - 1 ? f->len : cap - 1;
	memcpy(buf, f->data, n);
	buf[n] = '\0';
	return (int)n;
}

uint64_t __wrap_file_number(int at, const char *name)
{
	char buf[32];

	if (world.others == WORLD_REAL && !world_find(name))
		return __real_file_number(at, name);
	__wrap_file_read(at, name, buf, sizeof(buf));
	return *buf >= '0' && *buf <= '9' ? strtoull(buf, NULL, 10) : 0;
}

/* As in /proc/meminfo, with any spaces. */
uint64_t __wrap_file_meminfo(const char *key)
{
	char buf[256], *p;

	if (world.others == WORLD_REAL && !world_find("/proc/meminfo"))
		return __real_file_meminfo(key);
	__wrap_file_read(-1, "/proc/meminfo", buf, sizeof(buf));
	p = strstr(buf, key);
	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

static int keep(struct world_file *f, const char *name, const void *data,
		size_t len)
{
	char text[1024];

	if (len >= sizeof(text))
		world_fail("a text of %zu bytes for %s", len, name);
	memcpy(text, data, len);
	text[len] = '\0';
	world_note(world.written, sizeof(world.written), "%s = %s\n", name,
		   text);
	if (world.wrote)
		world.wrote(name, text);
	if (f && (f->error || f->refusal)) {
		errno = f->error ? f->error : f->refusal;
		return file_error(errno);
	}
	if (f && !strcmp(f->name, name) && len < sizeof(f->own)) {
		memcpy(f->own, text, len + 1);
		f->there = true;
		f->data = f->own;
		f->len = len;
	}
	return 0;
}

int __wrap_file_write(int at, const char *name, const void *data, size_t len)
{
	struct world_file *f = world_find(name);

	return !f && world.others == WORLD_REAL
		       ? __real_file_write(at, name, data, len)
		       : keep(f, name, data, len);
}

int __wrap_file_save(int at, const char *path, const void *data, size_t len)
{
	struct world_file *f = world_find(path);

	return !f && world.others == WORLD_REAL
		       ? __real_file_save(at, path, data, len)
		       : keep(f, path, data, len);
}

int __wrap_file_replace(int at, const char *path, const void *data, size_t len)
{
	struct world_file *f = world_find(path);

	return !f && world.others == WORLD_REAL
		       ? __real_file_replace(at, path, data, len)
		       : keep(f, path, data, len);
}
