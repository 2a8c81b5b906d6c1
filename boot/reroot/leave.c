/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves the words to process 1, and asks it to end the system. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/reroot/after.h"
#include "boot/init/shutdown.h"
#include "boot/reroot/reroot.h"
#include "port/linux/file.h"

/*
 * systemd(1): SIGRTMIN+5 of glibc starts reboot.target, +6 kexec.target, +7 the
 * soft reboot.
 */
#define SYSTEMD_REBOOT (34 + 5)
#define SYSTEMD_KEXEC  (34 + 6)
#define SYSTEMD_SOFT   (34 + 7)
/* ms for processes to end on SIGTERM, where no init ends them. */
#define END_MS	       2000

int reroot_put(const char *path, const char *text, struct nbd_diag *d)
{
	if (*text && !file_write(AT_FDCWD, path, text, strlen(text)))
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
		return unlink(self) || init_shutdown_copy("/proc/self/exe",
							  self, 0755)
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

enum init { UNKNOWN, SELF, SYSTEMD, BUSYBOX, REPLACED };

static enum init which(char comm[32])
{
	char exe[256];
	const char *name = reroot_process_1(exe);

	file_read(AT_FDCWD, "/proc/1/comm", comm, 32);
	comm[strcspn(comm, "\n")] = '\0';
	if (getpid() == 1)
		return SELF;
	if (!strcmp(comm, "systemd"))
		return SYSTEMD;
	if (!strcmp(name, "busybox") && strcmp(comm, "init") != 0)
		return UNKNOWN;
	/* without an inittab nothing could be mounted on it */
	if (!strcmp(name, "busybox") && !access(INITTAB, F_OK))
		return BUSYBOX;
	return reroot_can_replace() ? REPLACED : UNKNOWN;
}

int reroot_may_start(struct nbd_diag *d)
{
	char comm[32];

	switch (which(comm)) {
	case UNKNOWN:
		return nbd_diag(d, NBD_E_KERNEL,
				"process 1 is %s: only that of systemd, "
				"sysvinit, OpenRC, runit and busybox can be "
				"asked (a script as process 1 can exec nbdboot "
				"reroot)",
				comm);
	case REPLACED:
		return reroot_replace_check(d);
	default:
		return NBD_OK;
	}
}

/* A copy of the inittab whose only restart entry is ours. */
static int write_inittab(const char *to, const char *verb, struct nbd_diag *d)
{
	char text[16384], *p, *end, *third;
	struct reroot_words w;

	reroot_words_begin(&w);
	file_read(AT_FDCWD, INITTAB, text, sizeof(text));
	for (p = text; (end = strchr(p, '\n')); p = end + 1) {
		third = strchr(p, ':');
		third = third && third < end ? strchr(third + 1, ':') : NULL;
		if (!third || third > end ||
		    strncmp(third, ":restart:", 9) != 0)
			nbd_put(&w.o, p, (size_t)(end + 1 - p));
	}
	nbd_putf(&w.o, "::restart:" SHUTDOWN_HOME "/shutdown %s\n", verb);
	if (reroot_words_end(&w, d))
		return nbd_diag(d, NBD_E_NO_MEMORY, INITTAB ": too long");
	return reroot_put(to, w.text, d);
}

/* busybox reads its inittab at SIGHUP, and takes that entry at SIGQUIT. */
static int ask_busybox(const char *verb, struct nbd_diag *d)
{
	static const char copy[] = SHUTDOWN_HOME "/inittab";
	int rc = write_inittab(copy, verb, d);

	if (!rc && mount(copy, INITTAB, NULL, MS_BIND, NULL))
		rc = nbd_diag(d, NBD_E_KERNEL, "mount on " INITTAB ": %s",
			      strerror(errno));
	if (rc)
		return rc;
	kill(1, SIGHUP);
	/* an old busybox remembers one signal only, and looks every second */
	poll(NULL, 0, END_MS);
	kill(1, SIGQUIT);
	return NBD_OK;
}

/* From RAM: this program may be a file of the root, which it would keep busy. */
static int start_myself(char *verb, struct nbd_diag *d)
{
	static const char path[] = SHUTDOWN_HOME "/shutdown";
	char *argv[] = { (char *)path, verb, NULL };

	kill(-1, SIGTERM);
	poll(NULL, 0, END_MS);
	execve(path, argv, environ);
	return nbd_diag(d, NBD_E_IO, "execute %s: %s", path, strerror(errno));
}

bool reroot_has_soft(void)
{
	char comm[32];

	return which(comm) == SYSTEMD && !access(REROOT_SOFT_UNIT, F_OK);
}

int reroot_start(enum reroot_way way, struct nbd_diag *d)
{
	static const int signals[] = { [REROOT_DOWN] = SYSTEMD_REBOOT,
				       [REROOT_SOFT] = SYSTEMD_SOFT,
				       [REROOT_KEXEC] = SYSTEMD_KEXEC };
	char *verb = way == REROOT_KEXEC ? "kexec" : "reboot";
	char comm[32];

	switch (which(comm)) {
	case SELF:
		return start_myself(verb, d);
	case SYSTEMD:
		return kill(1, signals[way])
			       ? nbd_diag(d, NBD_E_PERM, "ask systemd: %s",
					  strerror(errno))
			       : NBD_OK;
	case BUSYBOX:
		return ask_busybox(verb, d);
	case REPLACED:
		return reroot_replace(verb, d);
	default:
		return reroot_may_start(d);
	}
}
