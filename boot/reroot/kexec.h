/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another kernel for the new root: it is taken from there, and is started when
 * the system has ended.
 *
 *	kernel.c  in the child that mounts the root: choose, copy into RAM
 *	kexec.c   load the copies with a command line, ask process 1
 *
 * No call of this process reads the new root, so that none hangs with its
 * server; and its device is disconnected before the kernel is loaded.
 */
#ifndef BOOT_REROOT_KEXEC_H
#define BOOT_REROOT_KEXEC_H

#include <stdbool.h>

#include "port/port.h"

enum reroot_file { REROOT_KERNEL, REROOT_INITRD, REROOT_FILES };

/* The path in `wish` of an initramfs that is not wanted. */
#define REROOT_NONE	"none"
/* ms for reading the files from the new root. */
#define REROOT_FILES_MS 600000

struct reroot_kernel {
	bool wanted;
	/* paths in the new root; NULL: the files are found */
	const char *wish[REROOT_FILES];
	const char *append; /* words for the end of its command line, or NULL */
	/* set by kernel.c */
	char path[REROOT_FILES][512]; /* in the new root; "": none */
	int fd[REROOT_FILES];	      /* the copies */
};

struct device_signals;
struct reroot_words;

/* ---- kernel.c ---- */

/*
 * Checks the words to append, and makes the empty copies.  They last until this
 * process ends.
 */
int reroot_kernel_begin(struct reroot_kernel *k, struct nbd_diag *d);

/*
 * Finds the files in the root that is mounted at `root`, and fills the copies.
 * For a child process, whose descriptors of the copies it closes: the kernel
 * loads no file that can still be written.  Needs CAP_SYS_CHROOT, and forks.
 * NBD_E_NOT_FOUND: there is no kernel, or no initramfs for it.
 */
int reroot_kernel_take(struct reroot_kernel *k, const char *root,
		       struct nbd_diag *d);

/* ---- kexec.c ---- */

/*
 * Composes the command line of the next kernel: of `line`, which is that of
 * this one, all but words about a root; then `words`, as for a reroot; then
 * `append` (NULL: none).  NBD_E_USAGE: it is too long for a kernel.
 */
int reroot_kexec_words(struct reroot_words *w, const char *line,
		       const char *words, const char *append,
		       struct nbd_diag *d);

/*
 * Loads the copies, and asks process 1 to end the system and start them.  After
 * a failure, or if one of the signals came, which the caller holds, nothing is
 * loaded.
 */
int reroot_kexec(struct reroot_kernel *k, const char *words,
		 const struct device_signals *signals, struct nbd_diag *d);

#endif
