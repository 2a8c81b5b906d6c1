/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel modules, as modprobe loads them: with what they need, found through
 * depmod's files in /lib/modules/$(uname -r).  That includes modules.softdep:
 * ext4 names only there the crc32c without which it cannot mount.  Neither
 * configuration files nor blacklists are read.  A name may be written with
 * - or _ .
 */
#ifndef PORT_LINUX_MODULE_H
#define PORT_LINUX_MODULE_H

#include "port/port.h"

/*
 * Loads a module and before it all that it needs.  params ("max_part=16", or
 * "") are for the module alone; whatever is loaded also has those that the
 * kernel's command line has for it (nbd.max_part=16), and these count more.
 * 0 also if it is loaded already, whatever its parameters, or built in.
 * NBD_E_NOT_FOUND: there is no such module for this kernel.  NBD_E_PERM,
 * NBD_E_KERNEL: it was refused.  NBD_E_NO_MEMORY: parameters of 1 KiB.
 */
int mod_load(const char *name, const char *params, struct nbd_diag *d);

/*
 * Loads every module that claims a device ("pci:v00001AF4d00001000..."), by
 * modules.alias.  0 if at least one was loaded; NBD_E_NOT_FOUND if none
 * claims it, also where the driver is built in.
 */
int mod_load_alias(const char *modalias, struct nbd_diag *d);

/* Is there a file of this module?  A module that is built in has none. */
bool mod_listed(const char *name);

/* NBD_E_IN_USE: it is needed.  NBD_E_NOT_FOUND: it is not loaded. */
int mod_unload(const char *name, struct nbd_diag *d);

/* Does text match a pattern of * ? [a-z] [!a-z], - and _ being the same? */
bool mod_match(const char *pattern, size_t len, const char *text);

/* Where to look; tests point them elsewhere. */
struct mod_dirs {
	const char *lib;     /* NULL: /lib/modules/ and the kernel's release */
	const char *sys;     /* "/sys/module" */
	const char *cmdline; /* "/proc/cmdline" */
};
extern struct mod_dirs mod_dirs;

#endif
