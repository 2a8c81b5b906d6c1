/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device of the hash tree, which has servers, a watcher and an end of its
 * own:
 *
 *	nbd0, the data ---.
 *	nbd1, the tree ----+--> nbdboot-verity-nbd0
 */
#include "boot/init/tree_export.h"

#include "boot/init/steps.h"
#include "boot/root/connect.h"

/* The error is about root= and /dev/nbd1: name what is meant. */
static int of_tree(const struct tree_export *t, int rc, struct nbd_diag *d)
{
	return nbd_diag_prefix(d, rc, "the hash tree, %s", t->cmd.root);
}

static int take_words(struct boot *b, struct nbd_diag *d)
{
	const struct cmdline *c = &b->cmd;
	struct tree_export *t = &b->tree;
	int rc;

	if (!b->verity.tree)
		return NBD_OK;
	if (c->toram)
		return nbd_diag(d, NBD_E_USAGE,
				"nbdboot.toram: only the image is copied, and "
				"its hash tree is in another export, %s (a "
				"tree behind the data is copied with it)",
				b->verity.tree);
	rc = root_parse_export(&t->parsed, &t->cmd, c, b->verity.tree, d);
	t->cmd.overlay = ""; /* so read-only */
	return rc ? of_tree(t, rc, d) : NBD_OK;
}

static int do_connect(struct boot *b, struct nbd_diag *d)
{
	struct root_env env = { .first = b->first };
	struct tree_export *t = &b->tree;

	if (!t->cmd.root)
		return NBD_OK;
	t->index = root_connect(&t->root, &t->parsed, &env, b->net.state.name,
				NULL, d);
	return t->index < 0 ? of_tree(t, t->index, d) : NBD_OK;
}

static int undo_connect(struct boot *b, struct nbd_diag *d)
{
	return init_disconnect(&b->tree.index, d);
}

const struct step init_tree_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check systemd.verity_root_hash= and nbdboot.verity=",
	.when = STEP_ONCE | STEP_BESIDE,
};

const struct step init_tree_connect_step = {
	.name = "connect",
	.run = do_connect,
	.undo = undo_connect,
	.hint = "check systemd.verity_root_hash= and the server of the tree",
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};
