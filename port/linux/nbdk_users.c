/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The users of an nbd device or of a partition of it: other devices (sysfs),
 * loop devices (which no process shows), swap, mounts in all mount namespaces,
 * and processes that have it open.
 */
#include "port/linux/nbdk.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Of linux/stat.h.  Without it a file on another server that is away blocks. */
#define DONT_SYNC 0x4000

struct look {
	int index;
	pid_t but; /* not this process */
	enum nbdk_use use;
	struct nbd_out o;
};

const char *nbdk_proc = "/proc";

/* Is it nbdN or a partition of it?  Such minor numbers have no rule. */
static bool is_of(const struct look *l, unsigned major, unsigned minor)
{
	char path[300], to[512], want[24];
	ssize_t n;

	nbd_fmt(path, sizeof(path), "%s/../dev/block/%u:%u", nbdk_sys, major,
		minor);
	n = readlink(path, to, sizeof(to) - 2);
	if (n <= 0)
		return false;
	memcpy(to + n, "/", 2);
	nbd_fmt(want, sizeof(want), "/nbd%d/", l->index);
	return strstr(to, want);
}

static bool is_device(const struct look *l, int at, const char *name)
{
	struct stat st;

	return !fstatat(at, name, &st, DONT_SYNC) && S_ISBLK(st.st_mode) &&
	       is_of(l, major(st.st_rdev), minor(st.st_rdev));
}

static bool named(struct look *l, const char *kind, const char *name)
{
	nbd_put(&l->o, kind, strlen(kind));
	nbd_put(&l->o, name, strlen(name));
	return true;
}

/* ---- other devices ---- */

static bool is_held(struct look *l, const char *disk, const char *part)
{
	char path[300];
	const char *name;
	struct dir dir;
	bool found;

	nbd_fmt(path, sizeof(path), "%s/%s/%s/holders", nbdk_sys, disk, part);
	dir_open(&dir, path);
	name = dir_next(&dir);
	found = name && named(l, "", name);
	dir_close(&dir);
	return found;
}

static bool by_holder(struct look *l)
{
	char path[300], disk[24];
	const char *name;
	struct dir dir;
	size_t len;
	bool found;

	nbd_fmt(disk, sizeof(disk), "nbd%d", l->index);
	len = strlen(disk);
	found = is_held(l, disk, "");
	nbd_fmt(path, sizeof(path), "%s/%s", nbdk_sys, disk);
	dir_open(&dir, path);
	while (!found && (name = dir_next(&dir)))
		found = !strncmp(name, disk, len) && is_held(l, disk, name);
	dir_close(&dir);
	return found;
}

/* The path in sysfs may be that of another mount namespace. */
static bool is_behind(const struct look *l, const char *loop)
{
	struct loop_info64 info = { .lo_rdevice = 0 };
	char path[300];
	int fd;

	nbd_fmt(path, sizeof(path), "%s/%s/loop", nbdk_sys, loop);
	if (access(path, F_OK))
		return false;
	nbd_fmt(path, sizeof(path), "/dev/%s", loop);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	return is_of(l, major(info.lo_rdevice), minor(info.lo_rdevice));
}

static bool by_loop(struct look *l)
{
	const char *name;
	bool found = false;
	struct dir dir;

	dir_open(&dir, nbdk_sys);
	while (!found && (name = dir_next(&dir)))
		found = !strncmp(name, "loop", 4) && is_behind(l, name) &&
			named(l, "", name);
	dir_close(&dir);
	return found;
}

/* ---- swap, and mounts ---- */

static bool lines_open(struct file_lines *f, const char *pid, const char *name)
{
	char path[300];

	nbd_fmt(path, sizeof(path), "%s/%s/%s", nbdk_proc, pid, name);
	return file_lines_open(f, path) == 0;
}

static bool by_swap(struct look *l)
{
	bool found = false;
	struct file_lines f;
	char *line;

	if (!lines_open(&f, ".", "swaps"))
		return false;
	while (!found && (line = file_lines_next(&f))) {
		line[strcspn(line, " \t")] = '\0';
		found = *line == '/' && is_device(l, AT_FDCWD, line);
	}
	file_lines_close(&f);
	return found && named(l, "", "swap");
}

