/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof, in the running system.  The mount is in a mount namespace of a
 * child, so that nothing else of the system takes notice of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/device/device.h"
#include "boot/device/settle.h"
#include "boot/init/discover.h"
#include "boot/init/mount.h"
#include "boot/init/part.h"
#include "boot/init/program.h"
#include "boot/net/handoff.h"
#include "boot/net/net.h"
#include "boot/reroot/reroot.h"
#include "boot/root/connect.h"
#include "port/linux/file.h"
#include "port/linux/module.h"
#include "port/linux/nbdk.h"
#include "port/linux/process.h"

#define WHERE	  "/run/nbdboot/proof"
/* ms for reading and mounting the root. */
#define LOOK_MS	  60000
/* ms for the look to end when its device is disconnected. */
#define END_MS	  500
/* ms for udev's look at the device, and between checks. */
#define UDEV_MS	  10000
#define AGAIN_MS  20
/* s that the device of the proof waits for its server. */
#define OUTAGE_S  10
/* KiB: less could not even hold the programs of the switch. */
#define MEMORY_KB 24576

static int check_memory(struct nbd_diag *d)
{
	uint64_t kib = file_meminfo("MemAvailable:");

	if (kib >= MEMORY_KB)
		return NBD_OK;
	return nbd_diag(d, NBD_E_NO_MEMORY,
			"%llu KiB of memory are free, %u are needed",
			(unsigned long long)kib, MEMORY_KB);
}

/*
 * A journal is not replayed: the file system may be in use.  No file of the
 * image acts on this machine: to open the device node of a watchdog would start
 * it.  The check of init asks the kernel whether it may execute a file, so
 * noexec is not possible.
 */
