/* SPDX-License-Identifier: BSD-2-Clause */
/* The settings of the root's device, and of TCP before it is connected. */
#include "boot/system/console.h"
#include "boot/words/word.h"
#include "boot/device/tune.h"
#include "boot/init/steps.h"

const struct word init_tuner_words[] = {
	WORD("nbdboot.tune", tune, WORD_TEXT, WORD_OURS), WORD_END
};

/* A device that is slow is better than none. */
static void tune(struct boot *b, int index)
{
	struct nbd_diag d;

	if (!b->cmd.tune || !device_tune(index, b->cmd.tune, &d))
		return;
	boot_say("nbdboot.tune=: %s", d.text);
	b->cmd.tune = NULL; /* the next call would say it again */
}

/* Windows cannot grow later. */
static int do_links(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	tune(b, -1);
	return NBD_OK;
}

static int do_device(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->index >= 0)
		tune(b, b->index);
	return NBD_OK;
}

const struct step init_tuner_links_step = {
	.name = "tune",
	.run = do_links,
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_tuner_step = {
	.name = "tune",
	.run = do_device,
	.hint = "",
	.when = STEP_BESIDE,
};
