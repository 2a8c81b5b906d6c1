/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot rotate: replaces the connections while the device is in use. */
#include "boot/cli/cli.h"
#include "boot/device/device.h"

#include <string.h>

/* Replaces one at a time, so that most of them always carry I/O. */
static int rotate(struct device *dev, struct nbd_diag *d)
{
	struct sockdiag_link old[DEVICE_LINKS];
	int lock = device_lock(dev->info.index);
	int err = device_count(dev, d);
	unsigned n = dev->n_links;

	memcpy(old, dev->links, sizeof(old));
	for (unsigned i = 0; i < n && !err; i++)
		if (old[i].live)
			err = device_replace(dev, &old[i], d);
	device_unlock(lock);
	return err;
}

static int run(struct cli_call *call)
{
	struct device dev = { 0 };
	int err = device_read(&dev, nbdk_parse_name(call->words[0]), &call->d);

	return err ? err : rotate(&dev, &call->d);
}

const struct command cmd_rotate = {
	.name = "rotate",
	.summary = "replace the connections by new ones, one after the other",
	.operands = { 1, 1, { "nbdN" } },
	.devices = true,
	.run = run,
};
