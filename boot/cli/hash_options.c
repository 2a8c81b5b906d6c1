/* SPDX-License-Identifier: BSD-2-Clause */
/* The option of nbdboot copy for a hash. */
#include "boot/cli/cli.h"
#include "boot/copy/copy.h"

const struct cli_option cli_hash_options[] = {
	{ "hash", 0, "sha256", "print the hash of what was written",
	  CLI_FIELD(struct copy_options, hash) },
	{ .more = cli_rescue_options },
};
