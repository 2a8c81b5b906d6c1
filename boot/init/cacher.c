/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.cache=DEVICE: what boots read of an image stays on a local device.
 *
 *	map one to one -> learn -> cached? -> verity -> mount -> cached? -> init
 *	                                   the boot is over -> filled for the next
 *
 * A root hash says which image it is.  Without one it is a name that the site gives
 * it, with the identity of the export, which is known since it was connected, or
 * else with the sum of its beginning.  Neither would do without a name: two
 * squashfs of files of equal sizes and times have the same, and a block of another
 * image is wrong in silence.
 */
#include "boot/words/word.h"

#include "boot/init/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/cache/cache.h"
#include "boot/cache/cache_spec.h"
#include "boot/device/device.h"
#include "boot/init/clone_target.h"
#include "boot/init/prefetch.h"
#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "port/fnv1a.h"

#define WORD_CACHE  "nbdboot.cache"
/* Bytes of a root hash that name it, and of an image without identity that are read. */
#define HASH_BYTES  24
#define FIRST_BYTES (128u * 1024)

const struct word init_cacher_words[] = {
	WORD(WORD_CACHE, cache, WORD_TEXT, WORD_OURS | WORD_ONCE), WORD_END
};

static int parse(struct cache_spec *s, const char *word, struct nbd_diag *d)
{
	int rc = cache_spec_parse(s, word, d);

	return rc ? nbd_diag_prefix(d, rc, WORD_CACHE) : NBD_OK;
}

static int take_words(struct boot *b, struct nbd_diag *d)
{
	struct cache_spec s;

	return b->cmd.cache ? parse(&s, b->cmd.cache, d) : NBD_OK;
}

/* ---- the image ---- */

static uint64_t sum_of(const void *p, size_t len)
{
	const unsigned char *at = p;
	uint64_t sum = NBD_FNV1A;

	while (len--)
		sum = nbd_fnv1a(sum, *at++);
	return sum;
}

/*
 * Of the identity, which costs no read.  False: the export has none that is of its
 * blocks, but at most that of UUIDs, which stay when a file system is changed.
 */
static bool sum_identity(uint64_t *sum, int index)
{
	/* of a child; too large for a stack */
	static struct device dev;

	if (device_identify(&dev, index, NULL) || !dev.b.identity ||
	    dev.b.identity[0] != 'r')
		return false;
	*sum = sum_of(dev.b.identity, strlen(dev.b.identity));
	return true;
}

static int sum_beginning(uint64_t *sum, const struct boot *b,
			 struct nbd_diag *d)
{
	static unsigned char buf[FIRST_BYTES];
	int fd = open(b->dev, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, buf, sizeof(buf), 0);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return nbd_diag(d, NBD_E_IO, "read %s: %s", b->dev,
				strerror(errno));
	*sum = sum_of(buf, (size_t)n);
	return NBD_OK;
}

static int image_of(char image[64], const struct boot *b,
		    const struct cache_spec *s, struct nbd_diag *d)
{
	char hex[2 * HASH_BYTES + 1];
	uint64_t sum = 0;
	int rc;

	if (b->cmd.roothash) {
		verity_hex(hex, b->verity.root, HASH_BYTES);
		nbd_fmt(image, 64, "verity-%s", hex);
		return NBD_OK;
	}
	rc = sum_identity(&sum, b->index) ? NBD_OK : sum_beginning(&sum, b, d);
	if (!rc)
		nbd_fmt(image, 64, "named-%016llx-%s", (unsigned long long)sum,
			s->image);
	return rc;
}

/* ---- its use ---- */

struct use {
	const struct boot *b;
	char image[64];
	int half;
};

/*
 * From the first boot on, so that what udev reads is kept.  A partition stays: its
 * entry in the table of the disk is not on the mapping.
 */
static void divert_udev(const struct boot *b)
{
	char mapping[MAPPER_DEVICE];

	if (!strcmp(b->fetcher.below + sizeof("/dev/") - 1, b->disk) &&
	    !mapper_find(b->index, mapping, NULL))
		init_udev_divert(b->disk, mapping);
}

