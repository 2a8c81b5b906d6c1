/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process 1 of an initramfs: a table of steps from nothing to the real root.
 * A step that fails is told, what was built is taken down, and the boot goes
 * on from the drivers after a pause; only what a reboot alone can change (the
 * command line) is never tried again.  This process never ends: that would be
 * a kernel panic in place of a message.
 */
#include "boot/init/init.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/preload.h"
#include "boot/common/cmdline.h"
#include "boot/common/console.h"
#include "boot/init/drivers.h"
#include "boot/net/net.h"
#include "boot/init/mount.h"
#include "boot/init/onfail.h"
#include "boot/init/overlay.h"
#include "boot/init/part.h"
#include "boot/init/program.h"
#include "boot/init/recover.h"
#include "boot/init/shutdown.h"
#include "boot/init/switch.h"
#include "boot/init/spawn.h"
#include "boot/root/connect.h"
#include "boot/common/times.h"
#include "port/linux/nbdk.h"

static struct boot {
	struct cmdline cmd;
	struct root_spec spec; /* the root of the command line */
	struct root_spec root; /* and of DHCP: once it is connected */
	struct net net;
	char disk[16]; /* "nbd0" */
	char dev[PART_PATH];
	char **argv; /* from the kernel: what it would hand to init */
	struct recovery recovery;
	int index;		    /* N of nbdN, -1: not connected */
	struct spawned watchers[3]; /* of root, overlay and lease */
	bool mounted;		    /* the new root */
} b;

/* The kernel asks for modules by running /sbin/modprobe: that is us, too. */
static void become_modprobe(void)
{
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return;
	self[n] = '\0';
	mkdir("/sbin", 0755);
	if (symlink(self, "/sbin/modprobe") && errno != EEXIST)
		boot_note("/sbin/modprobe: %s", strerror(errno));
}

static int do_kernel(struct nbd_diag *d)
{
	int rc = init_mount_kernel(d);

	/* the kernel gives none where the initramfs has no /dev/console */
	boot_console_open("/dev/console", false);
	if (!rc)
		become_modprobe();
	return rc;
}

static int do_cmdline(struct nbd_diag *d)
{
	struct cmdline *c = &b.cmd;
	int rc = boot_cmdline_read(c, d);

	boot_console_debug = c->debug;
	if (c->unknown)
		boot_say(
			"%s on the kernel command line is not known: no effect",
			c->unknown);
	if (!rc)
		rc = root_parse(&b.spec, c, d);
	if (!rc && b.spec.part)
		rc = init_part_check(b.spec.part, d);
	if (!rc)
		rc = net_configure(&b.net, c, b.spec.uri[0].host, d);
	if (b.spec.note.text[0])
		/* escaped already */
		boot_say("the kernel command line speaks of: %s, which has no "
			 "effect",
			 b.spec.note.text);
	return rc;
}

#ifdef CONFIG_BOOT_ONFAIL
static int do_onfail(struct nbd_diag *d)
{
	(void)d;
	init_onfail_init(&b.cmd, &b.recovery);
	return NBD_OK;
}

static int do_onfail_words(struct nbd_diag *d)
{
	init_onfail_start();
	return init_onfail_check(&b.cmd, d);
}

static int do_stop_timer(struct nbd_diag *d)
{
	(void)d;
	init_onfail_stop();
	return NBD_OK;
}
#endif

static int do_drivers(struct nbd_diag *d)
{
	(void)d;
	/* which interface has a link is known only when all are up */
	init_drivers_watch(!b.spec.uri[0].is_unix && net_any_link(&b.net));
	init_preload_start(b.spec.fstype);
	init_drivers_load();
	return NBD_OK;
}

static int do_network(struct nbd_diag *d)
{
	return b.spec.uri[0].is_unix ? NBD_OK : net_up(&b.net, true, d);
}

static int do_connect(struct nbd_diag *d)
{
	const struct net_state *net = &b.net.state;
	struct root_env env = { 0 };

	if (net->root_path[0])
		env.root_path = net->root_path;
	if (net->boot_server[0])
		env.server = net->boot_server;

	b.index = root_connect(&b.root, &b.spec, &env, net->name, d);
	nbd_fmt(b.disk, sizeof(b.disk), "nbd%d", b.index);
	return b.index < 0 ? b.index : NBD_OK;
}

static void undo_connect(void)
{
	struct nbd_diag d;

	if (b.index >= 0 && nbdk_disconnect(b.index, &d))
		boot_say("%s", d.text);
	b.index = -1;
}

static int do_part(struct nbd_diag *d)
{
	return init_part_find(b.dev, "/sys/block", "/dev", b.disk, b.root.part,
			      d);
}

