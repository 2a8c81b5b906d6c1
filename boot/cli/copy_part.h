/* SPDX-License-Identifier: BSD-2-Clause */
/* Which partitions nbdboot copy copies. */
#ifndef BOOT_CLI_COPY_PART_H
#define BOOT_CLI_COPY_PART_H

#include "boot/cli/cli.h"
#include "boot/copy/copy.h"

/* For struct copy_options, and what follows in its table. */
extern const struct cli_option cli_part_options[];

/*
 * Reduces a side that was just opened to the partition that the options name,
 * if they name one.  0, or an error with the reason in d.
 */
int cli_copy_part(struct side *s, const struct copy_options *o,
		  struct nbd_diag *d);

#endif
