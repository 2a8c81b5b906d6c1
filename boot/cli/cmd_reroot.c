/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot reroot: the running machine gets another root. */
#include "boot/cli/cli.h"
#include "boot/reroot/reroot.h"

struct options {
	struct reroot_wish wish;
	bool release;
};

static const struct cli_option options[] = {
	{ "connections", 'c', "N", "make N connections (1)",
	  CLI_FIELD(struct options, wish.connections), .min = 1,
	  .max = CONFIG_PORT_MAX_CONNECTIONS },
	{ "overlay", 'o', "OVERLAY",
	  "as nbdboot.overlay=: tmpfs, size=SIZE or URI",
	  CLI_FIELD(struct options, wish.overlay) },
	{ "part", 'p', "PART",
	  "as nbdboot.part=: N, PARTUUID=, LABEL= or UUID=",
	  CLI_FIELD(struct options, wish.part) },
	{ "force", 'f', NULL, "even if there is no way back to this root",
	  CLI_FIELD(struct options, wish.force) },
	{ "when-ready", 0, NULL, "wait until the new root passes the checks",
	  CLI_FIELD(struct options, wish.when_ready) },
	{ "release", 0, NULL, "disconnect what is left of a soft reboot",
	  CLI_FIELD(struct options, release) },
	{ "kexec", 'k', NULL, "with the kernel of the new root",
	  CLI_FIELD(struct options, wish.kexec) },
	{ "kernel", 0, "PATH", "this kernel, a file of the new root",
	  CLI_FIELD(struct options, wish.kernel) },
	{ "initrd", 0, "PATH", "this initramfs for it, or none",
	  CLI_FIELD(struct options, wish.initrd) },
	{ "append", 0, "WORDS", "more words for its command line",
	  CLI_FIELD(struct options, wish.append) },
	{ 0 },
};

static int run(struct cli_call *call)
{
	struct options *o = call->options;
	struct reroot_wish *wish = &o->wish;

	if (!wish->kexec && (wish->kernel || wish->initrd || wish->append))
		return cli_usage("reroot", "--kernel, --initrd and --append "
					   "need --kexec");
	if (o->release)
		return reroot_release(&call->d);
	wish->target = call->words[0];
	if (!wish->target)
		return cli_usage("reroot",
				 "missing operand: URI or local:DEVICE");
	return reroot_run(wish, &call->d);
}

const struct command cmd_reroot = {
	.name = "reroot",
	.group = CLI_REROOT,
	.summary = "move the running machine into another root",
	.help = "The kernel stays; user space ends, and starts again from an "
		"export or from\na device of this machine.\n",
	.operands = { 0, 1, { "URI|local:DEVICE" } },
	.options = options,
	.run = run,
};
