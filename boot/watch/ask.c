/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver has a queue for each connection (hctx), and each CPU has one of
 * them: where a process runs decides over which connection it reads.
 */
#include "boot/watch/ask.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/watch/watch.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "port/text.h"

/* The largest block of the driver; the alignment of a direct read. */
#define BLOCK 4096

void watch_ask_open(struct watch_ask *a)
{
	a->devices = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Moves this process to the first CPU of a list such as "0, 2, 4". */
static bool run_on(const char *cpus)
{
	cpu_set_t set;
	unsigned cpu = 0;

	for (; *cpus >= '0' && *cpus <= '9'; cpus++)
		cpu = cpu * 10 + (unsigned)(*cpus - '0');
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void read_from_each(int index, int fd)
{
	static _Alignas(BLOCK) unsigned char block[BLOCK];
	char path[64], cpus[32];
	const char *queue;
	struct dir dir;

	nbd_fmt(path, sizeof(path), "%s/nbd%d/mq", nbdk_sys, index);
	for (dir_open(&dir, path); (queue = dir_next(&dir));) {
		nbd_fmt(path, sizeof(path), "%s/nbd%d/mq/%s/cpu_list", nbdk_sys,
			index, queue);
		if (file_read(AT_FDCWD, path, cpus, sizeof(cpus)) > 0 &&
		    run_on(cpus) && pread(fd, block, sizeof(block), 0) < 0)
			break;
	}
}

static _Noreturn void ask(int devices, int index)
{
	char name[16];
	int fd;

	nbd_fmt(name, sizeof(name), "nbd%d", index);
	fd = openat(devices, name, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd >= 0)
		read_from_each(index, fd);
	_exit(0);
}

void watch_ask(struct watch_ask *a, int index)
{
	if (a->pid > 0 && !waitpid(a->pid, NULL, WNOHANG))
		return;
	a->pid = watch_fork(a->devices, -1);
	if (!a->pid)
		ask(a->devices, index);
}
