// SPDX-License-Identifier: BSD-2-Clause
/*
 * Loaded with linux.uml: cuts the power of the machine at a write to its disk.
 *
 *	UML_CUT_DISK	the file of the disk
 *	UML_CUT_TEXT	what the first write that counts begins with, or empty
 *	UML_CUT_AT	that write is 0, and the power ends before this one
 *	UML_CUT_FLUSH	or at this flush behind it, also from 0
 *	UML_CUT_SEED	chooses which writes the disk loses
 *
 * A disk may keep writes in its cache until a flush.  What each of
 * them overwrites is kept here until then.  When the power ends, half of them
 * are taken back: sector by sector for one in four of those.
 *
 * User-mode Linux 6.1 forgets to flush: a request without data, as a flush is,
 * has no pieces, and what flushes is called for each piece.  So requests are
 * looked at when its thread for disks reads their addresses from a pipe.
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR 512

struct kept {
	unsigned char *was;
	size_t size;
	off_t at;
};

static struct kept log[65536];
static size_t n_log, n_bytes;
/* With more than this in it, the cache of the disk is written out. */
static unsigned char cache[64 << 20];
static int counts;
static unsigned long n_writes, n_flushes, n_behind;
static long disk_thread;
static uint64_t noise;

/* The thread that writes has a stack of one page. */
static uint64_t draw(void)
{
	noise ^= noise << 13;
	noise ^= noise >> 7;
	noise ^= noise << 17;
	return noise;
}

static int is_disk(int fd)
{
	static struct stat disk;
	const char *path = getenv("UML_CUT_DISK");
	struct stat st;

	if (!disk.st_ino && (!path || stat(path, &disk)))
		return 0;
	return !fstat(fd, &st) && st.st_ino == disk.st_ino &&
	       st.st_dev == disk.st_dev;
}

static void take_back(int fd, const struct kept *k, int torn)
{
	for (size_t done = 0, n; done < k->size; done += n) {
		n = torn ? SECTOR : k->size - done;
		if (n > k->size - done)
			n = k->size - done;
		if (!torn || draw() >> 63)
			syscall(SYS_pwrite64, fd, k->was + done, n,
				k->at + (off_t)done);
	}
}

static void say(const char *text)
{
	/* the console */
	syscall(SYS_write, 1, text, strlen(text));
}

static void say_number(size_t n)
{
	char text[24], *p = text + sizeof(text);

	*--p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	say(p);
}

static void cut(int fd)
{
	size_t lost = 0;

	noise = strtoull(getenv("UML_CUT_SEED"), NULL, 10) | 1;
	for (int i = 0; i < 16; i++)
		draw();
	for (size_t i = n_log; i-- > 0;) {
		if (draw() >> 63)
			continue;
		take_back(fd, &log[i], draw() >> 62 == 0);
		lost++;
	}
	say("\npower: cut at write ");
	say_number(n_writes);
	say(", lost of the cache ");
	say_number(lost);
	say(" of ");
	say_number(n_log);
	say(" behind flush ");
	say_number(n_flushes);
	say("\n");
	/* the machine is a group of processes */
	kill(0, SIGKILL);
	for (;;)
		pause();
}

static void keep(int fd, size_t size, off_t at)
{
	struct kept *k;

	if (size > sizeof(cache))
		return;
	if (n_bytes + size > sizeof(cache) ||
	    n_log == sizeof(log) / sizeof(log[0]))
		n_log = n_bytes = 0;
	k = &log[n_log];
	*k = (struct kept){ cache + n_bytes, size, at };
	if (syscall(SYS_pread64, fd, k->was, size, at) != (long)size)
		return;
	n_log++;
	n_bytes += size;
}

ssize_t pwrite64(int fd, const void *buf, size_t size, off_t at)
{
	const char *text = getenv("UML_CUT_TEXT"), *at_write;

	if (text && is_disk(fd)) {
		disk_thread = syscall(SYS_getpid);
		if (size >= strlen(text) && !memcmp(buf, text, strlen(text)))
			counts = 1;
		at_write = getenv("UML_CUT_AT");
		if (counts && at_write &&
		    n_writes == strtoul(at_write, NULL, 10))
			cut(fd);
		n_writes += counts;
		keep(fd, size, at);
	}
	return syscall(SYS_pwrite64, fd, buf, size, at);
}

/* struct io_thread_req of its ubd_kern.c, as far as it matters. */
struct request {
	void *of;
	int fds[2];
	unsigned long offsets[2];
	unsigned long long at;
	int sector_size, error, pieces;
};

static void flush(int fd)
{
	const char *last = getenv("UML_CUT_FLUSH");
	int ends = counts && last && strtoul(last, NULL, 10) == n_behind;

	/* every second time it is not yet done */
	if (ends && strtoul(getenv("UML_CUT_SEED"), NULL, 10) % 2)
		cut(fd);
	n_log = n_bytes = 0;
	n_flushes++;
	n_behind += (unsigned long)counts;
	if (ends)
		cut(fd);
}

/* What was written before a flush was asked for has been written here, too. */
ssize_t read(int fd, void *buf, size_t size)
{
	ssize_t n = syscall(SYS_read, fd, buf, size);
	struct request **asked = buf;

	if (disk_thread && syscall(SYS_getpid) == disk_thread)
		for (ssize_t i = 0; i < n / (ssize_t)sizeof(*asked); i++)
			if (!asked[i]->pieces && is_disk(asked[i]->fds[0]))
				flush(asked[i]->fds[0]);
	return n;
}
