/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of nbd devices.  The device mapper is played. */
#include "boot/mapper/mapper.h"
#include "port/linux/dm.h"
#include "tests/unit.h"
#include "tests/world/path.h"
#include "tests/world/dm.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNTED "/sys/block/dm-7/queue/iostats"
#define QUEUED	"/sys/block/dm-7/stat"
#define AHEAD	"/sys/block/dm-7/queue/read_ahead_kb"

static struct play {
	int create, load, resume, remove; /* results */
	const char *table;		  /* that the kernel shows */
	const char *name;		  /* of the one that is made */
	const char *names[3];		  /* of mappings; NULL: the end */
	const char *needs[3];		  /* is busy while this one exists */
	bool status;			  /* is asked for, not the table */
	bool busy[3];
	int hold;	  /* a result */
	const char *stat; /* of the mapping in use */
	bool uncounted;	  /* the kernel counts no requests */
	/* what was done, a letter each */
	char done[32];
} play;

static struct nbd_diag d;

static void note(char c)
{
	play.done[strlen(play.done)] = c;
}

static void looks(const char *name)
{
	if (!strcmp(name, QUEUED))
		note('s');
}

static void counts(const char *name, const char *text)
{
	assert_string_equal(name, COUNTED);
	assert_string_equal(text, "1");
	note('w');
}

static void maps(char what, const char *name)
{
	if (what == 'l')
		assert_string_equal(name,
				    play.name ? play.name : "nbdboot-nbd0");
	note(what);
}

static void begin(struct play p)
{
	play = p;
	world = (struct world){ .read = looks,
				.wrote = counts,
				.dm = maps,
				.dm_found = p.table ? 7 : 0,
				.load_error = p.load,
				.resume_error = p.resume };
	world_device("/dev/nbd0p2", 43, 2);
	world_file("/dev/null", "");
	world_file("/sys/dev/block/43:2/size", "2048\n");
	world_file("/sys/dev/block/43:2/ro", "1\n");
	world_file(COUNTED, p.uncounted ? "0\n" : "1\n");
	world_file(QUEUED, p.stat);
	world_file(AHEAD, NULL);
	world_file("/sys/module/dm_mod", p.names[0] ? "" : NULL);
}

int __wrap_dm_hold(struct dm *m, const char *name, struct nbd_diag *dg);
int __wrap_dm_hold(struct dm *m, const char *name, struct nbd_diag *dg)
{
	(void)m, (void)dg;
	assert_string_equal(name, "nbdboot-nbd0");
	note('h');
	return play.hold;
}

void __wrap_dm_clear(struct dm *m, const char *name);
void __wrap_dm_clear(struct dm *m, const char *name)
{
	(void)m;
	assert_string_equal(name, "nbdboot-nbd0");
	note('x');
}

int __wrap_dm_create(struct dm *m, const char *name, struct nbd_diag *dg);
int __wrap_dm_create(struct dm *m, const char *name, struct nbd_diag *dg)
{
	(void)m, (void)dg;
	assert_string_equal(name, play.name ? play.name : "nbdboot-nbd0");
	note('c');
	return play.create ? play.create : 7;
}

int __wrap_dm_text(struct dm *m, const char *name, bool status, char *text,
		   size_t cap, struct nbd_diag *dg);
int __wrap_dm_text(struct dm *m, const char *name, bool status, char *text,
		   size_t cap, struct nbd_diag *dg)
{
	(void)m, (void)name, (void)dg;
	assert_true(status == play.status);
	if (!play.table || strlen(play.table) >= cap)
		return play.table ? NBD_E_NO_MEMORY : NBD_E_NOT_FOUND;
	return nbd_fmt(text, cap, "%s", play.table);
}

static bool is_there(const char *name)
{
	bool found = false;

	for (unsigned i = 0; name && i < 3 && play.names[i]; i++)
		found |= !strcmp(play.names[i], name);
	return found;
}

int __wrap_dm_remove(struct dm *m, const char *name, struct nbd_diag *dg);
int __wrap_dm_remove(struct dm *m, const char *name, struct nbd_diag *dg)
{
	unsigned i;

	(void)m;
	note('-');
	for (i = 0; i < 3 && play.names[i]; i++) {
		if (strcmp(play.names[i], name) != 0)
			continue;
		if (play.busy[i] || is_there(play.needs[i]))
			return nbd_diag(dg, NBD_E_IN_USE, "%s is busy", name);
		memmove(play.names + i, play.names + i + 1,
			(2 - i) * sizeof(play.names[0]));
		memmove(play.busy + i, play.busy + i + 1, 2 - i);
		memmove(play.needs + i, play.needs + i + 1,
			(2 - i) * sizeof(play.needs[0]));
		play.names[2] = NULL;
		return NBD_OK;
	}
	return NBD_E_NOT_FOUND;
}

