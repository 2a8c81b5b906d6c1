/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of systemd 254 and later (systemd-soft-reboot.service(8)): the new
 * root is mounted and watched while the old system still runs, and systemd
 * enters it when its services have ended.
 *
 *	list devices -> connect, watch, mount on NEXTROOT, bind SHUTDOWN_HOME
 *	             -> soft-reboot -> the new init
 *	                    `-> old devices disconnected (release.c)
 */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "boot/init/shutdown.h"
#include "boot/system/console.h"
#include "boot/reroot/beside.h"
#include "port/linux/inside.h"

/* What an earlier try left, which systemd did not carry out. */
static void clean(void)
{
	while (!umount2(NEXTROOT, MNT_DETACH))
		;
}

/* The process lists the devices before the new root's are connected. */
static void start_release(struct reroot_soft *s, const sigset_t *mask)
{
	const struct spawner by = { .signals = mask,
				    .leave = reroot_beside_leave };

	init_spawn_start(&s->release, "reroot", "--release", -1, &by);
	if (!init_spawn_ready(&s->release))
		boot_say("the devices of this system stay connected: the "
			 "process that was to disconnect them did not start");
}

/* mount(2) on a directory of the new root, whose links stay inside. */
static int mount_in(int root, const char *path, const char *from,
		    unsigned long flags)
{
	int at = inside_open(root, path, true, true), rc = -1;
	char to[INSIDE_PATH];

	if (at >= 0) {
		rc = mount(from, inside_path(to, at), NULL, flags, NULL);
		close(at);
	}
	return rc;
}

/*
 * systemd binds /run into the new root without what is mounted below it, unless
 * there is a mount already.  The shutdown needs SHUTDOWN_HOME.  It would be
 * mounted a second time on the present one if the new /run were not private.
 */
static void carry_home(void)
{
	int root = open(NEXTROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0 || mount_in(root, "/run", "/run", MS_BIND) ||
	    mount_in(root, "/run", NULL, MS_PRIVATE) ||
	    mount_in(root, SHUTDOWN_HOME, SHUTDOWN_HOME, MS_BIND))
		boot_say("the server will get no disconnect when the machine "
			 "is shut down: mount %s in the new root: %s",
			 SHUTDOWN_HOME, strerror(errno));
	if (root >= 0)
		close(root);
}

int reroot_soft(struct reroot_soft *s, const char *words,
		const struct device_signals *signals, struct nbd_diag *d)
{
	int rc;

	clean();
	start_release(s, &signals->before);
	rc = reroot_beside(words, signals, d);
	if (rc)
		init_spawn_stop(&s->release);
	else
		carry_home();
	return rc;
}

void reroot_soft_undo(struct reroot_soft *s)
{
	init_spawn_stop(&s->release);
	reroot_beside_undo();
}
