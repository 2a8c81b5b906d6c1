/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot scale: makes more or fewer connections while the device is in use. */
#include "boot/cli/cli.h"
#include "boot/device/device.h"

static const struct cli_option options[] = {
	{ "connections", 'c', "N",
	  "connections to keep, at most those of connect -m",
	  .kind = CLI_NUMBER, .min = 1, .max = CONFIG_PORT_MAX_CONNECTIONS,
	  .required = true },
	{ 0 },
};

/* Ends the newest live connection: the list begins with the newest. */
static int end_one(struct device *dev, struct nbd_diag *d)
{
	for (unsigned i = 0; i < dev->n_links; i++)
		if (dev->links[i].live)
			return device_end(dev, &dev->links[i], d);
	return 0;
}

static int shrink(struct device *dev, unsigned want, struct nbd_diag *d)
{
	int err = 0;

	while (!err && dev->live > want) {
		err = end_one(dev, d);
		/* if it has died meanwhile, that is fine, too */
		if (!err || err == NBD_E_NOT_FOUND)
			err = device_count(dev, d);
	}
	return err;
}

static int scale(struct device *dev, unsigned want, struct nbd_diag *d)
{
	int err, lock;

	if (want > device_backend_slots(&dev->b))
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"it was connected with room for %u, and the "
				"kernel cannot add more: disconnect it, and "
				"connect it with -m %u",
				device_backend_slots(&dev->b), want);
	/* before that, so that the watcher does not revive the ended ones */
	err = device_want(dev->info.index, want, d);
	lock = device_lock(dev->info.index);
	if (!err)
		err = device_count(dev, d);
	if (!err)
		err = dev->live > want ? shrink(dev, want, d)
				       : device_fill(dev, want, d);
	device_unlock(lock);
	return err;
}

static int run(struct cli_call *call)
{
	const unsigned *want = call->options;
	struct device dev = { 0 };
	int err;

	if (!*want)
		return cli_usage("scale", "missing option: -c N");
	err = device_read(&dev, nbdk_parse_name(call->words[0]), &call->d);
	return err ? err : scale(&dev, *want, &call->d);
}

const struct command cmd_scale = {
	.name = "scale",
	.group = CLI_CONNECT,
	.summary = "make more or fewer connections while the device is in use",
	.operands = { 1, 1, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
