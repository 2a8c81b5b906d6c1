/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves the words to process 1, and sees which program that is. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/reroot/after.h"
#include "boot/init/shutdown.h"
#include "boot/reroot/reroot.h"
#include "port/linux/file.h"

int reroot_put(const char *path, const char *text, struct nbd_diag *d)
{
	if (*text && !file_replace(AT_FDCWD, path, text, strlen(text)))
		return NBD_OK;
	if (!*text && (!unlink(path) || errno == ENOENT))
		return NBD_OK;
	return nbd_diag(d, NBD_E_IO, "write %s: %s", path, strerror(errno));
}

int reroot_prepare(struct nbd_diag *d)
{
	static const char self[] = SHUTDOWN_HOME "/shutdown";
	int rc;

	/* made by the boot: but this program may be newer */
	if (!access(SHUTDOWN_HOME "/oldroot", F_OK))
		return init_shutdown_copy("/proc/self/exe", self, 0755)
			       ? nbd_diag(d, NBD_E_IO, "write %s: %s", self,
					  strerror(errno))
			       : NBD_OK;
	mkdir("/run", 0755);
	rc = init_shutdown_prepare(d);
	if (rc)
		reroot_unprepare();
	return rc ? rc : 1;
}

/* The program of another initramfs may be below it. */
void reroot_unprepare(void)
{
	umount2(SHUTDOWN_HOME, MNT_DETACH);
}

int reroot_store(const char *words, const char *old, struct nbd_diag *d)
{
	int rc = reroot_put(SHUTDOWN_HOME "/" REROOT_OLD, old, d);

	return rc ? rc : reroot_put(SHUTDOWN_HOME "/" REROOT_NEW, words, d);
}

/* ---- process 1 ---- */

const char *reroot_process_1(char path[256])
{
	ssize_t n = readlink("/proc/1/exe", path, 255);
	const char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void reroot_read_inittab(char text[INITTAB_MAX])
{
	int n = file_read(AT_FDCWD, INITTAB, text, INITTAB_MAX - 1);

	/* as every init does, takes a last line that has no end */
	if (n > 0 && text[n - 1] != '\n')
		memcpy(text + n, "\n", 2);
}

static bool is_same(const char *a, const char *b)
{
	struct stat s, t;

	return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev &&
	       s.st_ino == t.st_ino;
}

int reroot_join(struct nbd_diag *d)
{
	int fd, rc;

	if (is_same("/proc/self/ns/mnt", "/proc/1/ns/mnt") &&
	    is_same("/", "/proc/1/root"))
		return NBD_OK;
	fd = open("/proc/1/ns/mnt", O_RDONLY | O_CLOEXEC);
	rc = fd < 0 ? -1 : setns(fd, CLONE_NEWNS);
	if (rc)
		nbd_diag(d, NBD_E_PERM,
			 "this process sees other mounts than process 1 "
			 "(PrivateTmp= or a chroot), and cannot join it: %s",
			 strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc ? NBD_E_PERM : NBD_OK;
}
