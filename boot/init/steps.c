/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a boot, in their order, and the table of them. */
#include "boot/init/steps.h"

#include <sys/mount.h>
#include <unistd.h>

#include "boot/common/console.h"
#include "boot/common/times.h"
#include "boot/device/tune.h"
#include "boot/init/beside.h"
#include "boot/init/drivers.h"
#include "boot/init/image.h"
#include "boot/init/mount.h"
#include "boot/init/preload.h"
#include "boot/init/program.h"
#include "boot/init/reroot.h"
#include "boot/init/shutdown.h"
#include "boot/init/switch.h"
#include "boot/root/connect.h"
#include "boot/root/handed.h"
#include "boot/watch/watch.h"
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

static int do_cmdline(struct boot *b, struct nbd_diag *d)
{
	struct cmdline *c = &b->cmd;
	const char *line = init_reroot_line(b);
	int rc = line ? boot_cmdline_parse(c, line, d)
		      : boot_cmdline_read(c, d);

	boot_console_debug = c->debug;
	if (c->unknown)
		boot_say("%s on the kernel command line is not known, so it "
			 "has no effect",
			 c->unknown);
	/* a reroot never gives up: its failures lead to the other root */
	if (b->reroot)
		c->timeout = 0;
	if (!rc)
		rc = root_handed(c, d);
	if (rc > 0) {
		boot_say("%s", d->text);
		rc = 0;
	}
	if (!rc)
		rc = root_parse(&b->spec, c, d);
	if (!rc && b->spec.part)
		rc = init_part_check(b->spec.part, d);
	if (!rc)
		rc = net_configure(&b->net, c, b->spec.uri[0].host, d);
	if (b->spec.note.text[0])
		/* the text is escaped already */
		boot_say("no effect on the kernel command line: %s",
			 b->spec.note.text);
	return rc;
}

#ifdef CONFIG_BOOT_ONFAIL
static int do_onfail(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_onfail_init(&b->onfail, &b->cmd, &b->recovery);
	return NBD_OK;
}

static int do_start_timer(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_onfail_start(&b->onfail);
	return NBD_OK;
}

static int do_onfail_words(struct boot *b, struct nbd_diag *d)
{
	init_onfail_start(&b->onfail);
	return init_onfail_check(&b->cmd, d);
}

static int do_stop_timer(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_onfail_stop(&b->onfail);
	return NBD_OK;
}
#endif

static int do_drivers(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	/* which interface has a link is known only when all are up */
	init_drivers_watch(&b->hotplug,
			   !b->spec.uri[0].is_unix && net_any_link(&b->net));
	init_preload_start(&b->preload, b->spec.fstype);
	init_drivers_load(b->hotplug > 0);
	return NBD_OK;
}

static int do_network(struct boot *b, struct nbd_diag *d)
{
	return b->spec.uri[0].is_unix ? NBD_OK : net_up(&b->net, true, d);
}

/* What DHCP says of the root. */
static struct root_env env_of(const struct net_state *net)
{
	struct root_env env = { 0 };

	if (net->root_path[0])
		env.root_path = net->root_path;
	if (net->boot_server[0])
		env.server = net->boot_server;
	return env;
}

/* A device that is slow is better than none. */
static void tune(struct boot *b, int index)
{
	struct nbd_diag d;

	if (!b->cmd.tune || !device_tune(index, b->cmd.tune, &d))
		return;
	boot_say("nbdboot.tune=: %s", d.text);
	b->cmd.tune = NULL; /* the next call would say it again */
}

static int do_connect(struct boot *b, struct nbd_diag *d)
{
	const struct net_state *net = &b->net.state;
	struct root_env env = env_of(net);

	/* TCP's first: windows cannot grow later */
	tune(b, -1);
	/* it may be faster than the child that preloads modules */
	init_drivers_nbd();
	if (b->cmd.toram)
		return NBD_OK;
	b->index = root_connect(&b->root, &b->spec, &env, net->name, NULL, d);
	if (b->index >= 0)
		tune(b, b->index);
	nbd_fmt(b->disk, sizeof(b->disk), "nbd%d", b->index);
	return b->index < 0 ? b->index : NBD_OK;
}

