/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What nbdboot.efi hands over in a variable of the firmware: words that name
 * the root and the address, for a kernel whose command line has neither.
 */
#ifndef BOOT_ROOT_HANDED_H
#define BOOT_ROOT_HANDED_H

#include "boot/words/cmdline.h"

#ifdef CONFIG_BOOT_HANDED

/*
 * Adds the words of the variable to c if c names no server, and sets c->handed:
 * they may be those of DHCP, or of a file that TFTP brought.  Returns 1, and
 * the words in d; 0: there is no variable, or no need; or an error of
 * boot_cmdline_parse() with the reason in d.
 */
int root_handed(struct cmdline *c, struct nbd_diag *d);

/*
 * Is the variable, a file of len bytes with a NUL behind them, of this boot?
 * It is volatile, and its second line is that of the boot entry `current` ("",
 * without one: -1).  If nbdboot.efi fails, the system of another entry boots.
 */
bool root_handed_fits(const char *file, size_t len, long current);

/*
 * Writes the command line with the words of `handed` before it, so that its own
 * words count.  If it has ip=, the address of `handed`, from " ip=" on, is left
 * out.  Returns 0, or NBD_E_NO_MEMORY.
 */
int root_handed_join(char to[CMDLINE_MAX], const char *handed,
		     const struct cmdline *c);

#else

static inline int root_handed(struct cmdline *c, struct nbd_diag *d)
{
	(void)c;
	(void)d;
	return NBD_OK;
}

#endif
#endif