static const char *as_it_is(const char *type)
{
	static const char *const options[][2] = {
		{ "ext4", "nodev,nosuid,noload" },
		{ "xfs", "nodev,nosuid,norecovery,nouuid" },
		{ "f2fs", "nodev,nosuid,norecovery" },
		{ "btrfs", "nodev,nosuid,rescue=nologreplay" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(type, options[i][0]))
			return options[i][1];
	return "nodev,nosuid";
}

/* In a child: links stay inside of the new root. */
static int look_for_soft(void *data, struct nbd_diag *d)
{
	bool *soft = data;

	if (chdir(WHERE) || chroot("."))
		return nbd_diag(d, NBD_E_PERM, "enter " WHERE ": %s",
				strerror(errno));
	/* without os-release systemd starts the old root again, silently */
	*soft = !access(REROOT_SOFT_UNIT, F_OK) &&
		(!access("/etc/os-release", F_OK) ||
		 !access("/usr/lib/os-release", F_OK));
	return NBD_OK;
}

static int mount_and_look(struct root_fs *fs, struct reroot_proof *p,
			  struct nbd_diag *d)
{
	const char *init;
	bool fell_back;
	int rc = init_mount_root(fs, &fell_back, d);

	if (rc)
		return rc;
	rc = init_program_find(fs->target, NULL, &init, d);
	if (!rc)
		rc = process_run(look_for_soft, &p->soft, sizeof(p->soft),
				 "the look for systemd", LOOK_MS, d);
	if (!rc && p->kernel.wanted)
		rc = reroot_kernel_take(&p->kernel, fs->target, d);
	umount2(fs->target, 0);
	return rc;
}

static int open_disk(int index)
{
	char dev[32];

	nbd_fmt(dev, sizeof(dev), "/dev/nbd%d", index);
	return open(dev, O_RDONLY | O_CLOEXEC);
}

/* In a child, whose mounts nobody else sees. */
static int look(void *data, struct nbd_diag *d)
{
	struct reroot_proof *p = data;
	struct root_fs fs = { .dev = p->dev, .target = WHERE };
	struct super s;
	bool read_only;
	int rc = NBD_OK;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return nbd_diag(d, NBD_E_PERM, "make a mount namespace: %s",
				strerror(errno));
	if (p->index >= 0) {
		char disk[16];

		/*
		 * udev looks at each new device under a shared lock, and
		 * postpones that while another process holds this one: this
		 * process does until it ends.  lock_out_udev() then waits for
		 * nothing.
		 */
		file_lock(open_disk(p->index), 0);
		nbd_fmt(disk, sizeof(disk), "nbd%d", p->index);
		rc = init_discover(p->dev, "/sys/block", "/dev", disk, &p->root,
				   &read_only, d);
	}
	if (!rc)
		rc = init_mount_probe(&s, p->dev, false, d);
	if (rc)
		return rc;
	nbd_fmt(p->uuid, sizeof(p->uuid), "%s", s.uuid);
	fs.fstype = s.type;
	fs.options = as_it_is(s.type);
	return mount_and_look(&fs, p, d);
}

/* A signal ends it. */
static int await_look(struct process *child, struct reroot_proof *p,
		      const struct device_signals *signals, struct nbd_diag *d)
{
	int ms = LOOK_MS + (p->kernel.wanted ? REROOT_FILES_MS : 0);
	int came = p->index < 0 ? device_settle_poll(child, signals->fd, -1, ms)
				: device_settle_await(child, signals->fd,
						      p->index, true, ms);

	if (came == NBD_E_INTERRUPTED)
		kill(child->pid, SIGKILL);
	return process_finish(
		child, p, sizeof(*p), "the look at the new root",
		nbd_now_ms() + (came == NBD_E_TIMEOUT ? 0 : END_MS), d);
}

static int look_in_child(struct reroot_proof *p,
			 const struct device_signals *signals,
			 struct nbd_diag *d)
{
	struct process child;
	int rc;

	mkdir("/run/nbdboot", 0755);
	mkdir(WHERE, 0755);
	rc = process_start(&child, look, p, sizeof(*p), d);
	if (!rc)
		rc = await_look(&child, p, signals, d);
	rmdir(WHERE);
	return rc;
}

/* Built in, loaded already, or a module of this system. */
static int check_overlay_driver(struct nbd_diag *d)
{
	char list[4096];

	if (file_read(AT_FDCWD, "/proc/filesystems", list, sizeof(list)) > 0 &&
	    strstr(list, "\toverlay\n"))
		return NBD_OK;
	return mod_load("overlay", "", d);
}

/*
 * The interface of the present root, which is the next one's, too: %m is its MAC.
 * "": a machine without a lease of ours has that of the first with a link.
 */
static const char *interface_of(char name[16])
{
	char path[32];

	net_handoff_interface(name);
	nbd_fmt(path, sizeof(path), "/sys/class/net/%s", name);
	return access(path, F_OK) ? "" : name;
}

/* The overlay's export is only connected: its file system may be in use. */
static int prove_overlay(struct overlay *o, const struct cmdline *c,
			 struct nbd_diag *d)
{
	struct device_signals signals;
	struct nbd_diag other;
	char name[16];
	int rc = init_overlay_check(o, c, d);

	if (!rc)
		rc = check_overlay_driver(d);
	o->held = &signals;
	if (!rc)
		rc = init_overlay_connect(o, interface_of(name), d);
	if (!rc && o->index >= 0) {
		nbdk_disconnect(o->index, &other);
		device_signals_release(&signals);
	}
	o->held = NULL;
	return rc;
}

static void take_link(struct reroot_proof *p)
{
	struct device dev = { 0 };
	struct nbd_diag d;

	if (device_read(&dev, p->index, &d) || !dev.n_links)
		return;
	p->link = dev.links[0];
}

/*
 * Waits for udev's look at the device.  With this exclusive lock its next reads
 * do not meet a device without a server.
 */
static int lock_out_udev(int index, const struct device_signals *signals)
{
	int fd = open_disk(index);

	for (int ms = 0; fd >= 0 && !file_lock(fd, AGAIN_MS) && ms < UDEV_MS &&
			 !device_signals_came(signals);
	     ms += AGAIN_MS)
		;
	return fd;
}

static int prove_once(struct reroot_proof *p, struct nbd_diag *d)
{
	struct root_env env = { 0 };
	struct device_signals signals;
	struct nbd_diag other;
	char name[16];
	int lock = -1, rc;

	p->index = root_connect(&p->root, &p->spec, &env, interface_of(name),
				&signals, d);
	if (p->index < 0)
		return p->index;
	take_link(p);
	rc = look_in_child(p, &signals, d);
	/* a look that hangs keeps udev out until the device is gone */
	if (rc != NBD_E_TIMEOUT)
		lock = lock_out_udev(p->index, &signals);
	nbdk_disconnect(p->index, &other);
	if (lock >= 0)
		close(lock);
	device_signals_release(&signals);
	return rc;
}

/* The first server of the list becomes its last one. */
static void ask_last(struct root_spec *r)
{
	struct nbd_uri first = r->uri[0];

	memmove(r->uri, r->uri + 1, (r->uris - 1) * sizeof(first));
	r->uri[r->uris - 1] = first;
}

/*
 * A server that stops in the middle of an answer, and keeps the connection, lets
 * the look hang: it begins anew, at another server if there is one.
 */
static int prove_export(struct reroot_proof *p, struct nbd_diag *d)
{
	int rc = root_parse(&p->spec, &p->cmd, d);
	unsigned tries;

	if (!rc && p->spec.part)
		rc = init_part_check(p->spec.part, d);
	if (!rc && p->cmd.overlay)
		rc = prove_overlay(&p->overlay, &p->cmd, d);
	if (rc)
		return rc;
	p->spec.read_only = true;
	p->spec.dead_timeout = OUTAGE_S;
	tries = p->spec.uris > 1 ? p->spec.uris : 2;
	rc = prove_once(p, d);
	for (unsigned i = 1; rc == NBD_E_TIMEOUT && i < tries; i++) {
		boot_say("%s", d->text);
		ask_last(&p->spec);
		rc = prove_once(p, d);
	}
	return rc;
}

/* A device of this machine, which outlives the present system. */
static int prove_local(struct reroot_proof *p, struct nbd_diag *d)
{
	/* no device, which a signal would leave behind */
	static const struct device_signals none = { .fd = -1 };
	struct stat st;

	nbd_fmt(p->dev, sizeof(p->dev), "%s", p->cmd.root);
	if (!stat(p->dev, &st) && S_ISBLK(st.st_mode) &&
	    major(st.st_rdev) == NBD_MAJOR)
		return nbd_diag(d, NBD_E_USAGE,
				"local:%s: it is disconnected when the present "
				"system ends (nbd://HOST[:PORT]/EXPORT "
				"connects it anew)",
				p->dev);
	return look_in_child(p, &none, d);
}

static void load(const char *const modules[], size_t n)
{
	struct nbd_diag other;

	for (size_t i = 0; i < n; i++)
		mod_load(modules[i], "", &other);
}

int reroot_prove(struct reroot_proof *p, const char *line, struct nbd_diag *d)
{
	static const char *const modules[] = { "af_packet", "tcp_diag" };
	static const char *const mapping[] = { "loop", "dm_mod", "dm_mirror" };
	int rc = boot_cmdline_parse(&p->cmd, line, d);

	p->index = -1;
	p->link.family = 0;
	if (!rc)
		rc = check_memory(d);
	if (rc)
		return rc;
	/* the new root may lack them, and the kernel may have them built in */
	load(modules, sizeof(modules) / sizeof(modules[0]));
	if (p->cmd.prefetch)
		load(mapping, sizeof(mapping) / sizeof(mapping[0]));
	return *p->cmd.root == '/' ? prove_local(p, d) : prove_export(p, d);
}
