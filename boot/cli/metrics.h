/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot list --metrics. */
#ifndef BOOT_CLI_METRICS_H
#define BOOT_CLI_METRICS_H

#include "boot/cli/cli.h"
#include "boot/device/latency.h"

/* Further devices are left out, and counted. */
#define CLI_METRICS 250

/*
 * Prints the connected ones of the named devices, or all if names[0] is NULL,
 * in the text format of Prometheus (version 0.0.4).  Returns how many were left
 * out.
 */
unsigned cli_metrics(char *names[]);

#endif
