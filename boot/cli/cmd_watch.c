/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot watch: stays, and revives the connections of devices. */
#include "boot/cli/cli.h"
#include "boot/common/harden.h"
#include "boot/watch/watch.h"

#include <unistd.h>

/* What a kernel can have at most is far less. */
#define DEVICES_MAX 64

/* The mark of a root storage daemon, which systemd does not kill at the end. */
static void mark(char *name)
{
	if (access("/etc/initrd-release", F_OK) == 0 && name[0])
		name[0] = '@';
}

int cmd_watch(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	int index[DEVICES_MAX];
	unsigned n = 0;

	boot_small_pages();
	if (cli_next(&a, options) < 0 || !cli_operands(&a, 0, DEVICES_MAX))
		return CLI_USAGE;
	for (int i = a.i; i < argc; i++) {
		index[n] = nbdk_parse_name(argv[i]);
		if (index[n++] < 0)
			return cli_no_device(argv[0], argv[i]);
	}
	mark(cli_self);
	return n ? watch_devices(index, n, cli_fail) : watch_all(cli_fail);
}
