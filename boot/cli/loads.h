/* SPDX-License-Identifier: BSD-2-Clause */
/* What `latency` and `top` share: the devices, each with its last sample. */
#ifndef BOOT_CLI_LOADS_H
#define BOOT_CLI_LOADS_H

#include "boot/cli/cli.h"
#include "boot/device/latency.h"

/* Further devices are left out, and counted. */
#define CLI_LOADS 250

/* All zeroes at first; owned by the caller. */
struct cli_loads {
	struct device dev;
	unsigned n;
	unsigned left_out; /* by the last cli_loads(), for want of room */
	struct cli_load {
		int index;
		struct device_sample last;
	} load[CLI_LOADS];
};

typedef void cli_load_show(void *ctx, const struct device *dev,
			   const struct device_latency *l);

/*
 * Takes a sample of the named devices, or of all if names[0] is NULL, and
 * calls show for each that had a sample before.  NBD_E_NO_DEVICE, with a name
 * in d: that one is not connected, and the ones behind it were left out.
 */
int cli_loads(struct cli_loads *loads, char *names[], cli_load_show *show,
	      void *ctx, struct nbd_diag *d);

/* Reports n devices that were left out: NBD_E_NO_MEMORY; 0 if n is 0. */
int cli_left_out(unsigned n, struct nbd_diag *d);

/* Prints microseconds as "5.13", in ms; width: that many characters. */
void cli_put_ms(uint32_t us, int width);

#endif
