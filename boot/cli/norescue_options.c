/* SPDX-License-Identifier: BSD-2-Clause */
/* A build that cannot skip errors has no options for it. */
#include "boot/cli/cli.h"
#include "boot/copy/copy.h"

const struct cli_option cli_rescue_options[] = {
	{ .more = cli_tls_options, .at = offsetof(struct copy_options, files) },
};
