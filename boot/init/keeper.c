/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that keeps programs of the root in memory. */
#include "boot/init/steps.h"
#include "boot/system/console.h"
#include "boot/words/word.h"

const struct word init_keeper_words[] = {
	WORD("nbdboot.keep", keep, WORD_TEXT, WORD_OURS), WORD_END
};

static int do_keep(struct boot *b, struct nbd_diag *d)
{
	static char option[80];
	struct spawner by = b->by;

	(void)d;
	by.word = (char *)b->cmd.keep;
	nbd_fmt(option, sizeof(option), "--root=%s", b->plan->newroot);
	if (b->cmd.keep && *b->cmd.keep)
		init_spawn_start(&b->keep, "keep", option, -1, &by);
	return NBD_OK;
}

/* It has the root open then, and reads the files while the boot goes on. */
static int do_ready(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->keep.pid && !init_spawn_ready(&b->keep))
		boot_say("nbdboot.keep= has no effect: its process did not "
			 "start");
	return NBD_OK;
}

const struct step init_keeper_step = {
	.name = "keep",
	.run = do_keep,
	.process = offsetof(struct boot, keep),
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_keeper_ready_step = {
	.name = "keep ready",
	.run = do_ready,
	.hint = "",
	.when = STEP_BESIDE,
};
