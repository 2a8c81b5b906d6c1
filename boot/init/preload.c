/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading a module takes the kernel long: it hashes the module and checks its
 * signature, and ext4 has 2 MB.  The CPU is idle while the network comes up.
 */
#include "boot/init/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boot/system/times.h"
#include "boot/init/drivers.h"
#include "boot/init/steps.h"
#include "boot/init/super.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/module.h"
#include "port/linux/process.h"

#define PCI	"/sys/bus/pci/devices"
/* ms; on the slowest machines most modules take a second. */
#define LOAD_MS 30000

/*
 * virtio_pci makes the kernel interpret ACPI, which takes long in a virtual
 * machine.  Loaded meanwhile, the driver behind it is there when that ends.
 */
static void load_nic(void)
{
	char path[300], vendor[8];
	bool virtio = false;
	const char *name;
	struct dir dir;

	if (!mod_listed("virtio_net"))
		return;
	dir_open(&dir, PCI);
	while (!virtio && (name = dir_next(&dir))) {
		nbd_fmt(path, sizeof(path), PCI "/%s/vendor", name);
		file_read(AT_FDCWD, path, vendor, sizeof(vendor));
		virtio = !strcmp(vendor, "0x1af4\n");
	}
	dir_close(&dir);
	if (virtio)
		mod_load("virtio_net", "", NULL);
}

static void load_fs(const char *fstype)
{
	const char *type, *only = NULL;
	char name[32];

	if (fstype && *fstype && strcmp(fstype, "auto") != 0) {
		if (nbd_fmt(name, sizeof(name), "%.*s",
			    (int)strcspn(fstype, ","), fstype) > 0)
			mod_load(name, "", NULL);
		return;
	}
	for (unsigned i = 0; (type = init_super_type(i)); i++) {
		if (!mod_listed(type))
			continue;
		/* one of several: the most likely */
		only = only ? "ext4" : type;
	}
	if (only)
		mod_load(only, "", NULL);
}

void init_preload_start(struct preload *p, const char *fstype)
{
	/* without it, the child loads too */
	if (!p->shared)
		p->shared = mmap(NULL, sizeof(*p->shared),
				 PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->child > 0)
		return;
	if (p->shared != MAP_FAILED)
		p->shared->connected = false;
	p->began = nbd_now_ms();
	p->child = process_fork();
	if (p->child)
		return;
	load_nic();
	init_drivers_nbd();
	load_fs(fstype);
	if (p->shared == MAP_FAILED)
		_exit(0);
	if (p->later && !p->shared->connected)
		mod_load(p->later, "", NULL);
	p->shared->done = nbd_now_ms();
	_exit(0);
}

void init_preload_wait(struct preload *p)
{
	if (p->child > 0 && process_await(p->child, LOAD_MS) >= 0 &&
	    p->shared != MAP_FAILED && p->shared->done >= p->began)
		boot_times_span("preload", p->began, p->shared->done);
	p->child = 0;
}

static int do_start(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_preload_start(&b->preload, b->spec.fstype);
	return NBD_OK;
}

static int do_connected(struct boot *b, struct nbd_diag *d)
{
	struct preload_shared *shared = b->preload.shared;

	(void)d;
	if (shared && shared != MAP_FAILED)
		shared->connected = true;
	return NBD_OK;
}

static int do_wait(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_preload_wait(&b->preload);
	return NBD_OK;
}

const struct step init_preload_step = {
	.name = "drivers",
	.run = do_start,
	.hint = "",
};

const struct step init_preload_connected_step = {
	.name = "modules",
	.run = do_connected,
	.hint = "",
};

const struct step init_preloaded_step = {
	.name = "modules",
	.run = do_wait,
	.hint = "",
};
