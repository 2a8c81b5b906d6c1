/* SPDX-License-Identifier: BSD-2-Clause */
/* The step of the layers between the disk and the root, and its words. */
#include "boot/init/layers.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "boot/init/programs.h"
#include "boot/init/steps.h"
#include "boot/mapper/mapper.h"
#include "port/linux/file.h"

/* What names the root: nbdboot.part=, or a root= that is no server. */
static const char *wanted(const struct root_spec *r)
{
	return r->part ? r->part : r->other;
}

int init_layers_parse(struct root_spec *r, const struct cmdline *c, bool ours,
		      struct nbd_diag *d)
{
	int n = ours ? init_programs_check(INIT_PROGRAMS, d) : 0, rc;
	const char *part;

	if (n < 0)
		return n;
	rc = n ? root_parse_server(r, c, d) : root_parse(r, c, d);
	if (rc)
		return rc;
	part = wanted(r);
	if (!part || (n && !strncmp(part, "/dev/", 5)))
		return NBD_OK;
	return init_part_check(part, d);
}

/*
 * udev in the real system takes no notice of a mapping that it has not seen
 * made, unless this is in its database (55-dm.rules of lvm2): without it there
 * is no /dev/disk/by-uuid/ of it, and systemd waits for the device in vain.
 */
static void tell_udev(void)
{
	static const char flag[] = "E:DM_UDEV_PRIMARY_SOURCE_FLAG=1\n";
	char path[64];
	struct stat st;

	for (unsigned i = 0; i < 256; i++) {
		nbd_fmt(path, sizeof(path), "/dev/dm-%u", i);
		if (stat(path, &st) || !S_ISBLK(st.st_mode))
			continue;
		nbd_fmt(path, sizeof(path), "/run/udev/data/b%u:%u",
			major(st.st_rdev), minor(st.st_rdev));
		file_save(AT_FDCWD, path, flag, sizeof(flag) - 1);
	}
}

static int do_layers(struct boot *b, struct nbd_diag *d)
{
	const struct layers l = { .file = INIT_PROGRAMS,
				  .sys = "/sys/class/block",
				  .dev = "/dev",
				  .disk = b->disk,
				  .signals = &b->recovery.signals };
	int rc;

	b->layered = false;
	/* nothing may look at what is in a root that is to be verified */
	if (b->cmd.roothash && b->root.other)
		return nbd_diag(d, NBD_E_USAGE,
				"root=%s: a root that is verified is on no "
				"volume",
				b->root.other);
	if (b->cmd.roothash || init_programs_check(INIT_PROGRAMS, d) <= 0)
		return NBD_OK;
	if (init_layers_run(&l))
		tell_udev();
	rc = init_layers_find(b->dev, &l, wanted(&b->root), d);
	b->layered = rc > 0;
	return rc < 0 ? rc : NBD_OK;
}

static int undo_layers(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	b->layered = false;
	mapper_take_layers();
	return NBD_OK;
}

const struct step init_layered_step = {
	.name = "volumes",
	.run = do_layers,
	.undo = undo_layers,
	.hint = "check root=, nbdboot.part=, and the messages above",
	/* each program has a limit of its own */
	.run_ms = STEP_COPY_MS,
	.undo_ms = STEP_UNDO_MS,
};
