/* SPDX-License-Identifier: BSD-2-Clause */
/* A build that cannot verify a root does not boot one unchecked. */
#include "boot/words/word.h"

#include "boot/init/steps.h"

#include <unistd.h>

const struct word init_noverity_words[] = {
	WORD("roothash", roothash, WORD_MAYBE, WORD_ROOT),
	WORD("rd.roothash", roothash, WORD_MAYBE, WORD_ROOT),
	WORD("usrhash", usrhash, WORD_MAYBE, WORD_ROOT),
	WORD("rd.usrhash", usrhash, WORD_MAYBE, WORD_ROOT), WORD_END
};

static int refuse(struct boot *b, struct nbd_diag *d)
{
	/* as in verifier.c: not of a system that prepares another root */
	bool ours = !b->plan->line && !access(INIT_ROOTHASH, F_OK);

	if (!b->cmd.roothash && !b->cmd.usrhash && !ours)
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE,
			"%s: this build verifies nothing (CONFIG_BOOT_VERITY)",
			ours ? INIT_ROOTHASH : "roothash=, usrhash=");
}

const struct step init_noverity_step = {
	.name = "kernel command line",
	.run = refuse,
	.hint = "",
	.when = STEP_ONCE,
};
