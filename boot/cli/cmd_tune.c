/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot tune: the settings of a device's queue. */
#include "boot/cli/cli.h"
#include "boot/device/tune.h"
#include "port/linux/nbdk.h"

static int run(struct cli_call *call)
{
	int index = nbdk_parse_name(call->words[0]), err = 0;
	struct nbdk_info info;
	char value[128];

	if (index < 0)
		return cli_usage("tune", CLI_NO_DEVICE, call->words[0]);
	/* the settings of TCP would be there without it */
	if (!call->words[1])
		err = nbdk_info(index, &info);
	if (err)
		return nbd_diag(&call->d, err, "there is no nbd%d", index);
	for (char **word = call->words + 1; *word && !err; word++)
		err = device_tune(index, *word, &call->d);
	for (unsigned i = 0; device_tunables[i] && !call->words[1]; i++) {
		device_tuned(index, device_tunables[i], value, sizeof(value));
		if (value[0])
			cli_putf("%s=%s\n", device_tunables[i], value);
	}
	return err;
}

const struct command cmd_tune = {
	.name = "tune",
	.group = CLI_LIST,
	.summary = "show the settings of a device's queue, or change them",
	.operands = { 1, CLI_ANY, { "nbdN", "NAME=VALUE" } },
	.run = run,
};
