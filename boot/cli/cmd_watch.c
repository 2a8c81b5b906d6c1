/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot watch: stays, and revives the connections of devices. */
#include "boot/cli/behind.h"
#include "boot/cli/cli.h"
#include "boot/system/harden.h"

#include <unistd.h>

struct options {
	bool behind, mark;
	const char *outage;
};

static const struct cli_option options[] = {
	{ "background", 'b', NULL, "return when the one device is watched",
	  CLI_FIELD(struct options, behind) },
	{ "systemd-mark", 'm', NULL,
	  "do not let systemd end it, as in an initramfs of dracut",
	  CLI_FIELD(struct options, mark) },
	{ "outage", 'o', "reboot:SECONDS",
	  "reboot after so long without an answer",
	  CLI_FIELD(struct options, outage) },
	{ 0 },
};

/* systemd spares processes with this mark at shutdown: root storage daemons. */
static bool is_marked(const struct options *o)
{
	return o->mark || access("/etc/initrd-release", F_OK) == 0;
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;
	char *program = is_marked(o) ? call->program : NULL;
	int outage = o->outage ? watch_outage_parse(o->outage, &call->d) : 0;
	int index[WATCH_MAX];
	struct watch *w;
	unsigned n = 0;

	if (outage < 0)
		return outage;
	boot_small_pages();
	w = cli_watch((unsigned)outage);
	for (; call->words[n]; n++)
		index[n] = nbdk_parse_name(call->words[n]);
	if (o->behind && n != 1)
		return nbd_diag(&call->d, NBD_E_USAGE, "-b watches one device");
	if (o->behind)
		return cli_watch_behind(w, index[0], program, &call->d);
	if (program)
		cli_watch_mark(program);
	return n ? watch_devices(w, index, n) : watch_all(w);
}

const struct command cmd_watch = {
	.name = "watch",
	.group = CLI_WATCH,
	.summary = "stay, and revive the connections of devices (of all)",
	.operands = { 0, WATCH_MAX, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
