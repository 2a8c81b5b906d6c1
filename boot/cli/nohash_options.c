/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without mbedTLS has no option for a hash. */
#include "boot/cli/cli.h"

const struct cli_option cli_hash_options[] = {
	{ .more = cli_rescue_options },
};
