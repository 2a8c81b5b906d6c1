/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot status: which connections live, with the figures of the kernel's TCP.
 * `list --json` prints the same.
 */
#include "boot/cli/show.h"

#include <string.h>

/* d: why its connections could not be counted */
static void print_device(const struct device *dev, const struct nbd_diag *d)
{
	unsigned slots = device_backend_slots(&dev->b);

	cli_putf("nbd%d: ", dev->info.index);
	if (!dev->counted) {
		const char *why = dev->known ? d->text
					     : "connected by another program";

		nbd_put(&cli_out, why, strlen(why));
		cli_putf("\n");
		return;
	}
	cli_putf("%s%u live, %u dead, %u wanted\n",
		 dev->live ? "" : "DEAD: ", dev->live,
		 slots > dev->live ? slots - dev->live : 0, dev->wanted);
	for (unsigned i = 0; i < dev->n_links; i++)
		cli_put_link(&dev->links[i]);
}

static int run(struct cli_call *call)
{
	struct device dev = { 0 };
	struct nbdk_iter it = { 0 };
	struct nbd_diag *d = &call->d;
	int index, status = CLI_OK;

	if (!call->words[0])
		while ((index = nbdk_next(&it)) >= 0)
			if (device_read(&dev, index, d) != NBD_E_NO_DEVICE)
				print_device(&dev, d);
	for (char **word = call->words; *word; word++) {
		int err = device_read(&dev, nbdk_parse_name(*word), d);

		if (err == NBD_E_NO_DEVICE)
			status = cli_fail(*word, err, d);
		else
			print_device(&dev, d);
	}
	return status;
}

const struct command cmd_status = {
	.name = "status",
	.group = CLI_LIST,
	.summary = "show the connections of devices (of all), and which live",
	.operands = { 0, CLI_ANY, { "nbdN" } },
	.devices = true,
	.run = run,
};
