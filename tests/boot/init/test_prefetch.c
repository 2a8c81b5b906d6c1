/* SPDX-License-Identifier: BSD-2-Clause */
/* When a root is mapped, which list is taken, and what becomes of it. */
#include "boot/init/prefetch.h"
#include "boot/init/super.h"
#include "boot/mapper/mapper.h"
#include "boot/prefetch/fetch.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/say.h"
#include "tests/world/module.h"
#include "tests/world/path.h"
#include "tests/world/dm.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST	 "nbdboot-prefetch 1\nimage 4096 ext4:1-2\n64 8\nend 1\n"
#define ANOTHERS "nbdboot-prefetch 1\nimage 4096 ext4:1-3\n64 8\nend 1\n"

#define READ_ONLY "/sys/block/nbd0/ro"
#define WBT	  "/sys/block/nbd0/queue/wbt_lat_usec"

static struct play {
	int mirrors; /* beside the mapping */
	unsigned hides;
	bool ours;	    /* the initramfs has a list */
	bool read_only;	    /* the device is */
	bool alone;	    /* no process would free what is fetched */
	int put, get, load; /* results */
	int ask;
	/* what was done */
	unsigned puts, fetches, loads, resets;
	char asked[64];
} play;

static char root[] = "/tmp/nbdboot-prefetch-XXXXXX";
static char list_of_root[128];

int __wrap_mapper_put(int index, char path[MAPPER_PATH], struct nbd_diag *d);
int __wrap_mapper_put(int index, char path[MAPPER_PATH], struct nbd_diag *d)
{
	assert_int_equal(index, 0);
	play.puts++;
	if (play.put)
		return nbd_diag(d, play.put, "no dm_mod");
	strcpy(path, "/dev/dm-0");
	return NBD_OK;
}

int __wrap_mapper_reset(int index, const char *path, struct nbd_diag *d);
int __wrap_mapper_reset(int index, const char *path, struct nbd_diag *d)
{
	(void)index, (void)d;
	assert_string_equal(path, "/dev/nbd0p2");
	play.resets++;
	return NBD_OK;
}

int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *d);
int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *d)
{
	(void)index, (void)d;
	strcpy(path, "/dev/null");
	strcpy(below, "43:0");
	*sectors = 4096;
	return NBD_OK;
}

int __wrap_init_super_read(struct super *s, int fd);
int __wrap_init_super_read(struct super *s, int fd)
{
	(void)fd;
	s->type = "ext4";
	strcpy(s->uuid, "1-2");
	return NBD_OK;
}

int __wrap_prefetch_fetch(struct prefetch_list *l, const char *dev,
			  const struct prefetch_limits *limits,
			  struct prefetch_fetched *f, struct nbd_diag *d);
int __wrap_prefetch_fetch(struct prefetch_list *l, const char *dev,
			  const struct prefetch_limits *limits,
			  struct prefetch_fetched *f, struct nbd_diag *d)
{
	int rc = limits->check(limits->ctx, d);

	/* the first answers have come */
	if (rc)
		return rc;
	play.fetches++;
	assert_string_equal(dev, "/dev/nbd0p2");
	/* an eighth of what is available */
	assert_int_equal(limits->bytes, 100 << 10);
	f->writable = limits->writable;
	f->loop = dup(0);
	strcpy(f->disk, "loop3");
	f->bytes = l->n * 4096;
	f->at[0] = f->writable ? l->e[0].start : 0;
	return play.get ? nbd_diag(d, play.get, "no answer") : NBD_OK;
}

static void maps(char what, const char *name)
{
	if (what == 'l')
		assert_string_equal(name, "nbdboot-nbd0");
	play.loads += what == 'r';
}

int __wrap_mapper_set_copies(struct dm *m, int index, const char *table,
			     uint64_t writes, struct nbd_diag *d);
int __wrap_mapper_set_copies(struct dm *m, int index, const char *table,
			     uint64_t writes, struct nbd_diag *d)
{
	(void)m;
	assert_int_equal(index, 0);
	/* as many as before the fetch */
	assert_int_equal(writes, 5);
	nbd_fmt(world.table, sizeof(world.table), "%s", table);
	if (play.load)
		return nbd_diag(d, play.load, "written to meanwhile");
	play.loads++;
	return NBD_OK;
}

