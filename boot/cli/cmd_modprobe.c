/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot modprobe.  The kernel calls it as `modprobe -q -- ALIAS`, to load a
 * cipher or a code page.
 */
#include "boot/cli/cli.h"
#include "boot/init/image.h"
#include "port/linux/module.h"

static const struct cli_option options[] = {
	{ "quiet", 'q', NULL, "print no message", .kind = CLI_FLAG },
	{ 0 },
};

static int run(struct cli_call *call)
{
	const bool *quiet = call->options;
	int err;

	init_image_offer();
	err = mod_load_alias(call->words[0], &call->d);

	if (err == NBD_E_NOT_FOUND)
		err = mod_load(call->words[0], "", &call->d);
	return err && *quiet ? CLI_FAILED : err;
}

const struct command cmd_modprobe = {
	.name = "modprobe",
	.group = CLI_BOOT,
	.summary = "load a kernel module and the modules that it needs",
	.operands = { 1, 1, { "MODULE|ALIAS" } },
	.options = options,
	.run = run,
};