int __wrap_dm_nth(struct dm *m, const char *prefix, unsigned n,
		  char name[DM_NAME], struct nbd_diag *dg);
int __wrap_dm_nth(struct dm *m, const char *prefix, unsigned n,
		  char name[DM_NAME], struct nbd_diag *dg)
{
	unsigned i;

	(void)m, (void)dg;
	for (i = 0; i < 3 && play.names[i]; i++) {
		if (strncmp(play.names[i], prefix, strlen(prefix)) != 0 || n--)
			continue;
		nbd_fmt(name, DM_NAME, "%s", play.names[i]);
		return NBD_OK;
	}
	return NBD_E_NOT_FOUND;
}

int __wrap_mapper_set_plain(struct dm *m, int index, const char *table,
			    bool read_only, struct nbd_diag *dg);
int __wrap_mapper_set_plain(struct dm *m, int index, const char *table,
			    bool read_only, struct nbd_diag *dg)
{
	(void)m, (void)dg;
	assert_int_equal(index, 0);
	assert_string_equal(table, "0 2048 linear 43:2 0\n");
	assert_true(read_only);
	note('p');
	return play.load;
}

static void a_partition_is_mapped_one_to_one(void **state)
{
	char path[MAPPER_PATH] = "/dev/nbd0p2";

	(void)state;
	begin((struct play){ 0 });
	assert_int_equal(mapper_put(0, path, &d), NBD_OK);
	assert_string_equal(path, "/dev/dm-7");
	assert_string_equal(world.table, "0 2048 linear 43:2 0\n");
	assert_true(world.table_read_only);
	/* what an earlier try has left goes first */
	assert_string_equal(play.done, "(-clr)");
}

static void a_mapping_becomes_one_to_one_again(void **state)
{
	(void)state;
	begin((struct play){ 0 });
	assert_int_equal(mapper_reset(0, "/dev/nbd0p2", &d), NBD_OK);
	assert_string_equal(play.done, "(p)");
	begin((struct play){ .load = NBD_E_PERM });
	assert_int_equal(mapper_reset(0, "/dev/nbd0p2", &d), NBD_E_PERM);
	assert_string_equal(play.done, "(p)");
	begin((struct play){ 0 });
	assert_int_equal(mapper_reset(0, "/dev/null", &d), NBD_E_NO_DEVICE);
	assert_string_equal(play.done, "");
}

static void a_failure_leaves_nothing(void **state)
{
	static const struct {
		struct play play;
		const char *done;
	} cases[] = {
		{ { .create = NBD_E_PERM }, "(-c)" },
		{ { .load = NBD_E_PERM }, "(-cl-)" },
		/* nothing may stay held, and no table wait */
		{ { .resume = NBD_E_PERM }, "(-clrxr-)" },
	};
	char path[MAPPER_PATH] = "/dev/nbd0p2";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].play);
		assert_int_equal(mapper_put(0, path, &d), NBD_E_PERM);
		assert_string_equal(path, "/dev/nbd0p2");
		assert_string_equal(play.done, cases[i].done);
	}
	begin((struct play){ 0 });
	strcpy(path, "/dev/null");
	assert_int_equal(mapper_put(0, path, &d), NBD_E_NO_DEVICE);
	assert_string_equal(play.done, "");
}

static void the_way_down_takes_all_that_are_free(void **state)
{
	(void)state;
	begin((struct play){
		.names = { "nbdboot-nbd0", "nbdboot-nbd1", "nbdboot-nbd2" },
		.busy = { false, true, false } });
	mapper_take_all();
	assert_string_equal(play.names[0], "nbdboot-nbd1");
	assert_null(play.names[1]);
	assert_int_equal(mapper_take(1, &d), NBD_E_IN_USE);
	play.busy[0] = false;
	assert_int_equal(mapper_take(1, &d), NBD_OK);
	/* the driver may not be there at all: it is not loaded for this */
	begin((struct play){ 0 });
	mapper_take_all();
	assert_int_equal(mapper_take(1, &d), NBD_E_NOT_FOUND);
	assert_string_equal(play.done, "");
}

