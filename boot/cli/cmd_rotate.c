/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot rotate: replaces the connections while the device is in use. */
#include "boot/cli/cli.h"
#include "boot/device/device.h"

#include <poll.h>
#include <string.h>

/* ms between tries while the kernel is too busy. */
#define PAUSE_MS 1000

/*
 * Waits for as long as the kernel is too busy, and reports that once; the
 * watcher may make the new connection meanwhile.
 */
static int replace(struct device *dev, const struct sockdiag_link *old,
		   unsigned want, int *lock, struct cli_call *call)
{
	struct nbd_diag reported = { "" };
	int err;

	for (;;) {
		err = device_has(dev, old) ? device_replace(dev, old, &call->d)
					   : device_fill(dev, want, &call->d);
		if (err != NBD_E_AGAIN)
			return err;
		if (strcmp(reported.text, call->d.text) != 0)
			cli_fail(call->subject, err, &call->d);
		reported = call->d;
		device_unlock(*lock);
		poll(NULL, 0, PAUSE_MS);
		*lock = device_lock(dev->info.index);
		err = device_count(dev, &call->d);
		if (err)
			return err;
	}
}

/* Replaces one at a time, so that most of them always carry I/O. */
static int rotate(struct device *dev, struct cli_call *call)
{
	struct sockdiag_link old[DEVICE_LINKS];
	int lock = device_lock(dev->info.index);
	int err = device_count(dev, &call->d);
	unsigned n = dev->n_links, want = dev->live;

	memcpy(old, dev->links, sizeof(old));
	for (unsigned i = 0; i < n && !err; i++)
		if (old[i].live)
			err = replace(dev, &old[i], want, &lock, call);
	device_unlock(lock);
	return err;
}

static int run(struct cli_call *call)
{
	struct device dev = { 0 };
	int err = device_read(&dev, nbdk_parse_name(call->words[0]), &call->d);

	return err ? err : rotate(&dev, call);
}

const struct command cmd_rotate = {
	.name = "rotate",
	.group = CLI_CONNECT,
	.summary = "replace the connections by new ones, one after the other",
	.operands = { 1, 1, { "nbdN" } },
	.devices = true,
	.run = run,
};
