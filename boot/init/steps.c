/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a boot without any feature, in their order. */
#include "boot/init/steps.h"

#include <sys/mount.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/system/times.h"
#include "boot/init/discover.h"
#include "boot/init/drivers.h"
#include "boot/init/layers.h"
#include "boot/init/mount.h"
#include "boot/init/program.h"
#include "boot/init/switch.h"
#include "boot/root/connect.h"
#include "boot/root/handed.h"
#include "port/linux/nbdk.h"

static int do_kernel(struct boot *b, struct nbd_diag *d)
{
	int rc = init_mount_kernel(d);

	(void)b;
	/* the kernel opens none if the initramfs has no /dev/console */
	boot_console_open("/dev/console", false);
	if (!rc)
		init_drivers_modprobe();
	return rc;
}

const struct step init_kernel_step = {
	.name = "kernel file systems",
	.run = do_kernel,
	.hint = "use a kernel that has them",
	.when = STEP_ONCE,
};

static int do_cmdline(struct boot *b, struct nbd_diag *d)
{
	struct cmdline *c = &b->cmd;
	const char *line = b->plan->line;
	int rc = line ? boot_cmdline_parse(c, line, d)
		      : boot_cmdline_read(c, d);

	boot_console_debug = c->debug;
	if (c->unknown)
		boot_say("%s on the kernel command line is not known, so it "
			 "has no effect",
			 c->unknown);
	/* never given up: a failure leads to another plan */
	if (b->plan->on_failure)
		c->timeout = 0;
	if (!rc)
		rc = root_handed(c, d);
	if (rc > 0) {
		boot_say("%s", d->text);
		rc = 0;
	}
	if (!rc)
		rc = init_usr_take(&b->usr, c, d);
	if (!rc)
		rc = init_layers_parse(&b->spec, c, !line, d);
	/* what is written stays in RAM, as with an overlay */
	b->spec.read_only |= USR_IN_RAM(&b->usr);
	if (!rc)
		rc = net_configure(&b->net, c, b->spec.uri[0].host, d);
	if (b->spec.note.text[0])
		/* the text is escaped already */
		boot_say("no effect on the kernel command line: %s",
			 b->spec.note.text);
	return rc;
}

const struct step init_cmdline_step = {
	.name = "kernel command line",
	.run = do_cmdline,
	.hint = "check what the boot loader (PXE, GRUB) passes to the kernel",
	.when = STEP_ONCE | STEP_BESIDE,
};

static int do_hotplug(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	/* which interface has a link is known only when all are up */
	init_drivers_watch(&b->hotplug,
			   !b->spec.uri[0].is_unix && net_any_link(&b->net));
	return NBD_OK;
}

const struct step init_hotplug_step = {
	.name = "drivers",
	.run = do_hotplug,
	.hint = "",
};

static int do_drivers(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_drivers_load(b->hotplug > 0);
	return NBD_OK;
}

const struct step init_drivers_step = {
	.name = "drivers",
	.run = do_drivers,
	.hint = "check the modules in this initramfs",
};

static int do_network(struct boot *b, struct nbd_diag *d)
{
	int rc = b->spec.uri[0].is_unix || INIT_LOCAL(b)
			 ? NBD_OK
			 : net_up(&b->net, true, d);

	b->lease_ends = b->net.state.ends;
	return rc;
}

const struct step init_network_step = {
	.name = "network",
	.run = do_network,
	.hint = "check the cable, ip=, and the modules in this initramfs",
};

struct root_env init_root_env(const struct boot *b)
{
	const struct net_state *net = &b->net.state;
	struct root_env env = { .first = b->first };

	if (net->root_path[0])
		env.root_path = net->root_path;
	if (net->boot_server[0])
		env.server = net->boot_server;
	return env;
}

int init_expand_export(struct root_spec *r, const struct boot *b,
		       const char *uri, struct nbd_diag *d)
{
	static struct root_spec spec;
	static struct cmdline words;
	struct root_env env = init_root_env(b);
	struct root_machine m;
	int rc = root_parse_export(&spec, &words, &b->cmd, uri, d);

	/* what is known of the servers of the root is not about these */
	env.first = 0;
	root_machine(&m, &env, b->net.state.name);
	return rc ? rc : root_expand(r, &spec, &env, d);
}

