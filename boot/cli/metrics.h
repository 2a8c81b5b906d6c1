/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot list --metrics. */
#ifndef BOOT_CLI_METRICS_H
#define BOOT_CLI_METRICS_H

#include "boot/cli/cli.h"
#include "boot/device/latency.h"
#include "port/linux/nbdk.h"

/* The devices that a command is about; zero, but for names. */
struct cli_devices {
	char *const *names;  /* names[0] NULL: any device */
	unsigned n;	     /* private: names that were taken, ... */
	struct nbdk_iter it; /* ... or how far it is */
};

/* The next device, each of them once, or a negative number. */
int cli_next_device(struct cli_devices *c);

/* Devices that are read at once; of more, each metric reads all again. */
#define CLI_METRICS 250

/*
 * Prints the connected ones of the named devices, or all if names[0] is NULL,
 * in the text format of Prometheus (version 0.0.4).  Their copies on disks:
 * cli_clone_metrics().
 */
void cli_metrics(char *names[]);

/* The same of the image of this boot, if there were several. */
void cli_image_metrics(void);

#endif
