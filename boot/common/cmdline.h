/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel command line, as far as the boot needs it.  The words are those
 * of the kernel (Documentation/admin-guide/kernel-parameters.txt and
 * nfsroot.txt) and a few of our own, nbdboot.*.
 */
#ifndef BOOT_COMMON_CMDLINE_H
#define BOOT_COMMON_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "port/port.h"

/* The longest command line of any architecture (s390), with its NUL. */
#define CMDLINE_MAX 4096

/*
 * What was found; NULL where a word was not given.  Strings live in text[]
 * and have their quotes removed as the kernel does.  The last of several
 * equal words wins.
 */
struct cmdline {
	char text[CMDLINE_MAX];
	const char *line;   /* what was parsed, as it was */
	const char *root;   /* root= */
	const char *fstype; /* rootfstype=, may be a list with commas */
	const char *flags;  /* rootflags= */
	const char *init;   /* init= */
	const char *ip;	    /* ip= */
	const char *part;   /* nbdboot.part= */
	/* other people's words for the root, see boot/common/root.h */
	const char *netroot, *nbdroot, *nbddev, *boot;
	const char *nbd_host, *nbd_name, *nbd_port;
	const char *archiso_srv, *archiso_name;
	const char *shell;   /* nbdboot.shell= */
	const char *onfail;  /* nbdboot.onfail= */
	const char *overlay; /* nbdboot.overlay=, "" without a value */
	const char *unknown; /* the first nbdboot. word that is not known */
	bool write;	     /* rw; the kernel's default is ro */
	bool debug;	     /* nbdboot.debug */
	bool no_watch;	     /* nbdboot.watch=0 */
	bool no_renew;	     /* nbdboot.renew=0 */
	bool swap;	     /* nbdboot.swap */
	bool tls;	 /* nbdboot.tls=require: see boot_uris_forbidden() */
	int connections; /* nbdboot.connections=, 1 if not given */
	int io_timeout;	 /* nbdboot.io-timeout=: s, 0 if not given */
	int timeout;	 /* nbdboot.timeout=, s; 0: none */
	int panic;	 /* panic=: s until reboot, 0: stay, < 0: at once */
};

/*
 * Parses the NUL-terminated line, which is cut at the first newline.  Words
 * behind "--" are not ours.  Unknown words are skipped: the kernel hands them
 * to init itself.  Returns 0, or NBD_E_USAGE and what is wrong with which of
 * our own words; all that could be understood is filled in even then.
 */
int boot_cmdline_parse(struct cmdline *c, const char *line, struct nbd_diag *d);

/* One word; value is NULL without a '='.  The result is as above. */
typedef int boot_cmdline_word(void *ctx, const char *name, const char *value,
			      struct nbd_diag *d);

/*
 * Cuts text, in place, into words and hands each to fn, as above.  Returns
 * the first failure of fn; the words behind it are handed over, too.
 */
int boot_cmdline_each(char *text, boot_cmdline_word *fn, void *ctx,
		      struct nbd_diag *d);

/* Equal names?  The kernel takes '-' and '_' for the same. */
bool boot_cmdline_same(const char *a, const char *b);

/* Reads /proc/cmdline and parses it. */
int boot_cmdline_read(struct cmdline *c, struct nbd_diag *d);

#endif