/* Disconnects nbdN, unless *index is -1 already. */
static int disconnect(int *index, struct nbd_diag *d)
{
	int n = *index;

	*index = -1;
	return n < 0 ? NBD_OK : nbdk_disconnect(n, d);
}

static int undo_connect(struct boot *b, struct nbd_diag *d)
{
	return disconnect(&b->index, d);
}

#ifdef CONFIG_BOOT_TORAM
/* Here and not in the child, as later steps need b->root. */
static int do_name_server(struct boot *b, struct nbd_diag *d)
{
	struct root_env env = env_of(&b->net.state);
	struct root_machine m;

	if (!b->cmd.toram)
		return NBD_OK;
	root_machine(&m, &env, b->net.state.name);
	return root_expand(&b->root, &b->spec, &env, d);
}

static int do_toram(struct boot *b, struct nbd_diag *d)
{
	return b->cmd.toram ? init_toram_copy(b->disk, &b->root, d) : NBD_OK;
}

static int undo_toram(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->cmd.toram)
		init_toram_undo(b->disk);
	b->disk[0] = '\0';
	return NBD_OK;
}
#endif

static int do_part(struct boot *b, struct nbd_diag *d)
{
	return init_part_find(b->dev, "/sys/block", "/dev", b->disk,
			      b->root.part, d);
}

static int do_preload_wait(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_preload_wait(&b->preload);
	return NBD_OK;
}

static int do_mount(struct boot *b, struct nbd_diag *d)
{
	struct root_fs r = { .dev = b->dev,
			     .target = init_newroot(b),
			     .fstype = b->root.fstype,
			     .options = b->root.options,
			     .write = b->cmd.write };
	bool fell_back = false;
	int rc = init_mount_root(&r, &fell_back, d);

	if (fell_back)
		boot_say("%s cannot be written: mounted read-only in spite of "
			 "rw",
			 b->dev);
	return rc;
}

/* A mount that was given up may still have succeeded. */
static int undo_mount(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	while (!umount2(init_newroot(b), MNT_DETACH))
		;
	return NBD_OK;
}

#ifdef CONFIG_BOOT_OVERLAY
static int do_overlay_words(struct boot *b, struct nbd_diag *d)
{
	/* KIWI's root=overlay: has the same meaning */
	if (b->spec.overlay && !b->cmd.overlay)
		b->cmd.overlay = "";
	if (!b->cmd.overlay)
		return NBD_OK;
	b->cmd.write = false;
	return init_overlay_check(&b->overlay, &b->cmd, d);
}

static int do_overlay_connect(struct boot *b, struct nbd_diag *d)
{
	int rc = b->cmd.overlay ? init_overlay_connect(&b->overlay, d) : NBD_OK;

	if (!rc && b->overlay.index >= 0 && !b->cmd.no_watch)
		init_spawn_start(&b->watch_upper, "watch", b->outage,
				 b->overlay.index, &b->recovery.signals);
	return rc;
}

static int undo_overlay_connect(struct boot *b, struct nbd_diag *d)
{
	return disconnect(&b->overlay.index, d);
}

static int do_overlay(struct boot *b, struct nbd_diag *d)
{
	return b->cmd.overlay
		       ? init_overlay_mount(&b->overlay, init_newroot(b), d)
		       : NBD_OK;
}

static int undo_overlay(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->cmd.overlay)
		init_overlay_unmount(init_newroot(b));
	return NBD_OK;
}
#endif

static int do_init(struct boot *b, struct nbd_diag *d)
{
	const char *init;
	int rc = init_program_find(init_newroot(b), b->cmd.init, &init, d);

	b->argv[0] = (char *)init;
	return rc;
}

#ifdef CONFIG_BOOT_WATCH
static int do_outage_words(struct boot *b, struct nbd_diag *d)
{
	int s = b->cmd.outage ? watch_outage_parse(b->cmd.outage, d) : 0;

	if (s < 0)
		return nbd_diag_prefix(d, s, "nbdboot.outage");
	if (s)
		nbd_fmt(b->outage_text, sizeof(b->outage_text),
			"--outage=reboot:%d", s);
	b->outage = s ? b->outage_text : NULL;
	return NBD_OK;
}

