/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot list --metrics. */
#ifndef BOOT_CLI_METRICS_H
#define BOOT_CLI_METRICS_H

#include "boot/cli/cli.h"
#include "boot/device/latency.h"

/* Devices that are read at once; of more, each metric reads all again. */
#define CLI_METRICS 250

/*
 * Prints the connected ones of the named devices, or all if names[0] is NULL,
 * in the text format of Prometheus (version 0.0.4).
 */
void cli_metrics(char *names[]);

/* The same of the image of this boot, if there were several. */
void cli_image_metrics(void);

#endif
