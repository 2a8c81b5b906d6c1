/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of nbdboot.prefetch=, around the mount of the root:
 *
 *	before connect -> map one to one -> learn -> fetch? -> mount -> fetch? -> init
 *
 * The process that learns gets ready while the first blocks are fetched.
 *
 * Of a server that is near nothing is mapped or fetched, and the reads of the
 * device itself are listed.
 */
#include "boot/words/word.h"

#include "boot/init/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/prefetch.h"
#include "boot/mapper/mapper.h"

/* ms: more than a fetch may take, so that only a child that hangs is killed. */
#define CHILD_MS 90000
/* Tries to map it one to one: with requests held the boot cannot go on. */
#define TRIES	 3

const struct word init_fetcher_words[] = {
	WORD("nbdboot.prefetch", prefetch, WORD_MAYBE, WORD_OURS | WORD_BARE),
	WORD_END
};

struct prefetch_root init_fetcher_root(const struct boot *b)
{
	return (struct prefetch_root){ .index = b->index,
				       .disk = b->disk,
				       .below = b->fetcher.below,
				       .dev = b->dev,
				       .where = b->plan->newroot,
				       .overlay = b->cmd.overlay,
				       .verified = b->cmd.roothash,
				       .boot = b };
}

struct map {
	struct prefetch_root root;
	char dev[PART_PATH];
	bool mapped;
};

static int map_in_child(void *data, struct nbd_diag *d)
{
	struct map *m = data;

	(void)d;
	m->mapped = init_prefetch_map(&m->root, m->dev);
	return NBD_OK;
}

static int unmap_in_child(void *data, struct nbd_diag *d)
{
	init_prefetch_unmap(*(int *)data);
	(void)d;
	return NBD_OK;
}

/* Whether the server is near will be known when it has answered. */
static int do_later(struct boot *b, struct nbd_diag *d)
{
	const struct cmdline *c = &b->cmd;

	(void)d;
	b->fetcher.wanted = init_prefetch_is_wanted(c->prefetch);
	b->preload.later = b->fetcher.wanted || c->clone || c->cache ? "dm_mod"
								     : NULL;
	return NBD_OK;
}

static int do_before(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	prefetch_distance_begin(b->fetcher.before);
	return NBD_OK;
}

/* A clone and a cache need the mapping, too. */
static bool needs_map(const struct boot *b)
{
	return (b->fetcher.wanted && !b->fetcher.near) || b->cmd.clone ||
	       b->cmd.cache;
}

/* Whatever becomes of it, the boot goes on: so not by the step's child. */
static int do_map(struct boot *b, struct nbd_diag *d)
{
	struct map m = { .root = init_fetcher_root(b) };

	b->fetcher.below[0] = '\0';
	b->fetcher.found = false;
	b->fetcher.near =
		b->fetcher.wanted &&
		init_prefetch_is_needless(b->cmd.prefetch,
					  prefetch_distance(b->fetcher.before,
							    b->index));
	if (b->index < 0 || !needs_map(b))
		return NBD_OK;
	memcpy(m.dev, b->dev, sizeof(m.dev));
	if (process_run(map_in_child, &m, sizeof(m), "map", STEP_READ_MS, d)) {
		boot_say("%s", d->text);
		/* it may have got that far, and would keep the device */
		m.mapped = false;
		process_run(unmap_in_child, &b->index, sizeof(b->index),
			    "unmap", STEP_UNDO_MS, d);
	}
	if (!m.mapped)
		return NBD_OK;
	memcpy(b->fetcher.below, b->dev, sizeof(b->dev));
	memcpy(b->dev, m.dev, sizeof(b->dev));
	return NBD_OK;
}

static int undo_map(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->fetcher.below[0])
		init_prefetch_unmap(b->index);
	return NBD_OK;
}

/* Waits until the process is ready that lists what is read from now on. */
static void await_learning(struct spawned *learn)
{
	if (learn->ready && !init_spawn_ready(learn))
		boot_say("prefetch: no list of this boot: its process did not "
			 "start");
}

static int do_learn(struct boot *b, struct nbd_diag *d)
{
	struct spawner by = b->by;

	(void)d;
	if (b->fetcher.below[0] ? !b->fetcher.wanted && !b->cmd.cache
				: !b->fetcher.near)
		return NBD_OK;
	if (!b->fetcher.below[0])
		by.word = b->dev;
	init_spawn_start(&b->fetcher.learn, "prefetch", "learn", b->index, &by);
	/* a cache changes the table, at which the process looks first */
	if (b->cmd.cache)
		await_learning(&b->fetcher.learn);
	return NBD_OK;
}

