/* SPDX-License-Identifier: BSD-2-Clause */
/* From the end of one system to the boot of the next, under the same kernel. */
#include "boot/reroot/after.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/drivers.h"
#include "boot/init/init.h"
#include "boot/init/mount.h"
#include "boot/init/recover.h"
#include "boot/init/steps.h"
#include "boot/init/switch.h"
#include "boot/init/unmount.h"
#include "boot/net/renew.h"
#include "port/linux/file.h"
#include "port/linux/process.h"

/* ms for mounts of the kernel's file systems. */
#define UNMOUNT_MS 10000
/* s for a command that ends the old system; its init had no limit. */
#define END_S	   1800
/* The descriptors of the old process 1 are below it. */
#define OLD_FDS	   64
/* As sysvinit starts them. */
#define ENDS \
	"export PATH=/sbin:/usr/sbin:/bin:/usr/bin RUNLEVEL=6 PREVLEVEL=2\n"
/* ms between two tries: the first pause, and the longest. */
#define PAUSE_MIN 1000
#define PAUSE_MAX 30000

/* The words of the new root and of the old one, "": there is none. */
static char lines[2][CMDLINE_MAX];
static unsigned current; /* which of them is tried */
static struct plan plan;

static bool read_words(char line[CMDLINE_MAX], const char *home,
		       const char *name)
{
	char path[64];

	nbd_fmt(path, sizeof(path), "%s/%s", home, name);
	if (file_read(AT_FDCWD, path, line, CMDLINE_MAX) < 0)
		return false;
	unlink(path);
	return *line;
}

/* Reads the files of `home`, and deletes them.  False: none wants a reroot. */
static bool read_lines(const char *home)
{
	bool old = read_words(lines[1], home, REROOT_OLD);

	if (!old)
		lines[1][0] = '\0';
	if (!read_words(lines[0], home, REROOT_NEW))
		return false;
	/* nobody renews the lease of the old system any more */
	net_renew_expire();
	return true;
}

/* ---- what the old system leaves behind ---- */

/*
 * A session with a terminal would get SIGHUP when the new init opens the
 * console anew.
 */
static void drop_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	ioctl(fd, TIOCNOTTY);
	close(fd);
}

/* As the kernel starts its first process. */
static void forget_settings(void)
{
	static const struct rlimit files = { 1024, 4096 };
	static char *kernels[] = { "HOME=/", "TERM=linux", NULL };
	sigset_t none;
	int i;

	drop_terminal();
	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_NOFILE, &files);
	umask(022);
	environ = kernels;
}

/*
 * The scripts of a reboot end with reboot(2), and may take the network down
 * before.
 */
static _Noreturn void run(char *command)
{
	char *argv[] = { "sh", "-c", command, NULL };
	int rc = prctl(PR_CAPBSET_DROP, CAP_SYS_BOOT) ||
		 prctl(PR_CAPBSET_DROP, CAP_NET_ADMIN);

	setsid();
	forget_settings();
	if (!rc)
		execve("/bin/sh", argv, environ);
	_exit(127);
}

/* Also reaps what else has ended.  False: it has not ended in time. */
static bool await(pid_t child)
{
	static const struct timespec second = { .tv_sec = 1 };
	unsigned s = 0;
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (s < END_S) {
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			if (pid == child)
				return true;
		s += sigtimedwait(&set, NULL, &second) < 0;
	}
	return false;
}

static void end_by(const char *command)
{
	char text[CMDLINE_MAX + sizeof(ENDS)];
	pid_t pid;

	boot_say("the old system ends: %s", command);
	nbd_fmt(text, sizeof(text), ENDS "%s", command);
	pid = _Fork();
	if (pid == 0)
		run(text);
	if (pid < 0 || !await(pid))
		boot_say("%s: %s", command,
			 pid < 0 ? strerror(errno) : "does not end");
}

void reroot_after_end(void)
{
	char text[CMDLINE_MAX], *line = text, *end;

	if (!read_words(text, SHUTDOWN_HOME, REROOT_END))
		return;
	for (int fd = 3; fd < OLD_FDS; fd++)
		close(fd);
	boot_console_open("/dev/console", false);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		end_by(line);
	}
}

