/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A /usr of its own, in the words of systemd (systemd-fstab-generator(8)):
 *
 *	mount.usr=, usrhash=                  USR_BESIDE  nbd0p2 -> the root
 *	                                                  nbd0p3 -> its /usr
 *	root=tmpfs, or systemd.volatile=yes   USR_ALONE   RAM    -> the root
 *	with words of /usr                                nbd0   -> its /usr
 *	systemd.volatile=yes                  USR_KEPT    RAM    -> the root
 *	                                                  /usr of nbd0 -> its /usr
 */
#ifndef BOOT_INIT_USR_H
#define BOOT_INIT_USR_H

#include <sys/types.h>

#include "boot/init/part.h"
#include "boot/verity/wanted.h"
#include "boot/words/cmdline.h"

enum usr_kind { USR_IN_ROOT, USR_BESIDE, USR_ALONE, USR_KEPT };

struct usr {
	enum usr_kind kind;
	const char *options;	/* of the root in RAM; NULL: none */
	const char *part;	/* beside: as nbdboot.part=; in half[] or c */
	char half[VERITY_PART]; /* named by usrhash= */
	char dev[PART_PATH];	/* beside: what is mounted on /usr */
	dev_t lower; /* at OVERLAY_LOWER, of the system beside which this is */
};

#define USR_IN_RAM(u) ((u)->kind >= USR_ALONE)

#ifdef CONFIG_BOOT_USR

/* What the words about the export begin with. */
#define USR_WORD(c) ((c)->usr_only ? "mount.usr" : "root")

/*
 * Takes the words of /usr.  If the export is nothing but /usr, they take the
 * places of those of the root in c, so that all that is done with a root (its
 * partition, its hash, its file system, a copy, a clone) is done with it.  c is
 * parsed by root_parse() only after that, and has to outlive u.  NBD_E_USAGE:
 * d says what is not possible.
 */
int init_usr_take(struct usr *u, struct cmdline *c, struct nbd_diag *d);

/*
 * What is mounted at newroot, /usr or a root with one, becomes the /usr of a new
 * root in RAM at newroot.  May block, as may its undo after a failure.
 */
int init_usr_in_ram(const struct usr *u, const char *newroot,
		    struct nbd_diag *d);
void init_usr_undo(const struct usr *u);

#else

#define USR_WORD(c) "root"

static inline int init_usr_take(struct usr *u, struct cmdline *c,
				struct nbd_diag *d)
{
	u->kind = USR_IN_ROOT;
	return c->usrhash ? nbd_diag(d, NBD_E_USAGE,
				     "usrhash=: this build mounts no /usr "
				     "(CONFIG_BOOT_USR)")
			  : NBD_OK;
}

static inline int init_usr_in_ram(const struct usr *u, const char *newroot,
				  struct nbd_diag *d)
{
	(void)u, (void)newroot, (void)d;
	return NBD_OK;
}

#endif
#endif