static int use_in_child(void *data, struct nbd_diag *d)
{
	struct use *u = data;
	const struct boot *b = u->b;
	char path[CLONE_PATH];
	struct cache_use c = { .index = b->index,
			       .path = path,
			       .eyes = &init_clone_eyes,
			       .image = u->image };
	struct cache_spec s;
	int rc = parse(&s, b->cmd.cache, d);

	if (!rc)
		rc = image_of(u->image, b, &s, d);
	if (!rc)
		rc = init_clone_await(path, s.to.device, d);
	if (rc)
		return rc;
	divert_udev(b);
	if (b->cache.failed)
		return NBD_OK;
	rc = cache_use(&c, d);
	if (rc < 0) {
		boot_say("cache: nothing is read from %s: %s", path, d->text);
		return NBD_OK;
	}
	u->half = rc;
	boot_say("cache: %s has %llu KiB of this image in %u extents", path,
		 (unsigned long long)c.sectors / 2, c.extents);
	return NBD_OK;
}

static int reset_in_child(void *data, struct nbd_diag *d)
{
	struct prefetch_root r = init_fetcher_root(((struct use *)data)->b);

	return mapper_reset(r.index, r.below, d);
}

static const char *why_not(const struct boot *b, const struct prefetch_root *r)
{
	struct cache_spec s;

	if (b->cmd.clone)
		return "the root moves to a disk (nbdboot.clone)";
	if (init_prefetch_is_written(r))
		return "the root may be written to (nbdboot.overlay keeps "
		       "changes in RAM)";
	if (!b->cmd.roothash && !parse(&s, b->cmd.cache, NULL) && !s.image[0])
		return "neither roothash= nor \"image=\" says which image this "
		       "is";
	return NULL;
}

/* Whatever becomes of it, the boot goes on. */
static void use(struct boot *b)
{
	struct use u = { .b = b, .half = -1 };
	struct prefetch_root r = init_fetcher_root(b);
	struct nbd_diag d;

	b->cache.half = -1;
	b->cache.image[0] = '\0';
	if (!b->cmd.cache || !b->fetcher.below[0])
		return;
	if (why_not(b, &r)) {
		boot_say(WORD_CACHE ": no effect: %s", why_not(b, &r));
		return;
	}
	if (process_run(use_in_child, &u, sizeof(u), "look at the cache",
			STEP_READ_MS, &d)) {
		boot_say(WORD_CACHE ": no effect: %s", d.text);
		/* it may have died while it changed the table */
		process_run(reset_in_child, &u, sizeof(u), "map", STEP_READ_MS,
			    &d);
		return;
	}
	memcpy(b->cache.image, u.image, sizeof(b->cache.image));
	b->cache.half = u.half;
	/* a list is for what is not there yet */
	if (u.half >= 0)
		b->fetcher.found = true;
}

static int do_early(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (init_fetcher_is_early(b))
		use(b);
	return NBD_OK;
}

static int do_mounted(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (!init_fetcher_is_early(b))
		use(b);
	return NBD_OK;
}

/* The next try goes without what may have been the reason. */
static int undo(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->cache.half >= 0)
		b->cache.failed = true;
	b->cache.half = -1;
	b->cache.image[0] = '\0';
	return NBD_OK;
}

/* ---- the process that fills it ---- */

static int do_fill(struct boot *b, struct nbd_diag *d)
{
	struct cacher *c = &b->cache;
	struct spawner by = b->by;
	char device[CACHE_WORD];

	(void)d;
	if (!c->image[0])
		return NBD_OK;
	nbd_fmt(device, sizeof(device), "%s", b->cmd.cache);
	nbd_fmt(c->option, sizeof(c->option),
		c->half < 0 ? "--image=%s" : "--image=%s,%d", c->image,
		c->half);
	by.word = device;
	init_spawn_start(&c->process, "cache", c->option, b->index, &by);
	if (!init_spawn_ready(&c->process))
		boot_say(WORD_CACHE
			 ": nothing is kept of this boot: its process "
			 "did not start");
	return NBD_OK;
}

const struct step init_cacher_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check " WORD_CACHE "=",
	.when = STEP_ONCE,
};

const struct step init_cacher_step = {
	.name = "cache",
	.run = do_early,
	.undo = undo,
	.hint = "",
};

const struct step init_cacher_mounted_step = {
	.name = "cache",
	.run = do_mounted,
	.hint = "",
};

const struct step init_cacher_fill_step = {
	.name = "cache",
	.run = do_fill,
	.process = offsetof(struct boot, cache.process),
	.hint = "",
};
