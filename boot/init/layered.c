/* SPDX-License-Identifier: BSD-2-Clause */
/* The step of the layers between the disk and the root, and its words. */
#include "boot/init/layers.h"

#include <string.h>

#include "boot/init/programs.h"
#include "boot/init/steps.h"
#include "boot/mapper/mapper.h"

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

static struct layers layers_of(struct boot *b)
{
	return (struct layers){ .file = INIT_PROGRAMS,
				.sys = "/sys/class/block",
				.dev = "/dev",
				.disk = b->disk,
				.signals = &b->recovery.signals };
}

static int do_layers(struct boot *b, struct nbd_diag *d)
{
	const struct layers l = layers_of(b);
	int rc;

	b->layered = false;
	if (INIT_LOCAL(b))
		return NBD_OK;
	/* nothing may look at what is in a root that is to be verified */
	if (b->cmd.roothash && b->root.other)
		return nbd_diag(d, NBD_E_USAGE,
				"root=%s: a root that is verified is on no "
				"volume",
				b->root.other);
	if (b->cmd.roothash || init_programs_check(INIT_PROGRAMS, d) <= 0)
		return NBD_OK;
	init_layers_run(&l);
	init_udev_tell(&l, INIT_UDEV_DATA);
	rc = init_layers_find(b->dev, &l, wanted(&b->root), d);
	b->layered = rc > 0;
	return rc < 0 ? rc : NBD_OK;
}

static int undo_layers(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	b->layered = false;
	if (b->disk[0])
		mapper_take_layers(b->disk);
	init_udev_forget(INIT_UDEV_DATA);
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
