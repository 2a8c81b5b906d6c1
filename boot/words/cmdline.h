/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the kernel command line that the boot needs: some of the
 * kernel's (Documentation/admin-guide/kernel-parameters.txt and nfsroot.txt),
 * and our own, nbdboot.*.
 */
#ifndef BOOT_WORDS_CMDLINE_H
#define BOOT_WORDS_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "port/port.h"

/* The longest command line of any architecture (s390), with its NUL. */
#define CMDLINE_MAX 4096

/*
 * The values of the words; NULL if a word was not given.  Strings are in
 * text[], without the quotes that the kernel removes, too.  If a word is given
 * more than once, the last one wins.
 */
struct cmdline {
	char line[CMDLINE_MAX]; /* unchanged */
	char text[CMDLINE_MAX]; /* cut into words */
	const char *root;	/* root= */
	const char *fstype;	/* rootfstype=, may be a list with commas */
	const char *flags;	/* rootflags= */
	const char *init;	/* init= */
	const char *ip;		/* ip= */
	const char *part;	/* nbdboot.part= */
	/* words by which other programs name the root: boot/words/root.h */
	const char *netroot, *nbdroot, *nbddev, *boot;
	const char *nbdport;
	const char *nbd_host, *nbd_name, *nbd_port;
	const char *agl_server, *agl_name, *agl_port; /* nbd.server= ... */
	const char *nbdserver, *netboot;
	const char *archiso_srv, *archiso_name;
	const char *shell;	  /* nbdboot.shell= */
	const char *onfail;	  /* nbdboot.onfail= */
	const char *outage;	  /* nbdboot.outage= */
	const char *overlay;	  /* nbdboot.overlay=, "" without a value */
	const char *tune;	  /* nbdboot.tune= */
	const char *log;	  /* nbdboot.log= */
	const char *images;	  /* nbdboot.images= */
	const char *fallback;	  /* the last nbdboot.fallback= */
	const char *images_state; /* nbdboot.state= */
	const char *prefetch;	  /* nbdboot.prefetch=, "" without a value */
	const char *clone;	  /* nbdboot.clone= */
	const char *cache;	  /* nbdboot.cache= */
	const char *keep;	  /* nbdboot.keep= */
	const char *gpt_auto;	  /* systemd.gpt_auto= */
	/* ostree=, ostree.prepare-root.composefs= */
	const char *ostree, *ostree_composefs;
	/* composefs=, systemd.volatile= */
	const char *composefs, *volatile_root;
	const char *roothash; /* roothash= */
	/* systemd.verity_root_data=, _hash= and _options= */
	const char *verity_data, *verity_hash, *verity_options;
	/* mount.usr=, usrfstype= and usrflags=, systemd.verity_usr_...= */
	const char *usr, *usr_fstype, *usr_flags;
	const char *usrhash, *usr_data, *usr_hash, *usr_options;
	const char *verity;  /* nbdboot.verity= */
	const char *unknown; /* the first unknown nbdboot. word */
	bool write;	     /* rw; the kernel's default is ro */
	bool debug;	     /* nbdboot.debug */
	bool no_watch;	     /* nbdboot.watch=0 */
	bool no_renew;	     /* nbdboot.renew=0 */
	bool no_login;	     /* nbdboot.8021x=0 */
	bool no_identity;    /* nbdboot.identity=0 */
	bool swap;	     /* nbdboot.swap */
	bool balance;	     /* nbdboot.balance */
	bool toram;	     /* nbdboot.toram */
	bool tls;	 /* nbdboot.tls=require: see boot_uris_forbidden() */
	bool usr_only;	 /* the root is /usr alone: see init_usr_take() */
	bool handed;	 /* root_handed() has added the firmware's words */
	int connections; /* nbdboot.connections=, 1 if not given */
	int slots;	 /* nbdboot.slots=, 0 if not given */
	int io_timeout;	 /* nbdboot.io-timeout=: s, 0 if not given */
	int local_after; /* nbdboot.local-after=: s, 0 if not given */
	int timeout;	 /* nbdboot.timeout=, s; 0: none */
	int trial;	 /* nbdboot.trial=, s; 0: not given */
	int panic;	 /* panic=: s until reboot, 0: stay, < 0: at once */
};

/*
 * Parses the NUL-terminated line up to the first newline or the word "--",
 * after which the words belong to init.  Other words are ignored.  Returns 0,
 * or NBD_E_USAGE with d naming the first wrong value of one of our own words;
 * the other words are stored even then.
 */
int boot_cmdline_parse(struct cmdline *c, const char *line, struct nbd_diag *d);

/* Handles one word; value is NULL without a '='.  Returns 0 or an error. */
typedef int boot_cmdline_word(void *ctx, const char *name, const char *value,
			      struct nbd_diag *d);

/*
 * Cuts text, in place, into words and calls fn for each, up to "--".  Returns
 * the first error of fn; fn is called for the remaining words even then, with a
 * NULL d.
 */
int boot_cmdline_each(char *text, boot_cmdline_word *fn, void *ctx,
		      struct nbd_diag *d);

/* Reads /proc/cmdline and parses it. */
int boot_cmdline_read(struct cmdline *c, struct nbd_diag *d);

#endif