/* The watcher gets ready while the boot continues. */
static int do_watch(struct boot *b, struct nbd_diag *d)
{
	if (!b->cmd.no_watch && b->index >= 0) {
		init_spawn_start(&b->watch, "watch", b->outage, b->index,
				 &b->recovery.signals);
		if (watch_units(d))
			boot_say("%s", d->text);
	}
	/* the watcher has these sockets, too: only its close waits */
	net_done(&b->net);
	return NBD_OK;
}

static void watch_ready(struct spawned *w, int index)
{
	if (w->pid && !init_spawn_ready(w))
		boot_say("the watcher did not start: after an outage, "
			 "`nbdboot reconnect nbd%d` is needed",
			 index);
}

/* The machine boots without them, too: a message is enough. */
static int do_watch_ready(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	watch_ready(&b->watch, b->index);
	watch_ready(&b->watch_upper, b->overlay.index);
	if (b->renew.pid && !init_spawn_ready(&b->renew))
		boot_say("the lease of the root's address will not be renewed");
	return NBD_OK;
}

static int undo_watch(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_spawn_stop(&b->watch);
	init_spawn_stop(&b->watch_upper);
	init_spawn_stop(&b->renew);
	return NBD_OK;
}
#endif

#ifdef CONFIG_BOOT_RENEW
/* undo_watch() ends the process. */
static int do_renew(struct boot *b, struct nbd_diag *d)
{
	bool ends = b->beside ? init_beside_must_renew() : b->net.state.ends;

	(void)d;
	if (!b->cmd.no_renew && ends)
		init_spawn_start(&b->renew, "renew", NULL, -1,
				 &b->recovery.signals);
	return NBD_OK;
}
#endif

#ifdef CONFIG_BOOT_SHUTDOWN
/* Without it the kernel reboots with the root mounted: no reason to fail. */
static int do_way_down(struct boot *b, struct nbd_diag *d)
{
	if (init_shutdown_prepare(d) || init_reroot_keep(&b->root, false, d))
		boot_say("cannot prepare the shutdown: %s", d->text);
	return NBD_OK;
}

static int undo_way_down(struct boot *b, struct nbd_diag *d)
{
	(void)b, (void)d;
	umount2(SHUTDOWN_HOME, MNT_DETACH);
	return NBD_OK;
}
#endif

/* Where the root is; a disk of the machine has no URI. */
static void print_root(const struct boot *b, char *text, size_t cap)
{
	if (init_reroot_is_local(b))
		nbd_fmt(text, cap, "of this machine");
	else
		root_print(&b->root, text, cap);
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

	b->switched = nbd_now_ms();
	print_root(b, root, sizeof(root));
	boot_say("root is /dev/%s (%s), starting %s", b->dev + 5, root,
		 b->argv[0]);
	init_drivers_unwatch(&b->hotplug);
	sigprocmask(SIG_SETMASK, &b->recovery.signals, NULL);
	return init_switch_root("/dev/console", NEWROOT, b->argv, last_words, b,
				d);
}

#ifdef CONFIG_BOOT_OVERLAY
static const char see_overlay[] =
	"check nbdboot.overlay=, and that the initramfs has module overlay";
#endif