int __wrap_mapper_beside(struct dm *m, const char *kind, int index,
			 const char *table, bool read_only, char number[24],
			 struct nbd_diag *d);
int __wrap_mapper_beside(struct dm *m, const char *kind, int index,
			 const char *table, bool read_only, char number[24],
			 struct nbd_diag *d)
{
	(void)m, (void)d;
	assert_string_equal(kind, "mirror");
	assert_int_equal(index, 0);
	assert_string_equal(table, "0 4096 mirror core 2 2048 nosync 2 7:3 0 "
				   "43:0 0 1 handle_errors\n");
	assert_false(read_only);
	strcpy(number, "253:1");
	play.mirrors++;
	return NBD_OK;
}

void __wrap_mapper_take_beside(struct dm *m, int index);
void __wrap_mapper_take_beside(struct dm *m, int index)
{
	(void)m;
	assert_int_equal(index, 0);
	play.mirrors--;
}

void __wrap_init_udev_hide(void);
void __wrap_init_udev_hide(void)
{
	play.hides++;
}

int __wrap_mapper_writes(struct dm *m, int index, uint64_t *writes,
			 struct nbd_diag *d);
int __wrap_mapper_writes(struct dm *m, int index, uint64_t *writes,
			 struct nbd_diag *d)
{
	(void)m, (void)index, (void)d;
	*writes = 5 + play.fetches;
	return NBD_OK;
}

/* A server has the list that is in the root, too. */
int __wrap_init_prefetch_ask(struct prefetch_list *l, const struct boot *b,
			     const char *uri, struct nbd_diag *d);
int __wrap_init_prefetch_ask(struct prefetch_list *l, const struct boot *b,
			     const char *uri, struct nbd_diag *d)
{
	(void)b;
	snprintf(play.asked, sizeof(play.asked), "%s", uri);
	return play.ask ? nbd_diag(d, play.ask, "it has 0 bytes")
			: prefetch_parse(l, LIST, strlen(LIST), d);
}

static struct prefetch_root r = { .index = 0,
				  .disk = "nbd0",
				  .below = "/dev/nbd0p2",
				  .dev = "/dev/null",
				  .where = root };

static void begin(struct play p)
{
	play = p;
	world = (struct world){ .others = WORLD_REAL,
				.load_error = p.load,
				.dm = maps };
	world_file(PREFETCH_OURS, p.ours ? "" : NULL);
	world_file(READ_ONLY, p.read_only ? "1\n" : "0\n");
	world_file("/sys/block/loop3/dev", "7:3\n");
	world_file("/proc/meminfo", "MemAvailable:    800 kB\n");
	/* this process stays as it is */
	world_file("/proc/self/oom_score_adj", "0\n");
}

static void put_list(const char *text)
{
	unlink(list_of_root);
	if (text)
		assert_int_equal(file_save(AT_FDCWD, list_of_root, text,
					   strlen(text)),
				 0);
}

