/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot unseal: what seal has sealed. */
#include "boot/cli/sealing.h"
#include "port/credentials.h"

static int unseal(struct cli_call *call, struct sealing *sealing)
{
	char *text;
	int len = creds_read(call->words[1], false, &text, &call->d);

	if (len < 0)
		return len;
	len = seal_open(&sealing->s, &sealing->tpm, call->words[0], text,
			(size_t)len, &call->d);
	if (len < 0)
		return len;
	nbd_put(&cli_out, (const char *)sealing->s.data, (size_t)len);
	return CLI_OK;
}

static int run(struct cli_call *call)
{
	return cli_sealing_run(call, "unseal", unseal);
}

const struct command cmd_unseal = {
	.name = "unseal",
	.group = CLI_SEAL,
	.summary = "print what `nbdboot seal` has sealed on this machine",
	.operands = { 2, 2, { "NAME", "FILE" } },
	.options = cli_tpm_options,
	.run = run,
};
