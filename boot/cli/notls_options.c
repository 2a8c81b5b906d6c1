/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without TLS has no options for it. */
#include "boot/cli/cli.h"

const struct cli_option cli_tls_options[] = { { 0 } };
