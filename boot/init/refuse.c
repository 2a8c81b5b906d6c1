/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of images whose own initramfs has systemd: those that promise what init
 * does not do are refused, not ignored.
 */
#include "boot/init/steps.h"

#include <string.h>

#include "boot/words/boolean.h"
#include "boot/words/word.h"

static const struct refused {
	const char *name, *why;
	uint16_t field;
} refused[] = {
#define F(x) offsetof(struct cmdline, x)
	{ "composefs",
	  "bootc's images without ostree need bootc's own initramfs",
	  F(composefs) },
	{ "systemd.volatile",
	  "this is for systemd in the initramfs: nbdboot.overlay keeps changes "
	  "in RAM",
	  F(volatile_root) },
#undef F
};

const struct word init_refuse_words[] = {
	WORD("composefs", composefs, WORD_TEXT, WORD_ROOT),
	WORD("systemd.volatile", volatile_root, WORD_MAYBE, WORD_ROOT), WORD_END
};

/*
 * systemd in the real system does "state", and what it calls "overlay" is that of
 * nbdboot.overlay in RAM, which may say more of it.
 */
static bool is_done(struct cmdline *c, const char *value)
{
	if (value != c->volatile_root)
		return false;
	if (!strcmp(value, "state") || !boot_words_boolean(value))
		return true;
	if (INIT_HAS_OVERLAY && !c->overlay && !strcmp(value, "overlay"))
		c->overlay = "";
	return c->overlay;
}

static int take_words(struct boot *b, struct nbd_diag *d)
{
	struct cmdline *c = &b->cmd;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct refused *r = &refused[i];
		const char *value =
			*(const char *const *)(const void *)((const char *)c +
							     r->field);

		if (value && !is_done(c, value))
			return nbd_diag(d, NBD_E_USAGE, "%s=%s: %s", r->name,
					value, r->why);
	}
	return NBD_OK;
}

const struct step init_refuse_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "",
	.when = STEP_ONCE,
};
