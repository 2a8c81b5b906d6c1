/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that renews the lease of the root's address. */
#include "boot/system/console.h"
#include "boot/words/word.h"
#include "boot/init/steps.h"

const struct word init_renewer_words[] = {
	WORD("nbdboot.renew", no_renew, WORD_NO, WORD_OURS), WORD_END
};

static int do_renew(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (!b->cmd.no_renew && b->lease_ends)
		init_spawn_start(&b->renew, "renew", NULL, -1, &b->by);
	return NBD_OK;
}

static int do_ready(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->renew.pid && !init_spawn_ready(&b->renew))
		boot_say("the lease of the root's address will not be renewed");
	return NBD_OK;
}

const struct step init_renewer_step = {
	.name = "renew",
	.run = do_renew,
	.process = offsetof(struct boot, renew),
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_renewer_ready_step = {
	.name = "renew ready",
	.run = do_ready,
	.hint = "",
	.when = STEP_BESIDE,
};
