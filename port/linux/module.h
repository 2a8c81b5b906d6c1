/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads kernel modules with their dependencies, as modprobe does, from depmod's
 * files in /lib/modules/$(uname -r).  These include modules.softdep: only there
 * does ext4 name crc32c, without which it cannot mount.  Configuration files
 * and blacklists are not read.  - and _ in a name are equivalent.
 */
#ifndef PORT_LINUX_MODULE_H
#define PORT_LINUX_MODULE_H

#include "port/port.h"

/*
 * Loads a module after its dependencies.  params ("max_part=16", or "") are for
 * the module itself.  Every module also gets its parameters from the kernel's
 * command line (nbd.max_part=16), and these take precedence.  Returns 0 also if
 * the module is built in, or loaded already, with any parameters.
 * NBD_E_NOT_FOUND: there is no such module for this kernel.  NBD_E_PERM,
 * NBD_E_KERNEL: the kernel refused it.  NBD_E_NO_MEMORY: over 1 KiB of
 * parameters.  NBD_E_TIMEOUT: it takes more than a minute; a child process is
 * left behind, in which the kernel is still loading it.
 */
int mod_load(const char *name, const char *params, struct nbd_diag *d);

/*
 * Loads every module that claims a device ("pci:v00001AF4d00001000...") in
 * modules.alias.  Returns 0 if at least one was loaded.  NBD_E_NOT_FOUND: none
 * claims it; the driver may be built in.
 */
int mod_load_alias(const char *modalias, struct nbd_diag *d);

/* Is there a file for this module?  A built-in module has none. */
bool mod_listed(const char *name);

/* NBD_E_IN_USE: it is in use.  NBD_E_NOT_FOUND: it is not loaded. */
int mod_unload(const char *name, struct nbd_diag *d);

/* Where to look; tests point them elsewhere. */
struct mod_dirs {
	const char *lib;     /* NULL: /lib/modules/ and the kernel's release */
	const char *sys;     /* "/sys/module" */
	const char *cmdline; /* "/proc/cmdline" */
	/* may make a file of a module appear that is not there: true if so */
	bool (*fetch)(const char *path);
};
extern struct mod_dirs mod_dirs;

#endif
