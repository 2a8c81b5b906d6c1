/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of nbdboot copy for disks with errors. */
#include "boot/cli/cli.h"
#include "boot/copy/copy.h"

const struct cli_option cli_rescue_options[] = {
	{ "map", 0, "FILE", "keep a map there, for --resume to any DST",
	  CLI_FIELD(struct copy_options, map) },
	{ "skip-bad", 0, "MAP", "read on behind errors (and --map MAP)",
	  CLI_FIELD(struct copy_options, skip_bad), .optional = true },
	{ "retries", 0, "N", "read so often again what has failed",
	  CLI_FIELD(struct copy_options, retries), .max = 1000, .preset = 1 },
	{ .more = cli_tls_options, .at = offsetof(struct copy_options, files) },
};
