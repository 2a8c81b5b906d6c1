/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services that systemd kills when they take too long, as they may while the
 * server of the root is away.  Those of its own have three minutes to answer,
 * and wait for a page, or for the journal.  Those that D-Bus starts, and that
 * end when idle, have 90 s for that as well, and stay failed then.  dracut's
 * has 90 s to unpack the initramfs, which unmounts and disconnects the root:
 * without it the server gets no disconnect.
 */
#include "boot/watch/watch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "port/linux/file.h"

/*
 * All with WatchdogSec= in systemd 252 to 257 are in one of these tables,
 * without "systemd-".  Those that are not installed cost a page of memory each.
 */
static const char *const names[] = {
	"homed",	  "journald", "journald@",   "journal-remote",
	"journal-upload", "logind",   "mountfsd",    "networkd",
	"nspawn@",	  "oomd",     "nsresourced", "resolved",
	"timesyncd",	  "udevd",    "userdbd",
};
/* They start and end at any time. */
static const char *const by_bus[] = {
	"hostnamed", "importd", "localed", "machined", "portabled", "timedated",
};

/*
 * A soft reboot enters /run/nextroot, with /run but without what is mounted below
 * it, unless there is a mount already: the program for the shutdown would be
 * lost.  It would be mounted a second time on the present one if the new /run
 * were not private.  With DOWN dracut's hook (keep.sh) mounts it at each shutdown.
 */
#define NEXT "/run/nextroot/run"
#define HOME "/run/initramfs"
#define DOWN "/run/nbdboot/down"
static const char carry[] = "Type=oneshot\n"
			    "ExecStart=-/bin/sh -c 'mountpoint -q " HOME
			    " && [ ! -e " DOWN " ] && [ -d " NEXT
			    " ] && [ ! -L " NEXT " ] && ! mountpoint -q " NEXT
			    " && mount --bind --make-private /run " NEXT
			    " && mount --bind " HOME " " NEXT "/initramfs'";

/*
 * Saves "[Service]" and the setting as a drop-in of the unit.  With
 * infinity a shutdown waits as well: for the 30 minutes of its target at most.
 */
static int save(int run, const char *prefix, const char *name,
		const char *setting)
{
	char path[96], text[512];

	nbd_fmt(path, sizeof(path),
		"systemd/system/%s%s.service.d/nbdboot.conf", prefix, name);
	nbd_fmt(text, sizeof(text), "[Service]\n%s\n", setting);
	return file_save(run, path, text, strlen(text));
}

/* The same for n units of systemd. */
static int save_all(int run, const char *const *name, size_t n,
		    const char *setting)
{
	int rc = 0;

	for (; !rc && n; n--)
		rc = save(run, "systemd-", *name++, setting);
	return rc;
}

int watch_units(struct nbd_diag *d)
{
	int run = file_run(), rc = run < 0 ? run : 0;

	if (!rc)
		rc = save_all(run, names, sizeof(names) / sizeof(*names),
			      "WatchdogSec=0");
	if (!rc)
		rc = save_all(run, by_bus, sizeof(by_bus) / sizeof(*by_bus),
			      "WatchdogSec=0\nTimeoutSec=infinity");
	if (!rc)
		rc = save(run, "", "dracut-shutdown",
			  "TimeoutStopSec=infinity");
	if (!rc)
		rc = save(run, "systemd-", "soft-reboot", carry);
	if (rc)
		nbd_diag(d, rc,
			 "systemd may kill services in an outage: write "
			 "/run/systemd/system: %s",
			 strerror(errno));
	if (run >= 0)
		close(run);
	return rc;
}
