/* SPDX-License-Identifier: BSD-2-Clause */
/* nbd devices as sysfs and /dev show them. */
#include "port/linux/nbdk.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Minor numbers have 20 bits. */
#define INDEX_MAX 0xfffff
/* ms to wait for a node if a daemon fills /dev; devtmpfs needs none. */
#define NODE_MS	  10000

const char *nbdk_sys = "/sys/block";

/* ---- names ---- */

int nbdk_parse_name(const char *name)
{
	long n = -1;

	if (strncmp(name, "/dev/", 5) == 0)
		name += 5;
	/* "nbd07" names no device */
	if (strncmp(name, "nbd", 3) == 0 && (name[3] != '0' || !name[4]))
		n = nbd_number(name + 3, 0, INDEX_MAX);
	return n < 0 ? NBD_E_USAGE : (int)n;
}

int nbdk_parse_part(const char *name, unsigned *part)
{
	size_t len = strcspn(name, "p");
	char disk[32];
	long n;

	nbd_fmt(disk, sizeof(disk), "%.*s", (int)len, name);
	n = name[len] ? nbd_number(name + len + 1, 1, 255) : 0;
	if (part)
		*part = n > 0 ? (unsigned)n : 0;
	return n < 0 ? NBD_E_USAGE : nbdk_parse_name(disk);
}

static int open_node(const char *node, int flags)
{
	return open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
}

int nbdk_open_alone(int index, struct nbd_diag *d)
{
	char node[24];
	int fd;

	nbd_fmt(node, sizeof(node), "/dev/nbd%d", index);
	fd = open_node(node, O_EXCL);
	if (fd >= 0)
		return fd;
	return nbd_diag(d,
			errno == EBUSY	  ? NBD_E_IN_USE
			: errno == EACCES ? NBD_E_PERM
					  : NBD_E_NO_DEVICE,
			"open %s: %s", node, strerror(errno));
}

/* ---- ready ---- */

static bool is_node(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

/* Sleeps until something changes in the watched directory, or until end. */
static void await(int fd, uint64_t end)
{
	char events[1024];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = nbd_now_ms();

	if (now < end && poll(&p, 1, (int)(end - now)) == 1)
		(void)!read(fd, events, sizeof(events));
}

/* Waits for a node in /dev.  Watches first, then checks: no event is lost. */
static int wait_node(const char *path, struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + NODE_MS;
	bool there = is_node(path);
	int fd;

	if (there)
		return 0;
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd >= 0 &&
	    inotify_add_watch(fd, "/dev",
			      IN_CREATE | IN_MOVED_TO | IN_ATTRIB) >= 0) {
		while (!(there = is_node(path)) && nbd_now_ms() < end)
			await(fd, end);
	}
	if (fd >= 0)
		close(fd);
	if (there)
		return 0;
	return nbd_diag(d, NBD_E_NO_DEVICE,
			"%s did not appear: is devtmpfs mounted on /dev?",
			path);
}

/* The directory of nbdN in sysfs, or a file in it. */
static void sys_path(char *buf, size_t cap, int index, const char *leaf)
{
	nbd_fmt(buf, cap, "%s/nbd%d/%s", nbdk_sys, index, leaf);
}

static int wait_partitions(int index, struct nbd_diag *d)
{
	char path[300], prefix[24];
	int rc = 0, n = nbd_fmt(prefix, sizeof(prefix), "nbd%dp", index);
	const char *name;
	struct dir dir;

	/* without sysfs the partitions are unknown: waits for none */
	sys_path(path, sizeof(path), index, "");
	dir_open(&dir, path);
	while (rc == 0 && (name = dir_next(&dir)) != NULL) {
		if (strncmp(name, prefix, (size_t)n) != 0)
			continue;
		nbd_fmt(path, sizeof(path), "/dev/%s", name);
		rc = wait_node(path, d);
	}
	dir_close(&dir);
	return rc;
}

/*
 * The driver marks the disk for a scan.  The first open() scans it before it
 * returns, and other open() calls wait for that.  A driver loaded with
 * max_part=0 never marks it: then request the scan.
 */
static void scan(int fd)
{
	char max[2];

	file_read(AT_FDCWD, "/sys/module/nbd/parameters/max_part", max,
		  sizeof(max));
	if (max[0] == '0')
		ioctl(fd, BLKRRPART);
}

int nbdk_wait_ready(int index, uint64_t size, struct nbd_diag *d)
{
	off_t have;
	char node[24];
	int fd, rc;

	nbd_fmt(node, sizeof(node), "/dev/nbd%d", index);
	rc = wait_node(node, d);
	if (rc < 0)
		return rc;
	fd = open_node(node, 0);
	if (fd < 0)
		return nbd_diag(d, NBD_E_IO, "open %s: %s", node,
				strerror(errno));
	have = lseek(fd, 0, SEEK_END);
	if (have < 0)
		rc = nbd_diag(d, NBD_E_IO, "size of %s: %s", node,
			      strerror(errno));
	else if ((uint64_t)have !=
		 (size & ~(uint64_t)511)) /* sysfs counts in sectors */
		rc = nbd_diag(d, NBD_E_SIZE,
			      "%s has %llu bytes, the export has %llu", node,
			      (unsigned long long)have,
			      (unsigned long long)size);
	else
		scan(fd);
	close(fd);
	return rc < 0 ? rc : wait_partitions(index, d);
}

/* Opening the device makes the driver scan it and find no partitions. */
void nbdk_drop_partitions(int index)
{
	char node[24];
	int fd;

	nbd_fmt(node, sizeof(node), "/dev/nbd%d", index);
	fd = open_node(node, 0);
	if (fd < 0)
		return;
	scan(fd);
	close(fd);
}

