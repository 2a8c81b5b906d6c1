/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What nbdboot.efi boots, as text: a kernel command line, with two words more.
 *
 *	kernel=PATH or URI	start this, in place of EFI/BOOT/BOOTX64.EFI
 *	initrd=PATH or URI	its initramfs; may be given several times
 *
 * Behind either ",sha256=" and 64 hexadecimal digits say what it has to be.
 * Without kernel=, initrd= is a word for the kernel, as its EFI stub has it.
 * The other words name the server (boot/words/root.h) and the network (ip=),
 * and all of them are for the kernel.
 */
#ifndef BOOT_WORDS_CONF_H
#define BOOT_WORDS_CONF_H

#include "boot/words/root.h"

#define CONF_INITRDS 4

struct boot_conf {
	char words[CMDLINE_MAX]; /* the kernel's */
	const char *kernel;	 /* NULL: not given */
	const char *initrd[CONF_INITRDS];
	/* their SHA-256, as 64 digits: of all of them, or NULL */
	const char *kernel_hash, *initrd_hash[CONF_INITRDS];
	unsigned initrds;
	bool for_kernel; /* a word is neither of the server nor of the network */
	bool bootif;	 /* BOOTIF= has a value */
	struct cmdline cmd;
	struct root_spec root;

	/* private */
	char text[CMDLINE_MAX]; /* kernel and initrd point here */
	size_t used;
};

/*
 * Parses text: LoadOptions, a variable or nbdboot.conf.  Newlines separate
 * words, lines that begin with '#' are comments, and a first word that ends
 * with ".efi", or with "nbdboot", is the name of the program, as a shell passes
 * it.  Words that
 * name no server mean DHCP's root-path.  Returns 0, or NBD_E_USAGE or NBD_E_URI
 * with the reason in d.
 */
int boot_conf_parse(struct boot_conf *c, const char *text, struct nbd_diag *d);

/* True if the text has a word besides the name of the program. */
bool boot_conf_any(const char *text);

#endif
