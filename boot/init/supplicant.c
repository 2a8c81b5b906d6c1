/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the wpa_supplicant of the initramfs, before the network:
 *
 *	/8021x of the initramfs --moved--> LOGIN_HOME, in RAM --chroot--> runs
 *
 * That is its root as long as the machine runs: a login that the switch repeats
 * needs no file of a root that is behind this switch.  After a reroot, which
 * ends all processes, /8021x is the former LOGIN_HOME, and it starts again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/init/shutdown.h"
#include "boot/init/steps.h"
#include "boot/net/login.h"
#include "boot/system/console.h"
#include "boot/words/word.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/process.h"

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif

#define SOURCE	 "/8021x"
#define PROGRAM	 "/sbin/wpa_supplicant"
/* ms until its socket is there. */
#define START_MS 10000
/* Directories in one another. */
#define DEPTH	 8
#define PATHS	 512

const struct word init_supplicant_words[] = {
	WORD("nbdboot.8021x", no_login, WORD_NO, WORD_OURS), WORD_END
};

/* ---- its root ---- */

/* File by file: a copy of a whole directory would need twice the memory. */
static int move_all(const char *from, const char *to, unsigned depth)
{
	char a[PATHS], b[PATHS];
	const char *name;
	struct dir dir;
	struct stat st;
	int rc = dir_open(&dir, from);

	mkdir(to, 0700);
	while (!rc && (name = dir_next(&dir))) {
		if (nbd_fmt(a, sizeof(a), "%s/%s", from, name) < 0 ||
		    nbd_fmt(b, sizeof(b), "%s/%s", to, name) < 0 ||
		    lstat(a, &st) || !depth)
			rc = NBD_E_IO;
		else if (S_ISDIR(st.st_mode))
			rc = move_all(a, b, depth - 1);
		else if (S_ISREG(st.st_mode))
			rc = init_shutdown_copy(a, b, st.st_mode & 0700);
		if (!rc && S_ISREG(st.st_mode))
			unlink(a);
	}
	dir_close(&dir);
	return rc;
}

static int make_root(struct nbd_diag *d)
{
	static const struct {
		const char *path;
		unsigned minor;
	} nodes[] = { { LOGIN_HOME "/dev/null", 3 },
		      { LOGIN_HOME "/dev/urandom", 9 } };
	int rc = init_shutdown_prepare(d);

	/* the last that is made */
	if (rc || !access(nodes[1].path, F_OK))
		return rc;
	/* libraries of a distribution; two devices */
	if (mount(NULL, SHUTDOWN_HOME, NULL, MS_REMOUNT | MS_NOSUID,
		  "mode=755,size=128m") ||
	    move_all(SOURCE, LOGIN_HOME, DEPTH))
		return nbd_diag(d, NBD_E_IO,
				"move " SOURCE " to " LOGIN_HOME ": %s",
				strerror(errno));
	mkdir(LOGIN_HOME "/dev", 0700);
	mkdir(LOGIN_HOME "/run", 0700);
	for (size_t i = 0; i < 2; i++)
		mknod(nodes[i].path, S_IFCHR | 0600,
		      makedev(1, nodes[i].minor));
	return NBD_OK;
}

/* ---- the process ---- */

/*
 * systemd spares a process whose name begins with '@'.  The kernel's log takes
 * its messages, and never blocks.
 */
static _Noreturn void become(bool debug, const sigset_t *signals)
{
	char *argv[] = { "@wpa_supplicant", "-g", "/run/ctl",
			 debug ? NULL : "-q", NULL };
	char *env[] = { NULL };
	int log = open("/dev/kmsg", O_WRONLY | O_NOCTTY | O_CLOEXEC);

	setsid();
	file_write(AT_FDCWD, "/proc/self/oom_score_adj", "-1000", 5);
	/* fails before Linux 5.6, harmlessly */
	prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
	if (chroot(LOGIN_HOME) || chdir("/"))
		_exit(126);
	dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 0);
	dup2(log < 0 ? 0 : log, 1);
	dup2(1, 2);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execve(PROGRAM, argv, env);
	_exit(127);
}

/* Waits until the socket is made, or the process has died. */
static int await(int watch, pid_t pid, struct nbd_diag *d)
{
	struct pollfd p[2] = { { watch, POLLIN, 0 }, { -1, POLLIN, 0 } };

	/* before Linux 5.3 its end is not noticed until the time is over */
	p[1].fd = (int)syscall(SYS_pidfd_open, pid, 0);
	poll(p, 2, START_MS);
	if (p[1].fd >= 0)
		close(p[1].fd);
	return p[0].revents ? NBD_OK
			    : nbd_diag(d, NBD_E_KERNEL,
				       "wpa_supplicant does not start: %s",
				       p[1].revents ? "it ends at once"
						    : "it makes no socket");
}

static int start(const struct boot *b, struct nbd_diag *d)
{
	int watch = inotify_init1(IN_CLOEXEC), rc;
	pid_t pid;

	unlink(LOGIN_CTL);
	if (watch < 0 ||
	    inotify_add_watch(watch, LOGIN_HOME "/run", IN_CREATE) < 0) {
		rc = nbd_diag(d, NBD_E_KERNEL, "inotify: %s", strerror(errno));
	} else {
		pid = _Fork();
		if (pid == 0)
			become(b->cmd.debug, &b->recovery.signals);
		rc = pid < 0 ? nbd_diag(d, NBD_E_NO_MEMORY, "fork: %s",
					strerror(errno))
			     : await(watch, pid, d);
	}
	if (watch >= 0)
		close(watch);
	return rc;
}

/*
 * No reason to give up: the network says what is missing.  One of an earlier
 * try goes on.
 */
static int do_supplicant(struct boot *b, struct nbd_diag *d)
{
	struct login l;

	if (b->cmd.no_login || b->spec.uri[0].is_unix ||
	    (access(SOURCE PROGRAM, F_OK) && access(LOGIN_HOME PROGRAM, F_OK)))
		return NBD_OK;
	net_login_open(&l, LOGIN_CTL);
	if (!l.on && (make_root(d) || start(b, d)))
		boot_say("no login by 802.1X: %s", d->text);
	net_login_close(&l);
	return NBD_OK;
}

const struct step init_supplicant_step = {
	.name = "802.1X",
	.run = do_supplicant,
	.hint = "",
};
