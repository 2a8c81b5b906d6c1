/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot disconnect: disconnects a device that is not in use. */
#include "boot/cli/cli.h"
#include "boot/system/ready.h"
#include "port/linux/nbdk.h"

#include <poll.h>

/*
 * ms between looks at a device in use.  No event announces the end of its use:
 * a file system outlives its mounts while a file is open.
 */
#define LOOK_MS 500

struct options {
	bool force, wait;
};

static const struct cli_option options[] = {
	{ "force", 'f', NULL, "even if it is mounted or open",
	  CLI_FIELD(struct options, force) },
	{ "wait", 'w', NULL, "wait until it is no longer in use",
	  CLI_FIELD(struct options, wait) },
	{ 0 },
};

/* Disconnects nbdN when it is not in use, unless somebody else did. */
static int await(int index, struct nbd_diag *d)
{
	struct nbdk_info info;
	int rc, pid = nbdk_info(index, &info) ? 0 : info.pid;

	boot_ready_tell();
	while ((rc = nbdk_release(index, 0, d)) == NBD_E_IN_USE) {
		poll(NULL, 0, LOOK_MS);
		if (nbdk_info(index, &info) || !info.connected ||
		    info.pid != pid)
			return NBD_OK;
	}
	return rc;
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;
	int index = nbdk_parse_name(call->words[0]);

	if (o->force)
		return nbdk_disconnect(index, &call->d);
	return o->wait ? await(index, &call->d)
		       : nbdk_release(index, NBDK_MOMENT, &call->d);
}

const struct command cmd_disconnect = {
	.name = "disconnect",
	.group = CLI_CONNECT,
	.summary = "disconnect a device",
	.operands = { 1, 1, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
