/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot of a root far away:
 *
 *	near? --no--> map one to one -> learn
 *	      -> [list in the initramfs, or behind the image?]
 *	      -> mount -> [list in the root?]
 *	      -> fetch -> linear targets -> init
 *	      --yes-> learn -> mount -> init
 *
 * None of it is needed: each failure has a message, and the boot goes on.
 */
#include "boot/init/prefetch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/super.h"
#include "boot/mapper/mapper.h"
#include "boot/prefetch/distance.h"
#include "boot/prefetch/fetch.h"
#include "boot/prefetch/learn.h"
#include "boot/words/boolean.h"
#include "core/nbd_uri.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/inside.h"
#include "port/linux/module.h"
#include "port/posix/open.h"

#define WORD	    "nbdboot.prefetch"
/* The longest time of a read that it names. */
#define MOST_MS	    60000u
/* ms for the fetch, and of it without an answer: an outage. */
#define FETCH_MS    60000
#define QUIET_MS    5000
/* Bytes in which most superblocks are. */
#define SUPER_BYTES 16384

/* ---- the word ---- */

/* Sets us to what a read takes at least where it fetches.  False: anywhere. */
static bool takes_limit(const char *word, uint32_t *us)
{
	const char *p = word;
	uint64_t ms;

	*us = PREFETCH_FAR_MS * 1000;
	if (!word || !*word || !strcmp(word, "auto") ||
	    boot_words_boolean(word) == 1)
		return true;
	if (!nbd_take_number(&p, p + strlen(p), MOST_MS, &ms) ||
	    strcmp(p, "ms") != 0)
		return false;
	*us = (uint32_t)ms * 1000;
	return true;
}

bool init_prefetch_is_wanted(const char *word)
{
	uint32_t us;

	if (!word)
		return !access(PREFETCH_OURS, F_OK);
	if (takes_limit(word, &us) || *word == '/' || nbd_is_uri(word))
		return true;
	if (boot_words_boolean(word))
		boot_say(WORD "=%s has no effect: it is not 0, auto, a time as "
			      "2ms, the path of a list in the initramfs, or "
			      "nbd://HOST/EXPORT",
			 word);
	return false;
}

/* A number, for learn.c. */
static void leave(int run, const char *name, uint64_t value)
{
	char number[24];
	int n = nbd_fmt(number, sizeof(number), "%llu\n",
			(unsigned long long)value);

	file_write(run, name, number, (size_t)n);
}

bool init_prefetch_is_needless(const char *word, uint32_t us)
{
	uint32_t limit;
	int run;

	if (!takes_limit(word, &limit) || !us || us >= limit)
		return false;
	boot_say("prefetch: nothing is fetched, as the server answers a read "
		 "in %u.%u ms, less than %u (" WORD
		 "=0ms fetches nevertheless)",
		 us / 1000, us / 100 % 10, limit / 1000);
	run = file_run();
	if (run >= 0) {
		leave(run, PREFETCH_NEAR, us);
		close(run);
	}
	return true;
}

/* ---- the mapping ---- */

bool init_prefetch_is_read_only(const char *disk)
{
	char sys[64];

	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/ro", disk);
	return file_number(AT_FDCWD, sys);
}

bool init_prefetch_is_written(const struct prefetch_root *r)
{
	return !r->overlay && !r->verified &&
	       !init_prefetch_is_read_only(r->disk);
}

/* The mapping gets that of the disk. */
static void read_ahead(const struct prefetch_root *r, const char *dev)
{
	char sys[80], value[24];
	int n;

	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/queue/read_ahead_kb", r->disk);
	n = file_read(AT_FDCWD, sys, value, sizeof(value));
	nbd_fmt(sys, sizeof(sys), "/sys/block/%s/queue/read_ahead_kb", dev + 5);
	if (n > 0)
		file_write(AT_FDCWD, sys, value, (size_t)n);
}

bool init_prefetch_map(const struct prefetch_root *r, char dev[64])
{
	struct nbd_diag d;

	if (mapper_put(r->index, dev, &d)) {
		boot_say(WORD ": no effect: %s", d.text);
		return false;
	}
	init_udev_hide();
	read_ahead(r, dev);
	return true;
}

void init_prefetch_unmap(int index)
{
	struct nbd_diag d;

	if (mapper_take(index, &d))
		boot_say("%s", d.text);
}

/* ---- the list ---- */

void init_prefetch_image(char image[64], int fd)
{
	struct super s;

	if (init_super_read(&s, fd))
		nbd_fmt(image, 64, "-");
	else
		nbd_fmt(image, 64, "%s:%s", s.type, s.uuid);
}

int init_prefetch_read(struct prefetch_list *l, int fd, const char *name,
		       struct nbd_diag *d)
{
	/* of a child or a command; too large for a stack */
	static char text[PREFETCH_FILE];
	size_t len = 0;
	ssize_t n;
	int rc;