static int do_mount(struct nbd_diag *d)
{
	struct root_fs r = { .dev = b.dev,
			     .target = NEWROOT,
			     .fstype = b.root.fstype,
			     .options = b.root.options,
			     .write = b.cmd.write };
	bool fell_back = false;
	int rc;

	init_preload_wait();
	rc = init_mount_root(&r, &fell_back, d);
	b.mounted = !rc;
	if (fell_back)
		boot_say(
			"%s cannot be written: mounted read-only in spite of rw",
			b.dev);
	return rc;
}

static void undo_mount(void)
{
	if (b.mounted && umount2(NEWROOT, MNT_DETACH))
		boot_say("unmount " NEWROOT ": %s", strerror(errno));
	b.mounted = false;
}

#ifdef CONFIG_BOOT_OVERLAY
static int do_overlay_words(struct nbd_diag *d)
{
	/* KIWI's root=overlay: has the same meaning */
	if (b.spec.overlay && !b.cmd.overlay)
		b.cmd.overlay = "";
	if (!b.cmd.overlay)
		return NBD_OK;
	b.cmd.write = false;
	return init_overlay_check(&b.cmd, d);
}

static int do_overlay(struct nbd_diag *d)
{
	return b.cmd.overlay ? init_overlay_mount(NEWROOT, d) : NBD_OK;
}

static void undo_overlay(void)
{
	if (!b.cmd.overlay)
		return;
	init_overlay_undo(NEWROOT);
	b.mounted = false;
}
#endif

/*
 * The kernel's own list, less /bin/sh: a root without an init is a mistake,
 * and no reason to give everybody at the console a shell.
 */
static int do_init(struct nbd_diag *d)
{
	static char *const inits[] = { "/sbin/init", "/etc/init", "/bin/init" };
	struct nbd_diag other;
	size_t i;
	int rc;

	if (b.cmd.init) {
		b.argv[0] = (char *)b.cmd.init;
		return init_program_check(NEWROOT, b.cmd.init, d);
	}
	b.argv[0] = inits[0];
	rc = init_program_check(NEWROOT, inits[0], d);
	for (i = 1; rc == NBD_E_NOT_FOUND && i < 3; i++) {
		if (init_program_check(NEWROOT, inits[i], &other))
			continue;
		b.argv[0] = inits[i];
		rc = NBD_OK;
	}
	return rc;
}

#ifdef CONFIG_BOOT_WATCH
#ifndef CONFIG_BOOT_OVERLAY
#define init_overlay_index() (-1)
#endif

/* The root's gets ready while the rest of the boot goes on. */
static int do_watch(struct nbd_diag *d)
{
	(void)d;
	if (!b.cmd.no_watch)
		init_spawn_start(&b.watchers[0], "watch", b.index,
				 &b.recovery.signals);
	/* the watcher has these sockets, too, and so it does the waiting */
	net_done(&b.net);
	return NBD_OK;
}

/* Without them the machine boots, too: it is told, no more. */
static int do_watch_ready(struct nbd_diag *d)
{
	struct spawned *w = b.watchers;
	int index[2] = { b.index, init_overlay_index() };

	(void)d;
	if (!b.cmd.no_watch && index[1] >= 0)
		init_spawn_start(&w[1], "watch", index[1], &b.recovery.signals);
	for (unsigned i = 0; i < 2; i++)
		if (w[i].pid && !init_spawn_ready(&w[i]))
			boot_say("the watcher did not start: after an outage, "
				 "`nbdboot reconnect nbd%d` is needed",
				 index[i]);
	if (w[2].pid && !init_spawn_ready(&w[2]))
		boot_say("nobody renews the lease of the root's address");
	return NBD_OK;
}

static void undo_watch(void)
{
	for (unsigned i = 0; i < 3; i++)
		init_spawn_stop(&b.watchers[i]);
}
#endif

#ifdef CONFIG_BOOT_RENEW
/* Ended by undo_watch(). */
static int do_renew(struct nbd_diag *d)
{
	(void)d;
	if (!b.cmd.no_renew && b.net.state.ends)
		init_spawn_start(&b.watchers[2], "renew", -1,
				 &b.recovery.signals);
	return NBD_OK;
}
#endif

#ifdef CONFIG_BOOT_SHUTDOWN
/* Without it the kernel reboots with the root mounted: no reason to fail. */
static int do_way_down(struct nbd_diag *d)
{
	if (init_shutdown_prepare(d))
		boot_say("no way back from the real root: %s", d->text);
	return NBD_OK;
}

static void undo_way_down(void)
{
	umount2(SHUTDOWN_HOME, MNT_DETACH);
}
#endif

static uint64_t switch_start;

static void last_words(void)
{
	boot_times_mark("switch", switch_start);
	boot_times_write();
}