static void a_root_is_mapped_only_if_that_is_wanted(void **state)
{
	static const struct {
		const char *word;
		bool ours, read_only, overlay, mapped, verified;
		const char *said;
	} cases[] = {
		{ NULL, false, true, false, false, false, "" },
		{ NULL, true, true, false, true, false, "" },
		{ "0", true, true, false, false, false, "" },
		{ "", false, true, false, true, false, "" },
		{ "auto", false, false, true, true, false, "" },
		{ "/list", false, false, true, true, false, "" },
		{ "nbd://h/list", false, false, true, true, false, "" },
		{ "", false, false, false, true, true, "" },
		{ "yes", false, false, true, true, false, "" },
		{ "no", true, true, false, false, false, "" },
		{ "maybe", true, true, true, false, false, "has no effect" },
		{ "0ms", false, false, true, true, false, "" },
		{ "60000ms", false, false, true, true, false, "" },
		{ "60001ms", true, true, true, false, false, "has no effect" },
		{ "2", true, true, true, false, false, "has no effect" },
		{ "2ms ", true, true, true, false, false, "has no effect" },
		{ "-2ms", true, true, true, false, false, "has no effect" },
		{ "", true, false, false, true, false, "" },
	};
	char dev[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin((struct play){ .ours = cases[i].ours,
				     .read_only = cases[i].read_only });
		r.overlay = cases[i].overlay;
		r.verified = cases[i].verified;
		strcpy(dev, "/dev/nbd0p2");
		assert_int_equal(init_prefetch_is_wanted(cases[i].word) &&
					 init_prefetch_map(&r, dev),
				 cases[i].mapped);
		assert_int_equal(play.puts, cases[i].mapped);
		assert_int_equal(play.hides, cases[i].mapped);
		assert_string_equal(dev, cases[i].mapped ? "/dev/dm-0"
							 : "/dev/nbd0p2");
		assert_non_null(strstr(world.said, cases[i].said));
		if (!cases[i].said[0])
			assert_string_equal(world.said, "");
	}
	begin((struct play){ .put = NBD_E_NOT_FOUND, .read_only = true });
	assert_false(init_prefetch_map(&r, dev));
	assert_non_null(strstr(world.said, "no effect: no dm_mod"));
}

static void a_server_that_answers_soon_needs_no_fetch(void **state)
{
	static const struct {
		const char *word;
		uint32_t us;
		bool needless;
	} cases[] = {
		{ "", 1999, true },
		{ "auto", 1999, true },
		{ NULL, 1, true },
		{ "", 2000, false },
		/* it is not known */
		{ "", 0, false },
		{ "60000ms", 0, false },
		{ "0ms", 1, false },
		{ "60000ms", 59999999, true },
		{ "60000ms", 60000000, false },
		/* to be fetched wherever the server is */
		{ "/list", 1, false },
		{ "nbd://h/list", 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin((struct play){ 0 });
		assert_int_equal(init_prefetch_is_needless(cases[i].word,
							   cases[i].us),
				 cases[i].needless);
		assert_int_equal(!world.said[0], !cases[i].needless);
	}
	init_prefetch_is_needless(NULL, 1750);
	assert_non_null(strstr(world.said, "a read in 1.7 ms, less than 2 ("));
}

static bool fetch(const char *word, bool mounted)
{
	bool found;
	int go[2];

	assert_int_equal(pipe(go), 0);
	if (!play.alone)
		assert_int_equal(write(go[1], "", 1), 1);
	close(go[1]);
	found = init_prefetch_fetch(&r, word, mounted, go[0]);
	close(go[0]);
	return found;
}

static void the_list_of_the_root_is_fetched(void **state)
{
	(void)state;
	begin((struct play){ .read_only = true });
	world_file(WBT, "2000\n");
	put_list(LIST);
	/* only when the root is mounted */
	assert_false(fetch("", false));
	assert_int_equal(play.fetches, 0);
	assert_true(fetch("", true));
	assert_string_equal(world.table, "0 64 linear 43:0 0\n"
					 "64 8 linear 7:3 0\n"
					 "72 4024 linear 43:0 72\n");
	assert_true(world.table_read_only);
	assert_int_equal(play.loads, 1);
	assert_null(strstr(world.written, WBT));
	assert_non_null(strstr(world.said, "4 KiB in 1 extents fetched"));
}

static void a_writable_root_is_mirrored_if_nothing_was_written(void **state)
{
	(void)state;
	begin((struct play){ 0 });
	world_file(WBT, "2000\n");
	r.overlay = r.verified = false;
	put_list(LIST);
	assert_true(fetch("", true));
	assert_string_equal(world.table, "0 64 linear 43:0 0\n"
					 "64 8 linear 253:1 64\n"
					 "72 4024 linear 43:0 72\n");
	assert_int_equal(play.loads, 1);
	assert_int_equal(play.mirrors, 1);
	assert_non_null(strstr(world.written, WBT " = 0\n"));
	begin((struct play){ .load = NBD_E_MISMATCH });
	assert_true(fetch("", true));
	assert_int_equal(play.mirrors, 0);
	assert_non_null(strstr(world.said, "no effect: written to meanwhile"));
	begin((struct play){ 0 });
	world.no_module = NBD_E_NOT_FOUND;
	assert_true(fetch("", true));
	assert_non_null(strstr(world.said, "no effect: no module dm_mirror"));
	assert_int_equal(play.fetches, 0);
}

static void a_file_that_is_named_has_to_be_there(void **state)
{
	(void)state;
	begin((struct play){ 0 });
	put_list(LIST);
	assert_true(fetch("/nowhere/list", false));
	assert_non_null(strstr(world.said, "no effect: /nowhere/list: "));
	assert_true(fetch(list_of_root, false));
	assert_int_equal(play.loads, 1);
}

static void a_list_of_a_server_is_asked_for_before_the_mount(void **state)
{
	const char *uri = "nbd://10.0.2.2/list";

	(void)state;
	begin((struct play){ .read_only = true });
	put_list(LIST);
	assert_true(fetch(uri, false));
	assert_string_equal(play.asked, uri);
	assert_int_equal(play.loads, 1);
	/* what is in the root is another one */
	assert_false(fetch(uri, true));
	begin((struct play){ .ask = NBD_E_RANGE });
	assert_true(fetch(uri, false));
	assert_non_null(strstr(world.said, "no effect: it has 0 bytes"));
	assert_int_equal(play.fetches, 0);
}

static void what_cannot_be_used_costs_a_line(void **state)
{
	static const struct {
		const char *list;
		struct play play;
		const char *said;
		unsigned fetches, resets;
	} cases[] = {
		{ "", { 0 }, "prefetch: line 1 of the list", 0, 0 },
		{ ANOTHERS, { 0 }, "the list is of ext4:1-3", 0, 0 },
		{ LIST, { .get = NBD_E_TIMEOUT }, "no effect: no answer", 1, 0 },
		/* whatever the swap has left */
		{ LIST, { .load = NBD_E_KERNEL }, "no effect: refused", 1, 1 },
		{ LIST, { .alone = true }, "no process would free", 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].play);
		world_file(READ_ONLY, "1\n");
		put_list(cases[i].list);
		assert_true(fetch("", true));
		assert_non_null(strstr(world.said, cases[i].said));
		assert_int_equal(play.fetches, cases[i].fetches);
		assert_int_equal(play.resets, cases[i].resets);
		assert_int_equal(play.loads, 0);
	}
}

