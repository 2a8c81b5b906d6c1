/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot watch: stays, and revives the connections of devices. */
#include "boot/cli/cli.h"
#include "boot/common/harden.h"
#include "boot/watch/watch.h"

#include <unistd.h>

/* What a kernel can have at most is far less. */
#define DEVICES_MAX 64

/* systemd spares processes with this mark at shutdown: root storage daemons. */
static void mark(char *name)
{
	if (access("/etc/initrd-release", F_OK) == 0 && name[0])
		name[0] = '@';
}

static int run(struct cli_call *call)
{
	int index[DEVICES_MAX];
	unsigned n = 0;

	boot_small_pages();
	for (; call->words[n]; n++)
		index[n] = nbdk_parse_name(call->words[n]);
	mark(call->program);
	return n ? watch_devices(index, n, cli_fail) : watch_all(cli_fail);
}

const struct command cmd_watch = {
	.name = "watch",
	.summary = "stay, and revive the connections of devices (of all)",
	.operands = { 0, DEVICES_MAX, { "nbdN" } },
	.devices = true,
	.run = run,
};
