/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of systemd 254 and later (systemd-soft-reboot.service(8)): the new
 * root is mounted and watched while the old system still runs, and systemd
 * enters it when its services have ended.
 *
 *	list devices -> connect, watch, mount on NEXTROOT
 *	             -> soft-reboot -> the new init
 *	                    `-> old devices disconnected (release.c)
 */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>

#include "boot/common/console.h"
#include "boot/init/beside.h"
#include "boot/init/reroot.h"
#include "boot/init/spawn.h"
#include "port/linux/file.h"

/* What an earlier try left, which systemd did not carry out. */
static void clean(void)
{
	while (!umount2(NEXTROOT, MNT_DETACH))
		;
}

/* The process lists the devices before the new root's are connected. */
static void start_release(struct spawned *s)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	init_spawn_start(s, "reroot", "--release", -1, &mask);
	if (!init_spawn_ready(s))
		boot_say("the devices of this system stay connected: the "
			 "process that was to disconnect them did not start");
}

int reroot_soft(const char *words, struct nbd_diag *d)
{
	struct spawned s = { 0 };
	int rc;

	clean();
	start_release(&s);
	rc = init_beside(words, d);
	if (rc) {
		init_spawn_stop(&s);
		return rc;
	}
	if (file_write(AT_FDCWD, REROOT_LINE, words, strlen(words)))
		boot_say("write " REROOT_LINE ": %s", strerror(errno));
	return NBD_OK;
}
