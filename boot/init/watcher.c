/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The watchers of the devices: that of the root starts as early as it can, and
 * gets ready while the boot continues.
 */
#include "boot/system/console.h"
#include "boot/words/word.h"
#include "boot/init/steps.h"
#include "boot/watch/watch.h"

const struct word init_watcher_words[] = {
	WORD("nbdboot.watch", no_watch, WORD_NO, WORD_OURS),
	WORD("nbdboot.outage", outage, WORD_TEXT, WORD_OURS), WORD_END
};

static int take_words(struct boot *b, struct nbd_diag *d)
{
	int s = b->cmd.outage ? watch_outage_parse(b->cmd.outage, d) : 0;

	if (s < 0)
		return nbd_diag_prefix(d, s, "nbdboot.outage");
	if (s)
		nbd_fmt(b->outage_text, sizeof(b->outage_text),
			"--outage=reboot:%d", s);
	b->outage = s ? b->outage_text : NULL;
	return NBD_OK;
}

static void start(struct boot *b, struct spawned *child, int index)
{
	if (!b->cmd.no_watch && index >= 0)
		init_spawn_start(child, "watch", b->outage, index, &b->by);
}

static int do_watch(struct boot *b, struct nbd_diag *d)
{
	start(b, &b->watch, b->index);
	if (b->watch.pid && watch_units(d))
		boot_say("%s", d->text);
	/* the watcher has these sockets, too: only its close waits */
	net_done(&b->net);
	return NBD_OK;
}

static int do_upper(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	start(b, &b->watch_upper, b->overlay.index);
	return NBD_OK;
}

static int do_tree(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	start(b, &b->watch_tree, b->tree.index);
	return NBD_OK;
}

static void ready(struct spawned *child, int index)
{
	if (child->pid && !init_spawn_ready(child))
		boot_say("the watcher did not start: after an outage, "
			 "`nbdboot reconnect nbd%d` is needed",
			 index);
}

/* The machine boots without them, too: a message is enough. */
static int do_ready(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	ready(&b->watch, b->index);
	ready(&b->watch_upper, b->overlay.index);
	ready(&b->watch_tree, b->tree.index);
	return NBD_OK;
}

const struct step init_watcher_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check nbdboot.outage=",
	.when = STEP_ONCE | STEP_BESIDE,
};

const struct step init_watcher_step = {
	.name = "watch",
	.run = do_watch,
	.process = offsetof(struct boot, watch),
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_watcher_upper_step = {
	.name = "watch",
	.run = do_upper,
	.process = offsetof(struct boot, watch_upper),
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_watcher_tree_step = {
	.name = "watch",
	.run = do_tree,
	.process = offsetof(struct boot, watch_tree),
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_watcher_ready_step = {
	.name = "watch ready",
	.run = do_ready,
	.hint = "",
	.when = STEP_BESIDE,
};