static void a_cover_is_on_top_and_read_only(void **state)
{
	char path[MAPPER_PATH] = "";

	(void)state;
	begin((struct play){ .name = "nbdboot-verity-loop0" });
	assert_int_equal(mapper_cover("loop0", "0 8 verity 1\n", path, &d),
			 NBD_OK);
	assert_string_equal(path, "/dev/dm-7");
	assert_string_equal(world.table, "0 8 verity 1\n");
	assert_true(world.table_read_only);
	begin((struct play){ .names = { "nbdboot-verity-loop0" } });
	assert_int_equal(mapper_uncover("nbd0", &d), NBD_E_NOT_FOUND);
	assert_int_equal(mapper_uncover("loop0", &d), NBD_OK);
	assert_null(play.names[0]);
}

static void a_device_loses_its_cover_first(void **state)
{
	(void)state;
	begin((struct play){ .names = { "nbdboot-nbd1", "nbdboot-verity-nbd1" },
			     .needs = { "nbdboot-verity-nbd1" } });
	assert_int_equal(mapper_take(1, &d), NBD_OK);
	assert_null(play.names[0]);
	begin((struct play){ .names = { "nbdboot-verity-nbd1" } });
	assert_int_equal(mapper_take(1, &d), NBD_OK);
	assert_null(play.names[0]);
	begin((struct play){ .names = { "nbdboot-verity-nbd1" },
			     .busy = { true } });
	assert_int_equal(mapper_take(1, &d), NBD_E_IN_USE);
	begin((struct play){ .names = { "nbdboot-nbd1", "nbdboot-verity-nbd1" },
			     .needs = { "nbdboot-verity-nbd1" } });
	mapper_take_all();
	assert_null(play.names[0]);
}

static void a_cover_is_told_from_a_mapping(void **state)
{
	(void)state;
	begin((struct play){ .names = { "nbdboot-nbd1", "other-verity-x" } });
	assert_false(mapper_has_cover());
	begin((struct play){
		.names = { "nbdboot-nbd1", "nbdboot-verity-loop0" } });
	assert_true(mapper_has_cover());
}

static void a_wrong_block_is_known(void **state)
{
	(void)state;
	begin((struct play){
		.names = { "x" }, .status = true, .table = "0 8 verity V\n" });
	assert_false(mapper_is_corrupt("nbd0"));
	play.table = "0 8 verity C\n";
	assert_true(mapper_is_corrupt("nbd0"));
	/* with what error correction has done */
	play.table = "0 8 verity V -\n";
	assert_false(mapper_is_corrupt("nbd0"));
	play.table = "0 8 verity C -\n";
	assert_true(mapper_is_corrupt("nbd0"));
	play.table = "";
	assert_false(mapper_is_corrupt("nbd0"));
	begin((struct play){ .table = "" });
	assert_false(mapper_is_corrupt("nbd0"));
}

static void what_is_below_is_known(void **state)
{
	char path[MAPPER_PATH], below[MAPPER_PATH];
	uint64_t sectors;

	(void)state;
	begin((struct play){ .table = "0 2048 linear 43:2 0\n" });
	assert_int_equal(mapper_below(0, path, below, &sectors, &d), NBD_OK);
	assert_string_equal(path, "/dev/dm-7");
	assert_string_equal(below, "43:2");
	assert_int_equal(sectors, 2048);
	play.table = "0 8 verity 1 43:2\n";
	assert_int_equal(mapper_below(0, path, below, &sectors, &d),
			 NBD_E_KERNEL);
	/* a cache of one extent: the root is all three */
	play.table = "0 8 linear 43:2 0\n8 16 linear 253:1 0\n"
		     "24 2024 linear 43:2 24\n";
	assert_int_equal(mapper_below(0, path, below, &sectors, &d),
			 NBD_E_KERNEL);
	play.table = "0 2048 linear 43:2 8\n";
	assert_int_equal(mapper_below(0, path, below, &sectors, &d),
			 NBD_E_KERNEL);
	play.table = "8 8 linear 43:2 0\n";
	assert_int_equal(mapper_below(0, path, below, &sectors, &d),
			 NBD_E_KERNEL);
	play.table = NULL;
	world.dm_found = 0;
	assert_int_equal(mapper_below(0, path, below, &sectors, &d),
			 NBD_E_NOT_FOUND);
}

