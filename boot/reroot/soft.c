/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of systemd 254 and later (systemd-soft-reboot.service(8)): the new
 * root is mounted and watched while the old system still runs, and systemd
 * enters it when its services have ended.
 *
 *	connect, watch, mount on NEXTROOT -> soft-reboot -> the new init
 *	                                        `-> old root unmounted
 *	                                            -> its devices disconnected
 */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "boot/common/console.h"
#include "boot/init/beside.h"
#include "boot/init/reroot.h"
#include "boot/init/spawn.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

/* Devices of the old system; any others stay connected. */
#define OLD_MAX 16

/* What an earlier try left, which systemd did not carry out. */
static void clean(void)
{
	while (!umount2(NEXTROOT, MNT_DETACH))
		;
}

/* The devices that are connected now. */
static unsigned list(int index[OLD_MAX])
{
	struct nbdk_iter it = { 0 };
	struct nbdk_info info;
	unsigned n = 0;
	int i;

	while (n < OLD_MAX && (i = nbdk_next(&it)) >= 0)
		if (!nbdk_info(i, &info) && info.connected)
			index[n++] = i;
	return n;
}

/* Starts a process for each, which disconnects it when the system is gone. */
static void release(const int index[], unsigned n)
{
	struct spawned s[OLD_MAX] = { 0 };
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (unsigned i = 0; i < n; i++)
		init_spawn_start(&s[i], "disconnect", "-w", index[i], &mask);
	for (unsigned i = 0; i < n; i++)
		if (!init_spawn_ready(&s[i]))
			boot_say("nbd%d stays connected: the process that was "
				 "to disconnect it did not start",
				 index[i]);
}

int reroot_soft(const char *words, struct nbd_diag *d)
{
	int index[OLD_MAX], rc;
	unsigned n;

	clean();
	n = list(index);
	rc = init_beside(words, d);
	if (rc)
		return rc;
	release(index, n);
	if (file_write(AT_FDCWD, REROOT_LINE, words, strlen(words)))
		boot_say("write " REROOT_LINE ": %s", strerror(errno));
	return NBD_OK;
}
