/* SPDX-License-Identifier: BSD-2-Clause */
/* A build that cannot verify a root does not boot one unchecked. */
#include "boot/words/word.h"

#include "boot/init/steps.h"

const struct word init_noverity_words[] = {
	WORD("roothash", roothash, WORD_TEXT, WORD_ROOT),
	WORD("usrhash", usrhash, WORD_TEXT, WORD_ROOT), WORD_END
};

static int refuse(struct boot *b, struct nbd_diag *d)
{
	if (!b->cmd.roothash && !b->cmd.usrhash)
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE,
			"roothash=, usrhash=: this build verifies nothing "
			"(CONFIG_BOOT_VERITY)");
}

const struct step init_noverity_step = {
	.name = "kernel command line",
	.run = refuse,
	.hint = "",
	.when = STEP_ONCE,
};