	while ((n = read(fd, text + len, sizeof(text) - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (n < 0)
		return nbd_diag(d, file_error(errno), "%s: %s", name,
				strerror(errno));
	rc = prefetch_parse(l, text, len, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", name) : NBD_OK;
}

/* One that is not a regular file is no list; links stay in the root. */
static int open_in_root(const char *root)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return -1;
	/* ENOSYS before Linux 5.6: there it is not looked for */
	fd = inside_open_file(dir, PREFETCH_ROOTS);
	close(dir);
	return fd;
}

/* What is verified ends before it. */
static int find_behind(struct prefetch_list *l, const struct prefetch_root *r,
		       struct nbd_diag *d)
{
	int fd = r->verified ? -1 : open(r->below, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return NBD_E_NOT_FOUND;
	rc = init_prefetch_tail(l, fd, d);
	close(fd);
	return rc;
}

/* NBD_E_NOT_FOUND: there is none here. */
static int find_list(struct prefetch_list *l, const struct prefetch_root *r,
		     const char *word, bool mounted, struct nbd_diag *d)
{
	bool named = word && *word == '/';
	const char *name = named ? word : PREFETCH_OURS, *why = "";
	struct stat st;
	int fd;

	if (word && nbd_is_uri(word))
		return mounted ? NBD_E_NOT_FOUND
			       : init_prefetch_ask(l, r->boot, word, d);
	if (mounted) {
		name = PREFETCH_ROOTS;
		fd = open_in_root(r->where);
	} else {
		fd = open_plain(name, &st, &why);
	}
	if (fd >= 0)
		return init_prefetch_read(l, fd, name, d);
	/* a file that is named has to be there */
	if (named && !mounted)
		return nbd_diag(d, NBD_E_USAGE, "%s: %s", name, why);
	return named || mounted ? NBD_E_NOT_FOUND : find_behind(l, r, d);
}

/* ---- the fetch ---- */

/* 32 KiB: too large for a stack. */
struct copies {
	struct prefetch_fetched f;
	uint64_t writes; /* of the mapping before the first was read */
};

struct swap {
	int index;
	const char *below;
	char ram[24]; /* the number of what has the copies */
	char *table;
	size_t cap;
};

/* The process that ends the mirror has read what it was, and sets it again. */
static void throttle_nothing(int index)
{
	char path[64];

	nbd_fmt(path, sizeof(path), "/sys/block/nbd%d/" MAPPER_WBT, index);
	file_write(AT_FDCWD, path, "0", 1);
}

/* Prints the table, of which the copies are those of the device `ram`. */
static int load(const struct prefetch_list *l, const struct copies *c,
		struct dm *dm, struct swap *s, struct nbd_diag *d)
{
	char mirror[PREFETCH_MIRROR];
	int rc;

	if (c->f.writable) {
		prefetch_mirror(l, s->ram, s->below, mirror);
		rc = mapper_beside(dm, MAPPER_MIRROR, s->index, mirror, false,
				   s->ram, d);
		if (rc)
			return rc;
	}
	prefetch_table(l, &c->f, s->ram, s->below, s->table, s->cap);
	/* requests of the root may be held: no time to be killed */
	file_write(AT_FDCWD, "/proc/self/oom_score_adj", "-1000", 5);
	if (!c->f.writable)
		return mapper_set(dm, s->index, s->table, true, d);
	throttle_nothing(s->index);
	rc = mapper_set_copies(dm, s->index, s->table, c->writes, d);
	if (rc)
		mapper_take_beside(dm, s->index);
	return rc;
}

static int swap_table(struct prefetch_list *l, const struct copies *c,
		      const struct prefetch_root *r, const char *below,
		      struct nbd_diag *d)
{
	struct swap s = { .index = r->index,
			  .below = below,
			  .cap = PREFETCH_TABLE(l->n) };
	struct dm dm;
	char path[32];
	int rc;

	s.table = mmap(NULL, s.cap, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s.table == MAP_FAILED)
		return nbd_diag(d, NBD_E_NO_MEMORY, "%zu bytes for a table",
				s.cap);
	nbd_fmt(path, sizeof(path), "/sys/block/%s/dev", c->f.disk);
	file_read(AT_FDCWD, path, s.ram, sizeof(s.ram));
	s.ram[strcspn(s.ram, "\n")] = '\0';
	rc = dm_open(&dm, DM_ROOM + s.cap, d);
	if (!rc) {
		rc = load(l, c, &dm, &s, d);
		dm_close(&dm);
	}
	munmap(s.table, s.cap);
	/* whatever it has left, nothing may be held */
	if (rc)
		mapper_reset(r->index, r->below, NULL);
	return rc;
}

/* A write to RAM alone would be lost: what is written to is mirrored. */
static int begin_copies(struct copies *c, struct prefetch_list *l, int index,
			struct nbd_diag *d)
{
	struct dm dm;
	int rc = dm_open(&dm, DM_ROOM, d);

	if (rc)
		return rc;
	prefetch_reduce(l, PREFETCH_WRITTEN);
	rc = mapper_writes(&dm, index, &c->writes, d);
	dm_close(&dm);
	return rc;
}

/* What a list has to be of. */
struct image {
	const struct prefetch_list *l;
	int disk;
	uint64_t sectors;
	bool writable; /* its copies need a mirror */
};

static int check_image(void *ctx, struct nbd_diag *d)
{
	const struct image *i = ctx;
	char image[64];
	int rc;

	init_prefetch_image(image, i->disk);
	rc = prefetch_is_of(i->l, image, i->sectors, d);
	return rc || !i->writable ? rc : mod_load("dm_mirror", "", d);
}

/*
 * One exchange with the server for both: its superblock is asked for first, and
 * looked at when the first answers have come.
 */
static int fetch_into(struct copies *c, struct prefetch_list *l,
		      const struct prefetch_root *r, struct image *i,
		      struct nbd_diag *d)
{
	const struct prefetch_limits limits = {
		.bytes = file_meminfo("MemAvailable:") / 8 << 10,
		.ms = FETCH_MS,
		.quiet_ms = QUIET_MS,
		.writable = i->writable,
		.check = check_image,
		.ctx = i,
	};
	int rc = i->writable ? begin_copies(c, l, r->index, d) : NBD_OK;

	if (rc)
		return rc;
	posix_fadvise(i->disk, 0, SUPER_BYTES, POSIX_FADV_WILLNEED);
	return prefetch_fetch(l, r->below, &limits, &c->f, d);
}

/* As fetch_into(); of one of another size nothing is fetched. */
static int fetch_checked(struct copies *c, struct prefetch_list *l,
			 const struct prefetch_root *r, uint64_t sectors,
			 struct nbd_diag *d)
{
	/* the mapping, or what verifies it: nothing else may be looked at */
	struct image i = { .l = l,
			   .disk = open(r->dev, O_RDONLY | O_CLOEXEC),
			   .sectors = sectors,
			   .writable = init_prefetch_is_written(r) };
	int rc;

	if (i.disk < 0)
		return nbd_diag(d, NBD_E_NO_DEVICE, "open %s: %s", r->dev,
				strerror(errno));
	rc = l->sectors == sectors ? fetch_into(c, l, r, &i, d)
				   : check_image(&i, d);
	close(i.disk);
	return rc;
}

/* For learn.c, and the list of this boot unless that can trace it. */
static void keep_list(const struct prefetch_list *l, uint64_t kib)
{
	/* of a child process; too large for a stack */
	static char text[PREFETCH_FILE];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	int run = file_run();

	if (run < 0)
		return;
	prefetch_print(l, &o);
	if (!o.cut)
		file_write(run, PREFETCH_LEARNT, text, o.len);
	leave(run, PREFETCH_RAM, kib);
	close(run);
}

/* Ends when the caller does. */
static int await_go(int go, struct nbd_diag *d)
{
	char byte;

	return read(go, &byte, 1) == 1
		       ? NBD_OK
		       : nbd_diag(d, NBD_E_NOT_FOUND,
				  "no process would free what is fetched");
}

static int fetch(struct prefetch_list *l, const struct prefetch_root *r, int go,
		 struct nbd_diag *d)
{
	/* of a child process; too large for a stack */
	static struct copies c;
	char dev[MAPPER_PATH], below[MAPPER_PATH];
	uint64_t began = nbd_now_ms(), sectors;
	int rc = mapper_below(r->index, dev, below, &sectors, d);

	if (!rc)
		rc = fetch_checked(&c, l, r, sectors, d);
	if (rc)
		return rc;
	rc = await_go(go, d);
	if (!rc)
		rc = swap_table(l, &c, r, below, d);
	close(c.f.loop);
	if (rc)
		return rc;
	keep_list(l, c.f.bytes >> 10);
	boot_say("prefetch: %llu KiB in %u extents fetched in %u ms%s",
		 (unsigned long long)c.f.bytes >> 10, l->n,
		 (unsigned)(nbd_now_ms() - began),
		 c.f.missed ? ", and others not in time" : "");
	return NBD_OK;
}

bool init_prefetch_fetch(const struct prefetch_root *r, const char *word,
			 bool mounted, int go)
{
	/* of a child process; too large for a stack */
	static struct prefetch_list list;
	struct nbd_diag d;
	int rc = find_list(&list, r, word, mounted, &d);

	if (rc == NBD_E_NOT_FOUND)
		return false;
	if (!rc)
		rc = fetch(&list, r, go, &d);
	if (rc)
		boot_say("prefetch: no effect: %s", d.text);
	return true;
}
