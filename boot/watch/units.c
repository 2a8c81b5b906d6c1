/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services that systemd kills when they take too long, as they may while the
 * server of the root is away.  Those of its own have three minutes to answer, and
 * wait for a page, or for the journal; one that D-Bus starts stays failed then.
 * dracut's has 90 s to unpack the initramfs, which unmounts and disconnects the
 * root: without it the server gets no disconnect.
 */
#include "boot/watch/watch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "port/linux/file.h"

/*
 * All with WatchdogSec= in systemd 252 to 257, without "systemd-".  Those that
 * are not installed cost a page of memory each.
 */
static const char *const names[] = {
	"homed",     "hostnamed",      "importd",	 "journald",
	"journald@", "journal-remote", "journal-upload", "localed",
	"logind",    "machined",       "mountfsd",	 "networkd",
	"nspawn@",   "nsresourced",    "oomd",		 "portabled",
	"resolved",  "timedated",      "timesyncd",	 "udevd",
	"userdbd",
};

/* Saves "[Service]" and the setting as a drop-in of the unit. */
static int save(int run, const char *prefix, const char *name,
		const char *setting)
{
	char path[96], text[64];

	nbd_fmt(path, sizeof(path),
		"systemd/system/%s%s.service.d/nbdboot.conf", prefix, name);
	nbd_fmt(text, sizeof(text), "[Service]\n%s\n", setting);
	return file_save(run, path, text, strlen(text));
}

int watch_units(struct nbd_diag *d)
{
	int run = file_run(), rc = run < 0 ? run : 0;

	for (size_t i = 0; !rc && i < sizeof(names) / sizeof(*names); i++)
		rc = save(run, "systemd-", names[i], "WatchdogSec=0");
	/* the target of the shutdown still has its 30 minutes */
	if (!rc)
		rc = save(run, "", "dracut-shutdown",
			  "TimeoutStopSec=infinity");
	if (rc)
		nbd_diag(d, rc,
			 "systemd may kill services in an outage: write "
			 "/run/systemd/system: %s",
			 strerror(errno));
	if (run >= 0)
		close(run);
	return rc;
}
