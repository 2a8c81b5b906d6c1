/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process 1 of sysvinit, OpenRC and runit, and that of busybox if it has no
 * inittab, reboots the machine without a last program that could be ours.  So
 * this program takes its place while everything still runs, and ends the old
 * system by the commands for its reboot (reroot_after_end()).
 *
 * sysvinit and OpenRC execute their own program anew when asked to (telinit u).
 * That is hidden by a script.  The others never do; they are made to
 * (ptrace_exec()).
 *
 *	commands, script -> mount it on the program -> ask -> is it replaced?
 *	                    ^--------- undone, if it is not -----'
 */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/reroot/after.h"
#include "boot/init/shutdown.h"
#include "port/linux/file.h"
#include "port/linux/ptrace_exec.h"

#define KEPT	SHUTDOWN_HOME "/shutdown"
#define SCRIPT	SHUTDOWN_HOME "/init"
/* ms for process 1 to execute it, and between looks. */
#define ASK_MS	10000
#define LOOK_MS 100

/* Of sysvinit's initreq.h; only this part of it is used. */
struct request {
	int magic, cmd, runlevel, sleeptime;
	char data[368];
};
static const struct request again = { .magic = 0x03091969,
				      .cmd = 1, /* change the runlevel */
				      .runlevel = 'U' };

static const struct kind {
	const char *program;
	const char *commands; /* NULL: those of the inittab */
	const char *fifo;     /* NULL: it takes no requests */
	const void *request;
	size_t len;
} kinds[] = {
	{ "init", NULL, "/run/initctl", &again, sizeof(again) },
	{ "init", NULL, "/dev/initctl", &again, sizeof(again) },
	{ "openrc-init", "openrc reboot\n", "/run/openrc/init.ctl", "reexec",
	  6 },
	/* what it does without an inittab: it is asked by one otherwise */
	{ .program = "busybox",
	  .commands = "swapoff -a\nkill -15 -1; sleep 1\n" },
	/* what runit(8) does: note that it is a reboot, end stage 2, stage 3 */
	{ .program = "runit",
	  .commands = "/sbin/init 6\nkill $(pidof runsvdir)\n/etc/runit/3\n" },
};

/* The program of process 1: its path, and what it is, or NULL. */
static const struct kind *find(char path[256])
{
	const char *name = reroot_process_1(path);
	struct stat st;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].program) &&
		    (!kinds[i].fifo ||
		     (!stat(kinds[i].fifo, &st) && S_ISFIFO(st.st_mode))))
			return &kinds[i];
	return NULL;
}

/* The next field of an inittab's line; *p is behind it then. */
static size_t field(const char **p, const char *end, const char **at)
{
	size_t len;

	*at = *p;
	for (len = 0; *p < end && **p != ':'; ++*p)
		len++;
	*p += *p < end;
	return len;
}

void reroot_inittab(struct nbd_out *o, const char *text)
{
	const char *p, *end, *levels, *action;
	size_t n, m;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		p = text;
		field(&p, end, &levels);
		n = field(&p, end, &levels);
		m = field(&p, end, &action);
		if (*text == '#' || !memchr(levels, '6', n) || m != 4 ||
		    memcmp(action, "wait", 4) != 0)
			continue;
		/* no entry in utmp; no session */
		p += strspn(p, "+@");
		nbd_put(o, p, (size_t)(end + 1 - p));
	}
}

static int commands(const struct kind *k, struct reroot_words *w,
		    struct nbd_diag *d)
{
	char text[INITTAB_MAX];

	reroot_words_begin(w);
	if (k->commands) {
		nbd_put(&w->o, k->commands, strlen(k->commands));
	} else {
		reroot_read_inittab(text);
		reroot_inittab(&w->o, text);
	}
	if (!w->o.len)
		return nbd_diag(d, NBD_E_KERNEL,
				INITTAB
				": no command for the reboot (runlevel 6)");
	return reroot_words_end(w, d);
}

static int ask(const struct kind *k, struct nbd_diag *d)
{
	/* fails if no process reads it */
	int fd = open(k->fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = NBD_OK;

	if (fd < 0 || write(fd, k->request, k->len) != (ssize_t)k->len)
		rc = nbd_diag(d, NBD_E_KERNEL, "ask process 1 by %s: %s",
			      k->fifo, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

bool reroot_can_replace(void)
{
	char path[256];

	return find(path);
}

int reroot_replace_check(struct nbd_diag *d)
{
	struct reroot_words w;
	char path[256];
	const struct kind *k = find(path);

	/* without open(): a newer openrc-init spins on a FIFO with no request */
	return commands(k, &w, d);
}

static bool is_replaced(void)
{
	char path[256];

	reroot_process_1(path);
	return !strcmp(path, KEPT);
}

/* Puts a script in the place of its program, and asks it to execute that. */
static int replace_by_script(const struct kind *k, const char *program,
			     const char *verb, struct nbd_diag *d)
{
	char text[64];
	int rc;

	nbd_fmt(text, sizeof(text), "#!" KEPT " %s\n", verb);
	rc = reroot_put(SCRIPT, text, d);
	if (!rc && chmod(SCRIPT, 0755))
		rc = nbd_diag(d, NBD_E_IO, "chmod " SCRIPT ": %s",
			      strerror(errno));
	if (!rc && mount(SCRIPT, program, NULL, MS_BIND, NULL))
		rc = nbd_diag(d, NBD_E_KERNEL, "mount on %s: %s", program,
			      strerror(errno));
	if (!rc)
		rc = ask(k, d);
	for (int ms = 0; !rc && !is_replaced(); ms += LOOK_MS) {
		if (ms >= ASK_MS)
			rc = nbd_diag(d, NBD_E_KERNEL,
				      "process 1 (%s) did not execute itself "
				      "anew: nothing has ended",
				      program);
		poll(NULL, 0, LOOK_MS);
	}
	if (rc)
		umount2(program, MNT_DETACH);
	return rc;
}

int reroot_replace(const char *verb, struct nbd_diag *d)
{
	struct reroot_words w;
	char path[256];
	const struct kind *k = find(path);
	int rc = commands(k, &w, d);

	if (!rc)
		rc = reroot_put(SHUTDOWN_HOME "/" REROOT_END, w.text, d);
	if (!rc)
		rc = k->fifo ? replace_by_script(k, path, verb, d)
			     : ptrace_exec(1, KEPT, verb, ASK_MS, d);
	/* another reboot is none of ours */
	if (rc)
		unlink(SHUTDOWN_HOME "/" REROOT_END);
	return rc;
}
