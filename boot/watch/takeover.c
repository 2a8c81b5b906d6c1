/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At most one watcher for each device.  It holds two locks on a file that only
 * root can open, so that no other user can keep it out:
 *
 *	flock(2)  shared with the children that it has forked: held until all
 *		  of them have ended, however they end
 *	fcntl(2)  its own; the kernel can name the process that holds it
 *
 * The file stays when they end, also after a reroot that was undone: a watcher
 * that deleted it could leave its successor with a lock on no file, beside
 * another one.
 */
#include "boot/watch/watch.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define RUN "/run/nbdboot"

/* ms for the other watcher to end: it sleeps nearly always. */
#define END_MS	 10000
/* ms between checks whether it has ended. */
#define AGAIN_MS 20

static int open_lock(int index)
{
	char name[32] = "nbdboot/all.watch";
	int run = file_run(), fd;

	if (index != WATCH_ALL)
		nbd_fmt(name, sizeof(name), "nbdboot/nbd%d.watch", index);
	fd = openat(run, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (run >= 0)
		close(run);
	return fd;
}

/* The process that holds the lock; 0: none, or one that is not visible here. */
static pid_t owner(int fd)
{
	struct flock l = { .l_type = F_WRLCK };

	return fcntl(fd, F_GETLK, &l) || l.l_type == F_UNLCK ? 0 : l.l_pid;
}

pid_t watch_takeover_holder(int index)
{
	int fd = open_lock(index);
	pid_t pid = fd < 0 ? 0 : owner(fd);

	if (fd >= 0)
		close(fd);
	return pid;
}

static int does_not_end(int index, pid_t pid, struct nbd_diag *d)
{
	char name[16] = "all devices";

	if (index != WATCH_ALL)
		nbd_fmt(name, sizeof(name), "nbd%d", index);
	return pid ? nbd_diag(d, NBD_E_IN_USE,
			      "process %d watches %s and does not end",
			      (int)pid, name)
		   : nbd_diag(d, NBD_E_IN_USE,
			      "a process that is not visible here, maybe in a "
			      "container, watches %s and does not end",
			      name);
}

/* Asks the owner to end, and waits until its lock is free. */
static int wait_for_lock(int fd, int index, struct nbd_diag *d)
{
	pid_t asked = 0, pid = 0;

	for (int ms = 0; !file_lock(fd, ms ? AGAIN_MS : 0); ms += AGAIN_MS) {
		pid = owner(fd);
		if (ms >= END_MS)
			return does_not_end(index, pid ? pid : asked, d);
		if (pid > 0 && pid != asked)
			kill(asked = pid, SIGTERM);
	}
	return NBD_OK;
}

/* What started this process may have ignored or blocked it. */
static void heed_term(void)
{
	sigset_t term;

	signal(SIGTERM, SIG_DFL);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
}

int watch_takeover(int index, struct nbd_diag *d)
{
	struct flock l = { .l_type = F_WRLCK };
	int fd = open_lock(index), err;

	if (fd < 0)
		return nbd_diag(d, errno == EACCES ? NBD_E_PERM : NBD_E_KERNEL,
				"open a lock in " RUN ": %s", strerror(errno));
	heed_term();
	err = wait_for_lock(fd, index, d);
	if (!err && fcntl(fd, F_SETLK, &l))
		err = nbd_diag(d, NBD_E_KERNEL, "lock a file in " RUN ": %s",
			       strerror(errno));
	if (!err)
		return fd;
	close(fd);
	return err;
}