static char *field(char *line, unsigned n)
{
	for (; n; n--) {
		line += strcspn(line, " ");
		line += *line == ' ';
	}
	return line;
}

/*
 * mountinfo: ID parent major:minor root path ... - type source options.  The
 * numbers of btrfs are its own.
 */
static bool is_mount(const struct look *l, char *line)
{
	char *dev = field(line, 2), *end = strchr(dev, ':');
	char *source = strstr(line, " - "), node[24];
	int n = nbd_fmt(node, sizeof(node), "/dev/nbd%d", l->index);

	if (!end || !source)
		return false;
	source = field(source, 3);
	source[strcspn(source, " ")] = '\0';
	if (!strncmp(source, node, (size_t)n) &&
	    (!source[n] || source[n] == 'p'))
		return true;
	*end = '\0';
	end[1 + strcspn(end + 1, " ")] = '\0';
	return is_of(l, (unsigned)nbd_number(dev, 0, 0xfffff),
		     (unsigned)nbd_number(end + 1, 0, 0xfffff));
}

static bool by_mount(struct look *l, const char *pid)
{
	struct file_lines f;
	char *line, *path;

	if (!lines_open(&f, pid, "mountinfo"))
		return false;
	while ((line = file_lines_next(&f))) {
		path = field(line, 4);
		if (!is_mount(l, line))
			continue;
		path[strcspn(path, " ")] = '\0';
		file_lines_close(&f);
		named(l, "the mount on ", path);
		nbd_putf(&l->o, " (of pid %s)", pid);
		return true;
	}
	return false;
}

/* ---- processes ---- */

static bool by_process(struct look *l, const char *pid)
{
	char path[300], comm[32];
	bool found = false;
	const char *fd;
	struct dir dir;

	nbd_fmt(path, sizeof(path), "%s/%s/fd", nbdk_proc, pid);
	dir_open(&dir, path);
	while (!found && (fd = dir_next(&dir)))
		found = is_device(l, dir.fd, fd);
	dir_close(&dir);
	if (!found)
		return false;
	nbd_fmt(path, sizeof(path), "%s/%s/comm", nbdk_proc, pid);
	file_read(AT_FDCWD, path, comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';
	named(l, "", comm);
	nbd_putf(&l->o, " (pid %s)", pid);
	l->use = NBDK_OPEN;
	return true;
}

/* Is the mount namespace of this process another one than before? */
static bool is_new(const char *pid, char last[32])
{
	char path[300], ns[32];
	ssize_t n;

	nbd_fmt(path, sizeof(path), "%s/%s/ns/mnt", nbdk_proc, pid);
	n = readlink(path, ns, sizeof(ns) - 1);
	ns[n > 0 ? n : 0] = '\0';
	if (n > 0 && !strcmp(ns, last))
		return false;
	memcpy(last, ns, sizeof(ns));
	return true;
}

static bool in_proc(struct look *l)
{
	char last[32] = "";
	bool found = false;
	const char *pid;
	struct dir dir;

	dir_open(&dir, nbdk_proc);
	while (!found && (pid = dir_next(&dir))) {
		long n = nbd_number(pid, 1, INT32_MAX);

		found = n > 0 && ((is_new(pid, last) && by_mount(l, pid)) ||
				  (n != l->but && by_process(l, pid)));
	}
	dir_close(&dir);
	return found;
}

enum nbdk_use nbdk_user(int index, int but, char text[NBDK_USER_MAX])
{
	struct look l = { .index = index,
			  .but = but,
			  .use = NBDK_CLAIMED,
			  .o = { .buf = text, .cap = NBDK_USER_MAX - 1 } };
	bool found = by_holder(&l) || by_loop(&l) || by_swap(&l) || in_proc(&l);

	text[l.o.len] = '\0';
	return found ? l.use : NBDK_UNUSED;
}
