/* SPDX-License-Identifier: BSD-2-Clause */
/* A build that reads no partition table has no options for it. */
#include "boot/cli/copy_part.h"

const struct cli_option cli_part_options[] = {
	{ .more = cli_hash_options },
};

int cli_copy_part(struct side *s, const struct copy_options *o,
		  struct nbd_diag *d)
{
	(void)s, (void)o, (void)d;
	return 0;
}
