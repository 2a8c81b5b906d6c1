/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot clone: moves the root to a disk of the machine while it is in use. */
#include "boot/cli/cli.h"
#include "boot/clone/clone.h"
#include "boot/device/device.h"
#include "boot/init/clone_target.h"
#include "boot/init/cloner.h"
#include "boot/system/harden.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

struct options {
	const char *to; /* by init */
};

static const struct cli_option options[] = {
	{ "to", '\0', "DEVICE", "the same, once the boot is over",
	  CLI_FIELD(struct options, to) },
	{ 0 },
};

static void watched(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* They are blocked. */
static bool is_stopped(unsigned ms)
{
	const struct timespec t = { (time_t)(ms / 1000),
				    (long)(ms % 1000) * 1000000 };
	sigset_t set;

	watched(&set);
	return sigtimedwait(&set, NULL, &t) > 0;
}

static int show(int index, struct nbd_diag *d)
{
	struct clone_progress p;
	int rc = clone_progress(&p, index, d);

	if (rc)
		return rc;
	if (p.done == p.all) {
		cli_putf("the root of nbd%d is on %s\n", index, p.name);
		return CLI_OK;
	}
	cli_putf("%u%% of ", clone_percent(&p));
	cli_put_size(p.sectors * 512);
	cli_putf(" are on %s\n", p.name);
	return CLI_OK;
}

static int clone(struct cli_call *call, int index, const char *to, bool boot)
{
	/* several KiB, of a process that stays: locked in memory */
	static struct device dev;
	struct clone c = { .index = index,
			   .eyes = &init_clone_eyes,
			   .is_stopped = is_stopped,
			   .run = file_run() };
	sigset_t set;
	int rc = clone_spec_parse(&c.spec, to, &call->d);

	if (!rc)
		rc = device_identify(&dev, index, &call->d);
	if (rc)
		return rc;
	rc = clone_load(&call->d);
	if (rc)
		return rc;
	c.image = dev.b.identity ? dev.b.identity : "-";
	watched(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* its terminal may block; by hand it is what the user looks at */
	if (boot)
		boot_log_to_kernel();
	boot_harden();
	if (boot && !init_cloner_await(index, is_stopped))
		return CLI_OK;
	return clone_run(&c, &call->d);
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;
	const char *to = o->to ? o->to : call->words[1];
	int index = nbdk_parse_name(call->words[0]);

	if (index < 0)
		return cli_usage("clone", CLI_NO_DEVICE, call->words[0]);
	if (o->to && cli_extra("clone", call->words, 1))
		return CLI_USAGE;
	boot_small_pages();
	return to ? clone(call, index, to, o->to) : show(index, &call->d);
}

const struct command cmd_clone = {
	.name = "clone",
	.group = CLI_CLONE,
	.summary = "move the root to a disk of this machine while it is in use",
	.help = "DEVICE is /dev/NAME, PARTUUID=, PARTLABEL=, UUID= or serial=,\n"
		"and may end with ,erase ,again ,rate=N.\n"
		"Without it: how far the copy is.\n",
	.operands = { 1, 2, { "nbdN", "DEVICE" } },
	.options = options,
	.run = run,
};