static int do_learning(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	await_learning(&b->fetcher.learn);
	return NBD_OK;
}

struct fetch {
	struct prefetch_root root;
	const char *word;
	bool mounted, found;
	int go[2]; /* a pipe: written to when the table may be swapped */
};

static int in_child(void *data, struct nbd_diag *d)
{
	struct fetch *f = data;

	(void)d;
	close(f->go[1]);
	f->found = init_prefetch_fetch(&f->root, f->word, f->mounted, f->go[0]);
	return NBD_OK;
}

static int reset_in_child(void *data, struct nbd_diag *d)
{
	const struct fetch *f = data;

	return mapper_reset(f->root.index, f->root.below, d);
}

/* Is the process still there that frees what is fetched? */
static bool is_learning(struct spawned *learn)
{
	if (learn->pid > 0 && process_await(learn->pid, 0) != NBD_E_TIMEOUT)
		learn->pid = 0; /* reaped */
	return learn->pid > 0;
}

static void reset(const struct fetch *f)
{
	struct fetch copy = *f;
	struct nbd_diag d;

	for (unsigned i = 0; i < TRIES; i++) {
		if (!process_run(reset_in_child, &copy, sizeof(copy), "map",
				 STEP_READ_MS, &d))
			return;
		boot_say("prefetch: %s", d.text);
	}
}

/* Nothing stays fetched without the process that frees it. */
static int fetch_in_child(struct fetch *f, struct spawned *learn,
			  struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + CHILD_MS;
	struct process p;
	int rc;

	if (pipe2(f->go, O_CLOEXEC))
		return nbd_diag(d, NBD_E_NO_MEMORY, "prefetch: make a pipe: %s",
				strerror(errno));
	rc = process_start(&p, in_child, f, sizeof(*f), d);
	if (!rc)
		await_learning(learn);
	/* this end is open, so there is no SIGPIPE if the child has died */
	if (!rc && is_learning(learn) && write(f->go[1], "", 1) != 1)
		boot_say("prefetch: a pipe: %s", strerror(errno));
	close(f->go[0]);
	close(f->go[1]);
	return rc ? rc : process_finish(&p, f, sizeof(*f), "prefetch", end, d);
}

static void fetch(struct boot *b, bool mounted)
{
	struct fetch f = { .root = init_fetcher_root(b),
			   .word = b->cmd.prefetch,
			   .mounted = mounted };
	struct nbd_diag d;
	int died;

	if (!b->fetcher.wanted || b->fetcher.near || b->fetcher.found ||
	    !is_learning(&b->fetcher.learn))
		return;
	died = fetch_in_child(&f, &b->fetcher.learn, &d);
	if (died) {
		boot_say("%s", d.text);
		f.found = true;
	}
	b->fetcher.found = f.found;
	/*
	 * The other one ends when the boot takes too long for it; and this one
	 * may have died while it held the requests of the root.
	 */
	if (f.found && (died || !is_learning(&b->fetcher.learn)))
		reset(&f);
}

bool init_fetcher_is_early(const struct boot *b)
{
	return !b->cmd.overlay || b->cmd.roothash ||
	       init_prefetch_is_read_only(b->disk);
}

static int do_fetch(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (init_fetcher_is_early(b))
		fetch(b, false);
	return NBD_OK;
}

static int do_fetch_mounted(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	/* or it was looked for before */
	if (!init_fetcher_is_early(b))
		fetch(b, false);
	fetch(b, true);
	return NBD_OK;
}

const struct step init_fetcher_later_step = {
	.name = "drivers",
	.run = do_later,
	.hint = "",
};

const struct step init_fetcher_before_step = {
	.name = "prefetch",
	.run = do_before,
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_fetcher_map_step = {
	.name = "map",
	.run = do_map,
	.undo = undo_map,
	.hint = "",
	.when = STEP_BESIDE,
	.undo_ms = STEP_UNDO_MS,
};

const struct step init_fetcher_learn_step = {
	.name = "learn",
	.run = do_learn,
	.process = offsetof(struct boot, fetcher.learn),
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_fetcher_learning_step = {
	.name = "learn",
	.run = do_learning,
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_fetcher_step = {
	.name = "prefetch",
	.run = do_fetch,
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_fetcher_mounted_step = {
	.name = "prefetch",
	.run = do_fetch_mounted,
	.hint = "",
	.when = STEP_BESIDE,
};