/* The number that the next descriptor gets. */
static int next_fd(void)
{
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void a_lock_that_is_another_s_leaves_nothing_open(void **state)
{
	char dir[] = "/tmp/test_mapper.XXXXXX";
	int run, fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	run = open(dir, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(run, "nbdboot", 0700), 0);
	assert_int_equal(mapper_lock(run, 0, true, &d), NBD_OK);
	fd = next_fd();
	assert_int_equal(mapper_lock(run, 0, false, &d), NBD_E_AGAIN);
	assert_int_equal(next_fd(), fd);
	assert_int_equal(unlinkat(run, "nbdboot/nbd0.table", 0), 0);
	assert_int_equal(unlinkat(run, "nbdboot", AT_REMOVEDIR), 0);
	close(run);
	assert_int_equal(rmdir(dir), 0);
}

#define STAT "  9 0 72 1  5 0 40 2  0 3 3  2 0 16 1  8 1\n"

static void copies_are_used_only_if_nothing_was_written(void **state)
{
	static const struct {
		struct play play;
		uint64_t writes;
		int rc;
		const char *done;
	} cases[] = {
		{ { .stat = STAT }, 7, NBD_OK, "lhsr" },
		/* a write, or a discard: the table before goes on */
		{ { .stat = STAT }, 6, NBD_E_MISMATCH, "lhsxr" },
		{ { .stat = STAT, .uncounted = true }, 7, NBD_E_KERNEL, "lhxr" },
		{ { .stat = "" }, 7, NBD_E_KERNEL, "lhsxr" },
		{ { .load = NBD_E_KERNEL }, 7, NBD_E_KERNEL, "l" },
		{ { .hold = NBD_E_INTERRUPTED }, 7, NBD_E_INTERRUPTED, "lhxr" },
		/* nothing may stay held */
		{ { .stat = STAT, .resume = NBD_E_KERNEL },
		  7,
		  NBD_E_KERNEL,
		  "lhsrxr" },
	};
	struct dm m = { 0 };
	uint64_t writes;

	(void)state;
	begin((struct play){ .stat = STAT, .table = "" });
	assert_int_equal(mapper_writes(&m, 0, &writes, &d), NBD_OK);
	assert_int_equal(writes, 7);
	assert_string_equal(play.done, "ws");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].play);
		world.dm_found = 7;
		assert_int_equal(mapper_set_copies(&m, 0, "0 8 mirror\n",
						   cases[i].writes, &d),
				 cases[i].rc);
		assert_string_equal(play.done, cases[i].done);
		assert_false(world.table_read_only);
	}
}

static void a_new_table_keeps_the_read_ahead(void **state)
{
	struct dm m = { 0 };

	(void)state;
	begin((struct play){ .table = "" });
	world.wrote = NULL;
	world_file(AHEAD, "4096");
	assert_int_equal(mapper_set(&m, 0, "0 8 linear\n", true, &d), NBD_OK);
	assert_string_equal(world.written, AHEAD " = 4096\n");
	begin((struct play){ .table = "", .stat = "0 0 0 0 0" });
	world.wrote = NULL;
	world_file(AHEAD, "1024");
	assert_int_equal(mapper_set_copies(&m, 0, "0 8 mirror\n", 0, &d),
			 NBD_OK);
	assert_string_equal(world.written, AHEAD " = 1024\n");
	/* the table in use is the one before */
	begin((struct play){ .table = "", .load = NBD_E_KERNEL });
	world.wrote = NULL;
	world_file(AHEAD, "4096");
	assert_int_equal(mapper_set(&m, 0, "0 8 linear\n", true, &d),
			 NBD_E_KERNEL);
	assert_string_equal(world.written, "");
}

static void a_mirror_that_holds_writes_is_known(void **state)
{
	static const struct {
		const char *table;
		bool stuck;
	} cases[] = {
		{ "0 8 mirror 2 7:0 43:0 1/1 1 AA 1 core\n", false },
		{ "0 8 mirror 2 7:0 43:0 1/1 1 AD 1 core\n", true },
		{ "0 8 mirror 2 7:0 43:0 1/1 1 FA 1 core\n", true },
		{ "0 8 linear \n", false },
		/* none */
		{ "", false },
		{ NULL, false },
	};
	struct dm m = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin((struct play){ .status = true, .table = cases[i].table });
		assert_int_equal(mapper_is_stuck(&m, 0), cases[i].stuck);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_partition_is_mapped_one_to_one),
		cmocka_unit_test(a_mapping_becomes_one_to_one_again),
		cmocka_unit_test(a_failure_leaves_nothing),
		cmocka_unit_test(the_way_down_takes_all_that_are_free),
		cmocka_unit_test(a_cover_is_on_top_and_read_only),
		cmocka_unit_test(a_device_loses_its_cover_first),
		cmocka_unit_test(a_cover_is_told_from_a_mapping),
		cmocka_unit_test(a_wrong_block_is_known),
		cmocka_unit_test(what_is_below_is_known),
		cmocka_unit_test(a_lock_that_is_another_s_leaves_nothing_open),
		cmocka_unit_test(copies_are_used_only_if_nothing_was_written),
		cmocka_unit_test(a_new_table_keeps_the_read_ahead),
		cmocka_unit_test(a_mirror_that_holds_writes_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