const struct step init_steps[] = {
	{ "kernel file systems", do_kernel, NULL, "use a kernel that has them",
	  0, 0, STEP_ONCE },
#ifdef CONFIG_BOOT_ONFAIL
	{ "kernel file systems", do_onfail, NULL, "", 0, 0, STEP_ONCE },
#endif
	{ "kernel command line", do_cmdline, NULL,
	  "check what the boot loader (PXE, GRUB) passes to the kernel", 0, 0,
	  STEP_ONCE | STEP_BESIDE },
#ifdef CONFIG_BOOT_ONFAIL
	{ "kernel command line", do_onfail_words, NULL,
	  "check nbdboot.onfail=", 0, 0, STEP_ONCE },
#endif
#ifdef CONFIG_BOOT_WATCH
	{ "kernel command line", do_outage_words, NULL,
	  "check nbdboot.outage=", 0, 0, STEP_ONCE | STEP_BESIDE },
#endif
#ifdef CONFIG_BOOT_OVERLAY
	{ "kernel command line", do_overlay_words, NULL,
	  "check nbdboot.overlay=", 0, 0, STEP_ONCE | STEP_BESIDE },
#endif
#ifdef CONFIG_BOOT_IMAGE
	{ "module image", init_image_begin, NULL, "", 0, 0, 0 },
#endif
	{ "drivers", do_drivers, NULL, "check the modules in this initramfs", 0,
	  0, 0 },
	{ "network", do_network, NULL,
	  "check the cable, ip=, and the modules in this initramfs", 0, 0, 0 },
	{ "connect", do_connect, undo_connect, NULL, 0, STEP_UNDO_MS,
	  STEP_BESIDE },
#ifdef CONFIG_BOOT_WATCH
	{ "watch", do_watch, undo_watch, "", 0, 0, STEP_BESIDE },
#endif
#ifdef CONFIG_BOOT_TORAM
	{ "connect", do_name_server, NULL, NULL, 0, 0, 0 },
	{ "copy to RAM", do_toram, undo_toram, NULL, STEP_COPY_MS, STEP_UNDO_MS,
	  0 },
#endif
	{ "partition", do_part, NULL,
	  "check nbdboot.part= and the partitions of the export", STEP_READ_MS,
	  0, STEP_BESIDE },
	{ "modules", do_preload_wait, NULL, "", 0, 0, 0 },
	{ "mount", do_mount, undo_mount,
	  "check root=, rootfstype=, rootflags=, and what the export holds",
	  STEP_MOUNT_MS, STEP_UNDO_MS, STEP_BESIDE },
#ifdef CONFIG_BOOT_OVERLAY
	{ "overlay", do_overlay_connect, undo_overlay_connect, see_overlay, 0,
	  STEP_UNDO_MS, STEP_BESIDE },
	{ "overlay", do_overlay, undo_overlay, see_overlay, STEP_MOUNT_MS,
	  STEP_UNDO_MS, STEP_BESIDE },
#endif
	{ "init", do_init, NULL, "check init= and what is in the root", 0, 0,
	  STEP_BESIDE },
#ifdef CONFIG_BOOT_RENEW
	{ "renew", do_renew, NULL, "", 0, 0, STEP_BESIDE },
#endif
#ifdef CONFIG_BOOT_SHUTDOWN
	{ "way down", do_way_down, undo_way_down, "", 0, 0, 0 },
#endif
#ifdef CONFIG_BOOT_WATCH
	{ "watch ready", do_watch_ready, NULL, "", 0, 0, STEP_BESIDE },
#endif
#ifdef CONFIG_BOOT_ONFAIL
	{ "timer", do_stop_timer, do_start_timer, "", 0, 0, 0 },
#endif
#ifdef CONFIG_BOOT_IMAGE
	{ "module image", init_image_unmount, NULL, "", 0, 0, 0 },
#endif
	{ "switch", do_switch, NULL, "check the root file system", 0, 0, 0 },
};
const size_t init_n_steps = sizeof(init_steps) / sizeof(init_steps[0]);

#ifdef CONFIG_BOOT_REROOT
const struct step init_local_steps[] = {
	{ "kernel file systems", do_kernel, NULL, "", 0, 0, STEP_ONCE },
	{ "device", init_reroot_device, NULL, "", 0, 0, STEP_ONCE },
	{ "mount", do_mount, undo_mount, "check the device", STEP_MOUNT_MS,
	  STEP_UNDO_MS, 0 },
	{ "init", do_init, NULL, "check what is on the device", 0, 0, 0 },
	{ "switch", do_switch, NULL, "check the root file system", 0, 0, 0 },
};
const size_t init_n_local_steps =
	sizeof(init_local_steps) / sizeof(init_local_steps[0]);
#endif
