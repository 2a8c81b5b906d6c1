/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the root to RAM, by the data mover of nbdboot copy. */
#include "boot/init/toram.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/words/word.h"
#include "boot/copy/copy.h"
#include "boot/init/gpt.h"
#include "boot/init/steps.h"
#include "boot/mapper/mapper.h"
#include "boot/root/connect.h"
#include "port/latency.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/loop.h"

/* Visible in the real system, too: /run moves there with its mounts. */
#define HOME "/run/nbdboot/ram"
#define DISK MAPPER_RAM

/* s that a server may be away, if there is another. */
#define PATIENCE 20

static int failed(struct nbd_diag *d, const char *what)
{
	return nbd_diag(d, NBD_E_KERNEL, "nbdboot.toram: %s: %s", what,
			strerror(errno));
}

/* ---- the memory ---- */

/* Mounts a tmpfs that leaves an eighth of the memory, *kib are its size. */
static int mount_ram(uint64_t *kib, struct nbd_diag *d)
{
	char size[48];

	*kib = file_meminfo("MemAvailable:") / 8 * 7;
	nbd_fmt(size, sizeof(size), "mode=700,size=%lluk",
		(unsigned long long)*kib);
	mkdir("/run/nbdboot", 0755);
	mkdir(HOME, 0700);
	return mount("tmpfs", HOME, "tmpfs", MS_NOSUID | MS_NODEV, size)
		       ? failed(d, "mount a tmpfs")
		       : NBD_OK;
}

static int too_large(uint64_t size, uint64_t kib, struct nbd_diag *d)
{
	return nbd_diag(
		d, NBD_E_NO_MEMORY,
		"nbdboot.toram: the export has %llu MiB, more data than "
		"the %llu MiB of memory that can be used for it",
		(unsigned long long)size >> 20, (unsigned long long)kib >> 10);
}

/* ---- the copy ---- */

static int copy(struct side *src, uint64_t kib, const struct copy_options *o,
		struct nbd_diag *d)
{
	struct side dst;
	struct statfs fs;
	struct copy c = { .src = src, .dst = &dst, .d = d };
	uint64_t done = 0;
	int err = copy_side_open_file(&dst, DISK, true, d);

	if (err)
		return err;
	/* without a map of the holes all of it is data */
	err = src->link->no_map && src->size >> 10 > kib
		      ? too_large(src->size, kib, d)
		      : copy_run(&c, o, &done);
	dst.ops->close(&dst);
	if (err && !statfs(HOME, &fs) && !fs.f_bfree)
		return too_large(src->size, kib, d);
	return err;
}

static void say(const struct nbd_diag *d)
{
	boot_say("%s", d->text);
}

static int copy_from(const struct nbd_uri *uri, const struct root_spec *r,
		     unsigned patience, uint64_t kib, struct nbd_diag *d)
{
	/* of a child process; too large for a stack */
	static struct copy_link link;
	static struct nbd_latency latency;
	const struct copy_options o = {
		.connections = r->connections > 1 ? (unsigned)r->connections
						  : 0,
		.patience = patience,
		.say = say,
		.progress = true,
		.files = { r->ca, r->cert, r->key },
		.latency = &latency,
	};
	char name[256];
	struct side src = { .name = name, .fd = -1 };
	int err;

	boot_uri_show(uri, name, sizeof(name));
	boot_say("copying %s to RAM", name);
	memset(&link, 0, sizeof(link));
	err = copy_side_open_nbd(&src, &link, uri, &o, d);
	if (err)
		return nbd_diag_prefix(d, err, "%s", name);
	err = copy(&src, kib, &o, d);
	src.ops->close(&src);
	return err;
}

/* ---- the device ---- */

/* The server's sectors may have another size than those of a loop device. */
static uint32_t sector_of_table(void)
{
	struct gpt g = { 0 };
	int fd = open(DISK, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (!init_gpt_find(&g, fd))
		g.sector = 0;
	close(fd);
	return g.sector;
}

static int attach(char disk[LOOP_NAME], struct nbd_diag *d)
{
	int loop = loop_attach(DISK, LO_FLAGS_PARTSCAN, sector_of_table(), disk,
			       d);

	if (loop < 0)
		return loop;
	close(loop);
	return NBD_OK;
}

int init_toram_copy(char disk[LOOP_NAME], const struct root_spec *r,
		    struct nbd_diag *d)
{
	uint64_t kib;
	int err = mount_ram(&kib, d);

	if (err)
		return err;
	err = nbd_diag(d, NBD_E_NOT_FOUND,
		       "DHCP has no root-path that names a server");
	for (unsigned i = 0; i < r->uris && err; i++) {
		err = copy_from(&r->uri[i], r,
				i + 1 < r->uris ? PATIENCE : COPY_PATIENCE, kib,
				d);
		if (err && i + 1 < r->uris)
			boot_say("%s", d->text);
	}
	return err ? err : attach(disk, d);
}

/* One that is mounted goes when it is unmounted. */
static void detach(const char *disk)
{
	char path[300];
	int loop;

	nbd_fmt(path, sizeof(path), "/dev/%s", disk);
	loop = open(path, O_RDONLY | O_CLOEXEC);
	if (loop >= 0) {
		ioctl(loop, LOOP_CLR_FD);
		close(loop);
	}
}

void init_toram_release(void)
{
	char path[300], file[sizeof(DISK) + 1];
	const char *name;
	struct dir dir;

	dir_open(&dir, "/sys/block");
	while ((name = dir_next(&dir))) {
		nbd_fmt(path, sizeof(path), "/sys/block/%s/loop/backing_file",
			name);
		if (file_read(AT_FDCWD, path, file, sizeof(file)) > 0 &&
		    !strcmp(file, DISK "\n"))
			detach(name);
	}
	dir_close(&dir);
	umount2(HOME, MNT_DETACH);
}

/* ---- its word and steps ---- */

const struct word init_toram_words[] = {
	WORD("nbdboot.toram", toram, WORD_YES, WORD_OURS | WORD_ONCE), WORD_END
};

/* Here and not in the child, as later steps need b->root. */
static int do_name_server(struct boot *b, struct nbd_diag *d)
{
	struct root_env env = init_root_env(b);
	struct root_machine m;
	int rc;

	if (!b->cmd.toram)
		return NBD_OK;
	root_machine(&m, &env, b->net.state.name);
	rc = root_expand(&b->root, &b->spec, &env, d);
	if (!rc)
		root_balance(&b->root, &m);
	return rc;
}

static int do_toram(struct boot *b, struct nbd_diag *d)
{
	return b->cmd.toram ? init_toram_copy(b->disk, &b->root, d) : NBD_OK;
}

static int undo_toram(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	/* of a child that was ended, b->disk has nothing */
	if (b->cmd.toram)
		init_toram_release();
	b->disk[0] = '\0';
	return NBD_OK;
}

const struct step init_toram_server_step = {
	.name = "connect",
	.run = do_name_server,
};

const struct step init_toram_step = {
	.name = "copy to RAM",
	.run = do_toram,
	.undo = undo_toram,
	.run_ms = STEP_COPY_MS,
	.undo_ms = STEP_UNDO_MS,
};