/* What an image names could be a file of the initramfs, or never end. */
static void nothing_outside_of_the_root_is_opened(void **state)
{
	char outside[] = "/tmp/nbdboot-outside-XXXXXX";
	int fd = mkstemp(outside);

	(void)state;
	begin((struct play){ 0 });
	assert_int_equal(write(fd, LIST, strlen(LIST)), strlen(LIST));
	close(fd);
	put_list(NULL);
	assert_int_equal(symlink(outside, list_of_root), 0);
	assert_false(fetch("", true));
	put_list(NULL);
	assert_int_equal(mkfifo(list_of_root, 0600), 0);
	assert_false(fetch("", true));
	put_list(NULL);
	assert_false(fetch("", true));
	assert_int_equal(play.fetches, 0);
	assert_string_equal(world.said, "");
	unlink(outside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_is_mapped_only_if_that_is_wanted),
		cmocka_unit_test(a_server_that_answers_soon_needs_no_fetch),
		cmocka_unit_test(the_list_of_the_root_is_fetched),
		cmocka_unit_test(
			a_writable_root_is_mirrored_if_nothing_was_written),
		cmocka_unit_test(a_file_that_is_named_has_to_be_there),
		cmocka_unit_test(
			a_list_of_a_server_is_asked_for_before_the_mount),
		cmocka_unit_test(what_cannot_be_used_costs_a_line),
		cmocka_unit_test(nothing_outside_of_the_root_is_opened),
	};
	static const char *const made[] = { "/var/lib/nbdboot", "/var/lib",
					    "/var", "" };
	char clean[128];
	int rc;

	if (!mkdtemp(root))
		return 1;
	snprintf(list_of_root, sizeof(list_of_root), "%s" PREFETCH_ROOTS, root);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	put_list(NULL);
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		snprintf(clean, sizeof(clean), "%s%s", root, made[i]);
		rmdir(clean);
	}
	return rc;
}
