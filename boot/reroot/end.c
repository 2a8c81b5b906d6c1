/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks process 1, whichever it is, to end the system. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

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
	char text[INITTAB_MAX], *p, *end, *third;
	struct reroot_words w;

	reroot_words_begin(&w);
	reroot_read_inittab(text);
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