/* ---- sysfs ---- */

/* Reads an attribute without its newline; returns its length, or an error. */
static int read_attr(int index, const char *leaf, char *buf, size_t cap)
{
	char path[300];
	int n;

	sys_path(path, sizeof(path), index, leaf);
	n = file_read(AT_FDCWD, path, buf, cap);
	if (n > 0 && buf[n - 1] == '\n')
		buf[--n] = '\0';
	return n;
}

static uint64_t read_num(int index, const char *leaf)
{
	char path[300];

	sys_path(path, sizeof(path), index, leaf);
	return file_number(AT_FDCWD, path);
}

static unsigned count_queues(int index)
{
	char path[300];
	unsigned n = 0;
	struct dir dir;

	sys_path(path, sizeof(path), index, "mq");
	dir_open(&dir, path);
	while (dir_next(&dir))
		n++;
	dir_close(&dir);
	return n;
}

int nbdk_info(int index, struct nbdk_info *info)
{
	char buf[24];

	if (read_attr(index, "size", buf, sizeof(buf)) < 0)
		return NBD_E_NO_DEVICE;
	info->index = index;
	info->size = read_num(index, "size") * 512;
	info->block_size =
		(uint32_t)read_num(index, "queue/logical_block_size");
	info->io_timeout = (uint32_t)read_num(index, "queue/io_timeout");
	info->read_only = read_num(index, "ro") != 0;
	info->connected = read_attr(index, "pid", buf, sizeof(buf)) >= 0;
	info->pid = (int)read_num(index, "pid");
	info->connections = info->connected ? count_queues(index) : 0;
	read_attr(index, "backend", info->backend, sizeof(info->backend));
	return 0;
}

uint16_t nbdk_flags(int index)
{
	uint16_t flags = 0;
	char buf[24];

	if (read_attr(index, "queue/write_cache", buf, sizeof(buf)) > 0 &&
	    !strcmp(buf, "write back"))
		flags |= NBD_FLAG_SEND_FLUSH;
	if (read_num(index, "queue/fua"))
		flags |= NBD_FLAG_SEND_FUA;
	if (read_num(index, "queue/discard_max_bytes"))
		flags |= NBD_FLAG_SEND_TRIM;
	/*
	 * Not write_zeroes_max_bytes: Linux 6.12 sets it, and leaves it as it
	 * was for a next server that has no such command.
	 */
	return flags;
}

/* Documentation/block/stat.rst: reads are field 1, writes 5, in flight 9. */
void nbdk_stat_parse(struct nbdk_stat *s, const char *p)
{
	/* 0: merged requests, and the times of the whole device */
	struct nbdk_stat t = { .in_flight = 0 };
	uint64_t skip = 0, in_flight = 0,
		 *const field[] = {
			 &t.kind[NBDK_READ].n,
			 &skip,
			 &t.kind[NBDK_READ].sectors,
			 &t.kind[NBDK_READ].ms,
			 &t.kind[NBDK_WRITE].n,
			 &skip,
			 &t.kind[NBDK_WRITE].sectors,
			 &t.kind[NBDK_WRITE].ms,
			 &in_flight,
			 &skip,
			 &skip,
			 &t.kind[NBDK_DISCARD].n,
			 &skip,
			 &t.kind[NBDK_DISCARD].sectors,
			 &t.kind[NBDK_DISCARD].ms,
			 &t.kind[NBDK_FLUSH].n,
			 &t.kind[NBDK_FLUSH].ms,
		 };

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		uint64_t n = 0;

		for (p += strspn(p, " "); *p >= '0' && *p <= '9'; p++)
			n = n * 10 + (uint64_t)(*p - '0');
		*field[i] = n;
	}
	t.in_flight = (unsigned)in_flight;
	*s = t;
}

void nbdk_stat(int index, struct nbdk_stat *s)
{
	char buf[400];

	read_attr(index, "stat", buf, sizeof(buf));
	nbdk_stat_parse(s, buf);
}

uint64_t nbdk_answered(int index, unsigned *waiting)
{
	struct nbdk_stat s;

	nbdk_stat(index, &s);
	*waiting = s.in_flight;
	return s.kind[NBDK_READ].n + s.kind[NBDK_WRITE].n;
}

uint64_t nbdk_reads(int index, unsigned *waiting)
{
	struct nbdk_stat s, now;
	char buf[32];

	/* the count first: a read that ends meanwhile shows in the next one */
	nbdk_stat(index, &s);
	read_attr(index, "inflight", buf, sizeof(buf));
	/* this file begins with a number of reads, too */
	nbdk_stat_parse(&now, buf);
	*waiting = (unsigned)now.kind[NBDK_READ].n;
	return s.kind[NBDK_READ].n;
}

/* Keeps the smallest indices from it->next on, in order. */
static void keep(struct nbdk_iter *it, int index)
{
	const int max = sizeof(it->window) / sizeof(it->window[0]);
	int i = it->n;

	if (index < it->next || (i == max && index > it->window[max - 1]))
		return;
	if (i < max)
		it->n++;
	else
		i--;
	for (; i > 0 && it->window[i - 1] > index; i--)
		it->window[i] = it->window[i - 1];
	it->window[i] = index;
}

int nbdk_next(struct nbdk_iter *it)
{
	const char *name;
	struct dir dir;

	if (it->at == it->n) {
		it->at = it->n = 0;
		dir_open(&dir, nbdk_sys);
		while ((name = dir_next(&dir)) != NULL) {
			int index = nbdk_parse_name(name);

			if (index >= 0)
				keep(it, index);
		}
		dir_close(&dir);
	}
	if (it->n == 0)
		return NBD_E_NO_DEVICE;
	it->next = it->window[it->at] + 1;
	return it->window[it->at++];
}
