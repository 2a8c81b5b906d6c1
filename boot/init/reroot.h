/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a reroot, in process 1: the old system is shut down, and instead
 * of a reboot the boot runs again, for another root.
 *
 *	reroot/   proof -> files in SHUTDOWN_HOME -> reboot of the old system
 *	shutdown  unmount, disconnect -> files there? -> boot of the new root
 *	                                                  ^       v fails
 *	                                                  old root again
 */
#ifndef BOOT_INIT_REROOT_H
#define BOOT_INIT_REROOT_H

#include "boot/init/steps.h"

/*
 * The words of the new root, and those of the old one for the way back, in
 * SHUTDOWN_HOME.  Each is a kernel command line.  Where root= is the path of a
 * device, that device of this machine is the root.
 */
#define REROOT_NEW "reroot.new"
#define REROOT_OLD "reroot.old"
/* Commands that end the old system, one a line, if its process 1 did not. */
#define REROOT_END "reroot.end"

struct reroot {
	char line[2][CMDLINE_MAX]; /* new, old; "": there is none */
	unsigned at;		   /* which of them is tried */
};

#ifdef CONFIG_BOOT_REROOT
/*
 * Reads the files of `home` ("" or SHUTDOWN_HOME), and deletes them.  False: no
 * reroot was asked for.  Otherwise the address of the old system's lease, which
 * nobody renews any more, gets an end: see net_renew_expire().
 */
bool init_reroot_read(struct reroot *r, const char *home);

/*
 * As process 1, which was the old system's, in the old root: runs the commands
 * of the file in SHUTDOWN_HOME by /bin/sh, if a reroot has left it there.  They
 * can neither reboot the machine nor change its network.
 */
void init_reroot_end(void);

/*
 * As process 1, after everything was unmounted and disconnected: boots the new
 * root, or the old one if that fails, and so on in turn.
 */
_Noreturn void init_reroot(struct reroot *r);

/*
 * Copies the files with the credentials of the root's servers to SHUTDOWN_HOME,
 * under the same path, unless `unless_kept` and they are there.  An error names
 * the file in d.  The watcher of the next boot reads them there.
 */
int init_reroot_keep(const struct root_spec *r, bool unless_kept,
		     struct nbd_diag *d);

/* ---- for the boot ---- */

/* A reroot leaves its words there for the next one. */
#define REROOT_LINE "/run/nbdboot/cmdline"

/* The words of this boot; NULL: those of the kernel command line. */
const char *init_reroot_line(const struct boot *b);
/* The steps of this boot, NULL at the end. */
const struct step *const *init_reroot_steps(const struct boot *b);

/*
 * In the new root, as the working directory: makes it the root and unmounts the
 * old one for good, of which MS_MOVE would leave a mount in RAM.  False: the
 * old root is the kernel's first one, which cannot be unmounted.
 */
bool init_reroot_leave(void);

/* Before the first step of a boot: sets b->reroot to r, which may be NULL. */
void init_reroot_begin(struct boot *b, struct reroot *r);
/*
 * After the failure of step `at`: undoes the steps and begins with the other
 * root, from the second failure on after a pause.  False: this is no reroot.
 */
bool init_reroot_again(struct boot *b, size_t at, unsigned tries);
#else
static inline bool init_reroot_read(struct reroot *r, const char *home)
{
	(void)r, (void)home;
	return false;
}

static inline void init_reroot_end(void)
{
}

static inline void init_reroot(struct reroot *r)
{
	(void)r;
}

static inline int init_reroot_keep(const struct root_spec *r, bool unless_kept,
				   struct nbd_diag *d)
{
	(void)r, (void)unless_kept, (void)d;
	return NBD_OK;
}

static inline void init_reroot_begin(struct boot *b, struct reroot *r)
{
	(void)b, (void)r;
}

static inline bool init_reroot_again(struct boot *b, size_t at, unsigned tries)
{
	(void)b, (void)at, (void)tries;
	return false;
}

static inline const char *init_reroot_line(const struct boot *b)
{
	(void)b;
	return NULL;
}

static inline const struct step *const *init_reroot_steps(const struct boot *b)
{
	(void)b;
	return init_steps;
}

static inline bool init_reroot_leave(void)
{
	return false;
}
#endif

#endif