static int do_connect(struct boot *b, struct nbd_diag *d)
{
	const struct net_state *net = &b->net.state;
	struct root_env env = init_root_env(b);

	/* it may be faster than the child that preloads modules */
	init_drivers_nbd();
	if (b->cmd.toram || INIT_LOCAL(b))
		return NBD_OK;
	b->index = root_connect(&b->root, &b->spec, &env, net->name, NULL, d);
	nbd_fmt(b->disk, sizeof(b->disk), "nbd%d", b->index);
	return b->index < 0 ? b->index : NBD_OK;
}

int init_disconnect(int *index, struct nbd_diag *d)
{
	int n = *index;

	*index = -1;
	return n < 0 ? NBD_OK : nbdk_disconnect(n, d);
}

static int undo_connect(struct boot *b, struct nbd_diag *d)
{
	return init_disconnect(&b->index, d);
}

const struct step init_connect_step = {
	.name = "connect",
	.run = do_connect,
	.undo = undo_connect,
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};

static int do_part(struct boot *b, struct nbd_diag *d)
{
	b->part_read_only = false;
	if (b->layered || INIT_LOCAL(b))
		return NBD_OK;
	return init_discover(b->dev, "/sys/block", "/dev", b->disk, &b->root,
			     &b->part_read_only, d);
}

const struct step init_part_step = {
	.name = "partition",
	.run = do_part,
	.hint = "check nbdboot.part= and the partitions of the export",
	.run_ms = STEP_READ_MS,
	.when = STEP_BESIDE,
};

int init_do_mount(struct boot *b, struct nbd_diag *d)
{
	struct root_fs r = { .dev = b->dev,
			     .target = b->plan->newroot,
			     .fstype = b->root.fstype,
			     .options = b->root.options,
			     .word = USR_WORD(&b->cmd),
			     .write = b->cmd.write && !b->part_read_only };
	bool fell_back = false;
	int rc;

	if (b->cmd.write && b->part_read_only)
		boot_say("%s is marked read-only in the partition table, in "
			 "spite of rw (nbdboot.part= overrides it)",
			 b->dev);
	rc = init_mount_root(&r, &fell_back, d);
	if (fell_back)
		boot_say("%s cannot be written: mounted read-only in spite of "
			 "rw",
			 b->dev);
	return rc;
}

/* A mount that was given up may still have succeeded. */
int init_undo_mount(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	while (!umount2(b->plan->newroot, MNT_DETACH))
		;
	return NBD_OK;
}

const struct step init_mount_step = {
	.name = "mount",
	.run = init_do_mount,
	.undo = init_undo_mount,
	.hint = "check root=, rootfstype=, rootflags=, and what the export "
		"holds",
	.run_ms = STEP_MOUNT_MS,
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};

int init_do_init(struct boot *b, struct nbd_diag *d)
{
	const char *init;
	int rc = init_program_find(b->plan->newroot, b->cmd.init, &init, d);

	b->argv[0] = (char *)init;
	return rc;
}

const struct step init_init_step = {
	.name = "init",
	.run = init_do_init,
	.hint = "check init= and what is in the root",
	.when = STEP_BESIDE,
};

/* Where the root is; a disk of the machine has no URI. */
static void print_root(const struct boot *b, char *text, size_t cap)
{
	if (!b->root.uris)
		nbd_fmt(text, cap, "of this machine");
	else
		boot_uri_show(&b->root.uri[0], text, cap);
}

static void last_words(void *data)
{
	struct boot *b = data;
	char root[256];

	print_root(b, root, sizeof(root));
	boot_times_mark("switch", b->switched);
	boot_times_write(root);
}

static int do_switch(struct boot *b, struct nbd_diag *d)
{
	char root[256];
	sigset_t blocked;
	int rc;

	b->switched = nbd_now_ms();
	print_root(b, root, sizeof(root));
	boot_say("%s is /dev/%s (%s), starting %s",
		 USR_IN_RAM(&b->usr) ? "the root is in RAM, and its /usr"
				     : "root",
		 b->dev + 5, root, b->argv[0]);
	init_drivers_unwatch(&b->hotplug);
	sigprocmask(SIG_SETMASK, &b->recovery.signals, &blocked);
	rc = init_switch_root("/dev/console", b->plan->newroot, b->argv,
			      b->plan->enter, last_words, b, d);
	/* for the next try */
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return rc;
}

const struct step init_switch_step = {
	.name = "switch",
	.run = do_switch,
	.hint = "check the root file system",
};