/* No process is left in the groups, but this one. */
static void drop_cgroups(void)
{
	int fd;

	file_write(AT_FDCWD, "/sys/fs/cgroup/cgroup.procs", "1", 1);
	fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		init_switch_empty(fd);
}

static int unmount_rest(void *data, struct nbd_diag *d)
{
	(void)data, (void)d;
	init_unmount_all(false, true);
	return NBD_OK;
}

/* ---- a device of this machine ---- */

static int take_device(struct boot *b, struct nbd_diag *d)
{
	struct cmdline *c = &b->cmd;
	int rc = boot_cmdline_parse(c, b->plan->line, d);

	boot_console_debug = c->debug;
	b->root.fstype = c->fstype;
	b->root.options = c->flags;
	if (!rc && nbd_fmt(b->dev, sizeof(b->dev), "%s", c->root) < 0)
		rc = nbd_diag(d, NBD_E_USAGE, "%s: too long", c->root);
	return rc;
}

static const struct step device_step = {
	.name = "device",
	.run = take_device,
	.hint = "",
	.when = STEP_ONCE,
};

static const struct step mount_step = {
	.name = "mount",
	.run = init_do_mount,
	.undo = init_undo_mount,
	.hint = "check the device",
	.run_ms = STEP_MOUNT_MS,
	.undo_ms = STEP_UNDO_MS,
};

static const struct step init_step = {
	.name = "init",
	.run = init_do_init,
	.hint = "check what is on the device",
};

static const struct step *const local_steps[] = {
	&init_kernel_step, &device_step,      &mount_step,
	&init_step,	   &init_switch_step, NULL
};

/* ---- the boot ---- */

/* MS_MOVE would leave a mount of the old root in RAM. */
static bool leave(void)
{
	if (syscall(SYS_pivot_root, ".", "."))
		return false;
	/* the old root is on top of the new one now */
	if (umount2(".", MNT_DETACH) || chdir("/"))
		boot_say("leave the old root: %s", strerror(errno));
	return true;
}

static bool is_local(const char *line)
{
	struct nbd_diag d;
	struct cmdline c;

	/* it is parsed again later, with messages */
	return !boot_cmdline_parse(&c, line, &d) && c.root && *c.root == '/';
}

static const struct plan *other(struct boot *b, size_t at, unsigned tries);

static void compose(void)
{
	const char *line = lines[current];
	struct nbd_diag d;

	if (init_mount_kernel(&d))
		boot_say("%s", d.text);
	if (file_replace(AT_FDCWD, REROOT_LINE, line, strlen(line)))
		boot_say("write " REROOT_LINE ": %s", strerror(errno));
	plan = (struct plan){ line, NEWROOT,
			      is_local(line) ? local_steps : init_steps, other,
			      leave };
}

/* That of the other root; from the second failure on after a pause. */
static const struct plan *other(struct boot *b, size_t at, unsigned tries)
{
	uint32_t random = (uint32_t)nbd_now_ns();

	init_undo(b, at);
	init_drivers_unwatch(&b->hotplug);
	init_preload_wait(&b->preload);
	net_done(&b->net);
	if (lines[1][0])
		current ^= 1;
	boot_say(current ? "the new root failed: back to the old one"
			 : "trying the new root again");
	if (tries)
		init_rest(
			nbd_retry_ms(PAUSE_MIN, PAUSE_MAX, tries - 1, &random));
	compose();
	return &plan;
}

static bool end(const char *home, bool verb_is_reboot)
{
	bool again = verb_is_reboot && read_lines(home);

	reroot_after_end();
	return again;
}

static void boot(void)
{
	static char *argv[] = { "init", NULL };
	struct nbd_diag d;

	boot_say("the old system has ended, and the kernel goes on");
	forget_settings();
	drop_cgroups();
	if (process_run(unmount_rest, NULL, 0, "unmounting", UNMOUNT_MS, &d))
		boot_say("%s", d.text);
	/* busy by this program, where the old root could not be pivoted */
	umount2("/run", MNT_DETACH);
	compose();
	init_boot(argv, &plan);
	for (;;)
		init_rest(3600000);
}

const struct shutdown_next reroot_after = { end, boot };
