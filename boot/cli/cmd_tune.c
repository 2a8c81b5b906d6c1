/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot tune: the settings of a device's queue. */
#include "boot/cli/cli.h"
#include "boot/device/tune.h"
#include "port/linux/nbdk.h"

static int show(int index, struct nbd_diag *d)
{
	struct nbdk_info info;
	char value[128];
	/* the settings of TCP would be there without it */
	int err = nbdk_info(index, &info);

	if (err)
		return nbd_diag(d, err, "there is no nbd%d", index);
	for (unsigned i = 0; device_tunables[i]; i++) {
		device_tuned(index, device_tunables[i], value, sizeof(value));
		if (value[0])
			cli_putf("%s=%s\n", device_tunables[i], value);
	}
	return CLI_OK;
}

static int run(struct cli_call *call)
{
	int index = nbdk_parse_name(call->words[0]), err = 0;
	char **word = call->words + 1;

	if (index < 0)
		return cli_usage("tune", CLI_NO_DEVICE, call->words[0]);
	if (!*word)
		return show(index, &call->d);
	for (; *word && !err; word++)
		err = device_tune(index, *word, &call->d);
	return err;
}

const struct command cmd_tune = {
	.name = "tune",
	.group = CLI_LIST,
	.summary = "show the settings of a device's queue, or change them",
	.operands = { 1, CLI_ANY, { "nbdN", "NAME=VALUE" } },
	.run = run,
};
