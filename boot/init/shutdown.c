/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shutdown:
 *
 *	real root --pivot--> RAM -> unmount -> kill -> unmount -> disconnect
 *	                                 `----- stuck: no progress ----.
 *	                                                            reboot(2)
 *
 * The watcher, which holds the connections, lives until all is written.  Calls
 * that may hang in the kernel are made by a child, so that process 1 never
 * hangs.
 */
#include "boot/init/shutdown.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/steps.h"
#include "boot/init/toram.h"
#include "boot/init/unmount.h"
#include "boot/mapper/mapper.h"
#include "boot/net/login.h"
#include "boot/net/renew6.h"
#include "port/linux/closing.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "port/posix/open.h"

/*
 * The server is given up after so many seconds in which nothing was written.
 * The driver takes 30 to notice that a connection is silent, and then sends its
 * requests again.
 */
#define STUCK_S 40

/*
 * A disconnect may still be in the queue of a card, or be lost on its way, when
 * the machine ends.  A lost one is sent again after 0.2 to 1 s.  Without it the
 * server keeps the session until it notices by itself.
 */
#define CLOSING_MS 3000

/* Of LOGIN_CTL, once SHUTDOWN_HOME is the root. */
#define LOGIN_CTL_HOME (&LOGIN_CTL[sizeof(SHUTDOWN_HOME) - 1])

/* ---- before the root switch ---- */

int init_shutdown_copy(const char *from, const char *to, unsigned mode)
{
	const char *why;
	struct stat st;
	int in = open_plain(from, &st, &why);
	int rc = in < 0 ? -1 : file_replace_by(AT_FDCWD, to, in, mode);

	if (in >= 0)
		close(in);
	return rc ? NBD_E_IO : NBD_OK;
}

int init_shutdown_prepare(struct nbd_diag *d)
{
	static const char *const points[] = { "/dev", "/proc", "/sys", "/run",
					      "/oldroot" };
	char path[64];
	size_t i;

	mkdir(SHUTDOWN_HOME, 0755);
	/* what logs in at the switch has made it */
	if (access(LOGIN_HOME, F_OK) &&
	    mount("tmpfs", SHUTDOWN_HOME, "tmpfs", MS_NOSUID | MS_NODEV,
		  "mode=755,size=4m"))
		return nbd_diag(d, NBD_E_KERNEL, "mount a tmpfs on %s: %s",
				SHUTDOWN_HOME, strerror(errno));
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		nbd_fmt(path, sizeof(path), "%s%s", SHUTDOWN_HOME, points[i]);
		mkdir(path, 0755);
	}
	/* process 1 would crash in half a program */
	if (init_shutdown_copy("/proc/self/exe", SHUTDOWN_HOME "/shutdown",
			       0755))
		return nbd_diag(d, NBD_E_IO, "copy this program to %s: %s",
				SHUTDOWN_HOME, strerror(errno));
	return NBD_OK;
}

/* ---- the shutdown ---- */

/* KiB that are not written yet, as the kernel counts them. */
static uint64_t unwritten(void)
{
	return file_meminfo("Dirty:") + file_meminfo("Writeback:");
}

/*
 * Waits for the child, or with 0 for all children, as long as the amount left
 * to write keeps shrinking.  Returns its exit status, or -1: stuck.
 */
static int await(pid_t child)
{
	static const struct timespec second = { .tv_sec = 1 };
	uint64_t left = UINT64_MAX, now, turn = nbd_now_ms();
	unsigned stuck = 0;
	sigset_t set;
	int status;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == child)
				return WIFEXITED(status) ? WEXITSTATUS(status)
							 : 1;
		if (pid < 0)
			return child ? -1 : 0;
		sigtimedwait(&set, NULL, &second);
		/* an orphan has ended, which is no progress */
		if (nbd_now_ms() - turn < 1000)
			continue;
		/* counts, so that a machine that was paused loses nothing */
		turn = nbd_now_ms();
		now = unwritten();
		stuck = now < left ? 0 : stuck + 1;
		if (stuck == STUCK_S)
			return -1;
		if (now < left)
			left = now;
	}
}

static int in_child(int (*work)(void))
{
	pid_t pid = _Fork();

	/* the others have all the memory or all the process IDs */
	if (pid < 0) {
		kill(-1, SIGKILL);
		if (await(0) < 0)
			return -1;
		pid = _Fork();
	}
	if (pid == 0)
		_exit(work());
	/* it may hang, but what is not written would be lost */
	return pid < 0 ? work() : await(pid);
}

static int unmount(void)
{
	/* writes that a mirror holds would be waited for */
	mapper_mend(true, NULL);
	return init_unmount_all(false, false) != 0;
}

static int unmount_at_last(void)
{
	return init_unmount_all(true, false) != 0;
}

/* With `spare` not those that are in use. */
static int disconnect(bool spare)
{
	static struct nbdk_info info;
	struct nbdk_iter it = { 0 };
	struct nbd_diag d;
	int index, failed = 0;

	mapper_take_layers(NULL);
	mapper_take_all();
	while ((index = nbdk_next(&it)) >= 0) {
		if (nbdk_info(index, &info) || !info.connected)
			continue;
		if (spare ? nbdk_release(index, NBDK_MOMENT, &d)
			  : nbdk_disconnect(index, &d)) {
			boot_say("%s", d.text);
			failed = 1;
		}
	}
	if (!closing_await(CLOSING_MS))
		boot_note("the end of a connection was not acknowledged");
	return failed;
}

static int disconnect_unused(void)
{
	return disconnect(true);
}

/*
 * With nothing mounted, and no swap, what still uses a device has no path: a
 * mount that an initramfs covered (the squashfs of LTSP), or a mapping.
 */
static int disconnect_all(void)
{
	sync();
	return disconnect(false);
}

static void take_down(void)
{
	int rc = in_child(unmount);

	if (rc > 0) {
		/* the remaining processes hold files open */
		kill(-1, SIGKILL);
		rc = await(0) < 0 ? -1 : in_child(unmount_at_last);
	}
	if (rc >= 0)
		rc |= in_child(rc || file_meminfo("SwapTotal:")
				       ? disconnect_unused
				       : disconnect_all);
	if (rc < 0)
		boot_say(
			"nothing was written for %u s: changes that are not on "
			"the server yet are lost",
			STUCK_S);
	else
		boot_say("all is %s",
			 rc ? "written, but not all could be undone"
			    : "unmounted and disconnected");
}

/* Is SHUTDOWN_HOME the root already? */
static bool is_home(void)
{
	return !access("/oldroot", F_OK) && !access("/shutdown", X_OK);
}

/*
 * systemd has done this before it starts us, another process 1 has not.  The
 * root of a rescue system that is an initramfs cannot be left: it is in RAM,
 * too.
 */
static void pivot(void)
{
	static const char *const moved[] = { "/dev", "/proc", "/sys" };
	char from[16];
	size_t i;

	if (is_home())
		return;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	if (chdir(SHUTDOWN_HOME)) {
		boot_say("%s: %s", SHUTDOWN_HOME, strerror(errno));
		return;
	}
	if (syscall(SYS_pivot_root, ".", "oldroot")) {
		boot_note("pivot_root to %s: %s", SHUTDOWN_HOME,
			  strerror(errno));
		/* so that it can be unmounted */
		if (chdir("/"))
			boot_say("chdir /: %s", strerror(errno));
		return;
	}
	if (chroot(".") || chdir("/"))
		boot_say("chroot to %s: %s", SHUTDOWN_HOME, strerror(errno));
	for (i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		nbd_fmt(from, sizeof(from), "/oldroot%s", moved[i]);
		mount(from, moved[i], NULL, MS_MOVE, NULL);
	}
}

int init_shutdown(const char *verb, const struct shutdown_next *next)
{
	static const struct {
		const char *name;
		unsigned how;
	} verbs[] = { { "reboot", RB_AUTOBOOT },
		      { "poweroff", RB_POWER_OFF },
		      { "halt", RB_HALT_SYSTEM },
		      { "kexec", RB_KEXEC },
		      { "exit", RB_POWER_OFF } };
	sigset_t all;
	struct net_kept lease;
	struct login_ports ports;
	size_t i = 0;
	bool again, leased;

	while (i < 5 && strcmp(verbs[i].name, verb) != 0)
		i++;
	if (i == 5 || getpid() != 1) {
		boot_say("shutdown %s: %s", verb,
			 i == 5 ? "not known (reboot, poweroff, halt, kexec)"
				: "only process 1 can do this (systemctl, "
				  "reboot)");
		return 2;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	/* before /run is left, and is unmounted with its files */
	again = next && next->end(is_home() ? "" : SHUTDOWN_HOME, !i);
	leased = !again && net_renew6_kept(&lease);
	init_toram_release();
	pivot();
	boot_console_open("/dev/console", false);
	/* what holds files open is killed, and wpa_supplicant with it */
	net_login_ports(&ports, LOGIN_CTL_HOME);
	take_down();
	if (again) {
		kill(-1, SIGKILL);
		await(0);
		next->boot();
	}
	if (leased)
		net_renew6_release(&lease);
	net_login_end(&ports, LOGIN_CTL_HOME);
	boot_say("%s", verb);
	reboot((int)verbs[i].how);
	boot_say("%s: %s: rebooting", verb, strerror(errno));
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* ---- its step ---- */

/* Without it the kernel reboots with the root mounted: no reason to fail. */
static int do_way_down(struct boot *b, struct nbd_diag *d)
{
	(void)b;
	if (init_shutdown_prepare(d))
		boot_say("cannot prepare the shutdown: %s", d->text);
	return NBD_OK;
}

static int undo_way_down(struct boot *b, struct nbd_diag *d)
{
	(void)b, (void)d;
	if (access(LOGIN_HOME, F_OK))
		umount2(SHUTDOWN_HOME, MNT_DETACH);
	return NBD_OK;
}

const struct step init_way_down_step = {
	.name = "way down",
	.run = do_way_down,
	.undo = undo_way_down,
	.hint = "",
};
