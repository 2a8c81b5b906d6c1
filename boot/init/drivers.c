/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coldplug and hotplug.  A device's modalias says what it is; loading the
 * driver of a bus makes the devices behind it appear (virtio_pci: virtio_net).
 */
#include "boot/init/drivers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/iface.h"
#include "port/linux/module.h"
#include "port/linux/netlink.h"
#include "port/linux/process.h"

/* More rounds than buses can be nested. */
#define ROUNDS 16

void init_drivers_modprobe(void)
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

static void load(const char *alias)
{
	struct nbd_diag d;
	int rc = mod_load_alias(alias, &d);

	if (rc < 0 && rc != NBD_E_NOT_FOUND)
		boot_say("driver for %s: %s", alias, d.text);
}

static void load_device(const char *bus, const char *device)
{
	char path[256], alias[512];

	if (nbd_fmt(path, sizeof(path), "/sys/bus/%s/devices/%s/modalias", bus,
		    device) < 0)
		return;
	file_read(AT_FDCWD, path, alias, sizeof(alias));
	alias[strcspn(alias, "\n")] = '\0';
	if (alias[0])
		load(alias);
}

static int load_bus(const char *bus)
{
	char path[256];
	const char *name;
	struct dir dir;
	int n = 0;

	nbd_fmt(path, sizeof(path), "/sys/bus/%s/devices", bus);
	dir_open(&dir, path);
	for (; (name = dir_next(&dir)); n++)
		load_device(bus, name);
	dir_close(&dir);
	return n;
}

static int load_all(void)
{
	const char *name;
	struct dir dir;
	int n = 0;

	dir_open(&dir, "/sys/bus");
	while ((name = dir_next(&dir)))
		n += load_bus(name);
	dir_close(&dir);
	return n;
}

int init_drivers_load(bool watched)
{
	int before = -1, n = 0, round;

	/* the kernel announces devices that appear behind a driver */
	for (round = 0; round < (watched ? 1 : ROUNDS) && n != before;
	     round++) {
		before = n;
		n = load_all();
	}
	boot_note("%d devices after %d rounds", n, round);
	return n;
}

void init_drivers_nbd(void)
{
	/* more devices are made on demand; each takes 0.3 MB for ever */
	mod_load("nbd", "nbds_max=1", NULL);
}

static void set_up(const char *interface)
{
	struct nbd_diag d;
	int index = iface_find(interface, NULL, &d);

	if (index >= 0 && iface_up(index, &d) < 0)
		boot_say("%s", d.text);
}

/* A uevent is "add@/devices/...", then KEY=value strings, each with a NUL. */
static void hotplug(const char *p, size_t len, bool links)
{
	size_t n;

	if (len < 4 || memcmp(p, "add@", 4) != 0)
		return;
	for (; len; p += n, len -= n) {
		n = strnlen(p, len) + 1;
		if (n > len)
			return;
		if (!strncmp(p, "MODALIAS=", 9) && p[9])
			load(p + 9);
		if (links && !strncmp(p, "INTERFACE=", 10))
			set_up(p + 10);
	}
}

static _Noreturn void watch(struct nl_sock *s, bool links)
{
	int n;

	while ((n = nl_hear(s, 0)) >= 0) {
		if (n)
			hotplug((const char *)s->buf, (size_t)n, links);
		else
			init_drivers_load(true);
	}
	_exit(1);
}

void init_drivers_watch(pid_t *pid, bool links)
{
	struct nl_sock s;
	struct nbd_diag d;
	int err;

	if (*pid > 0)
		return;
	err = nl_open(&s, NETLINK_KOBJECT_UEVENT, NL_UEVENTS, &d);
	*pid = err ? -1 : process_fork();
	if (*pid == 0)
		watch(&s, links);
	if (*pid < 0)
		boot_say("hotplug: %s; devices that appear later get no "
			 "driver",
			 err ? d.text : strerror(errno));
	nl_close(&s);
}

void init_drivers_unwatch(pid_t *pid)
{
	process_stop(pid, SIGKILL);
}
