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

#include <sys/mount.h>

#include "boot/system/console.h"
#include "boot/reroot/beside.h"

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

int reroot_soft(struct reroot_soft *s, const char *words,
		const struct device_signals *signals, struct nbd_diag *d)
{
	int rc;

	clean();
	start_release(s, &signals->before);
	rc = reroot_beside(words, signals, d);
	if (rc)
		init_spawn_stop(&s->release);
	return rc;
}

void reroot_soft_undo(struct reroot_soft *s)
{
	init_spawn_stop(&s->release);
	reroot_beside_undo();
}