static int do_switch(struct nbd_diag *d)
{
	char uri[256];

	switch_start = nbd_now_ms();
	root_print(&b.root, uri, sizeof(uri));
	boot_say("root is /dev/%s (%s), starting %s", b.dev + 5, uri,
		 b.argv[0]);
	init_drivers_unwatch();
	sigprocmask(SIG_SETMASK, &b.recovery.signals, NULL);
	return init_switch_root("/dev/console", NEWROOT, b.argv, last_words, d);
}

static const struct step {
	const char *name;
	int (*run)(struct nbd_diag *d);
	void (*undo)(void);
	const char *hint; /* when it fails; NULL: the error's own */
	bool once;	  /* a failed boot begins again behind these */
} steps[] = {
	{ "kernel file systems", do_kernel, NULL, "use a kernel that has them",
	  true },
#ifdef CONFIG_BOOT_ONFAIL
	{ "kernel file systems", do_onfail, NULL, "", true },
#endif
	{ "kernel command line", do_cmdline, NULL,
	  "check what the boot loader (PXE, GRUB) hands to the kernel", true },
#ifdef CONFIG_BOOT_ONFAIL
	{ "kernel command line", do_onfail_words, NULL,
	  "check nbdboot.onfail=", true },
#endif
#ifdef CONFIG_BOOT_OVERLAY
	{ "kernel command line", do_overlay_words, NULL,
	  "check nbdboot.overlay=", true },
#endif
	{ "drivers", do_drivers, NULL, "check the modules in this initramfs",
	  false },
	{ "network", do_network, NULL,
	  "check the cable, ip=, and the modules in this initramfs", false },
	{ "connect", do_connect, undo_connect, NULL, false },
#ifdef CONFIG_BOOT_WATCH
	{ "watch", do_watch, undo_watch, "", false },
#endif
	{ "partition", do_part, NULL,
	  "check nbdboot.part= and the partitions of the export", false },
	{ "mount", do_mount, undo_mount,
	  "check root=, rootfstype=, rootflags=, and what the export holds",
	  false },
#ifdef CONFIG_BOOT_OVERLAY
	{ "overlay", do_overlay, undo_overlay,
	  "check nbdboot.overlay=, and for the module overlay in this "
	  "initramfs",
	  false },
#endif
	{ "init", do_init, NULL, "check init= and what is in the root", false },
#ifdef CONFIG_BOOT_RENEW
	{ "renew", do_renew, NULL, "", false },
#endif
#ifdef CONFIG_BOOT_SHUTDOWN
	{ "way down", do_way_down, undo_way_down, "", false },
#endif
#ifdef CONFIG_BOOT_WATCH
	{ "watch ready", do_watch_ready, NULL, "", false },
#endif
#ifdef CONFIG_BOOT_ONFAIL
	{ "timer", do_stop_timer, init_onfail_start, "", false },
#endif
	{ "switch", do_switch, NULL, "check the root file system", false },
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

static void undo(size_t at)
{
	for (;; at--) {
		if (steps[at].undo)
			steps[at].undo();
		if (at == 0)
			return;
	}
}

/* Runs the steps from *at on; on a failure *at is the one that failed. */
static int run(size_t *at, struct nbd_diag *d)
{
	for (; *at < STEPS; ++*at) {
		const struct step *s = &steps[*at];
		uint64_t start;
		int rc;

		d->text[0] = '\0';
		boot_note("%s", s->name);
		start = nbd_now_ms();
		rc = s->run(d);
		if (rc)
			return rc;
		if (!s->once)
			boot_times_mark(s->name, start);
	}
	return NBD_E_KERNEL;
}

int init_boot(char *argv[])
{
	static struct nbd_diag d;
	sigset_t all;
	unsigned tries;
	size_t at = 0;

	if (getpid() != 1) {
		boot_say("init: this is not process 1: it runs in an initramfs "
			 "only");
		return 2;
	}
	boot_times_mark("kernel", 0);
	b.argv = argv;
	b.index = -1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &b.recovery.signals);
	reboot((int)RB_ENABLE_CAD);
	for (tries = 0;; tries++) {
		int rc = run(&at, &d);
		struct failure f = {
			.at = at,
			.err = rc,
			/* after the switch no initramfs is left */
			.hopeless = steps[at].once ||
				    (at == STEPS - 1 && rc == NBD_E_IO),
			.tries = tries,
		};

		boot_say_failed(steps[at].name, rc, &d, steps[at].hint);
		b.recovery.shell = b.cmd.shell;
		b.recovery.panic = b.cmd.panic;
		init_recover(&b.recovery, &f, undo);
		for (at = 0; steps[at].once; at++)
			;
		boot_times_again(steps[at].name);
	}
}
