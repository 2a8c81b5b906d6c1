/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings whose process was killed: in a running system, and on the way down. */
#include "boot/mapper/mapper.h"
#include "port/linux/dir.h"
#include "tests/unit.h"
#include "tests/world/dm.h"
#include "tests/world/file.h"

#define WBT "/sys/block/nbd3/" MAPPER_WBT

static struct play {
	bool stuck;
	int reset; /* the result */
	unsigned resets;
} play;
static struct nbd_diag d;

/* dm-0 is of dm-1, a mirror of loop0 and nbd3, and of nbd3; dm-2 is another's. */
static const char *const block[] = { "nbd3", "dm-0", "dm-1", "dm-2", NULL },
			 *const mirrored[] = { "dm-1", "nbd3", NULL },
			 *const linear[] = { "loop0", "nbd3", NULL },
			 *const *mapped = mirrored;

int __wrap_dir_open(struct dir *dir, const char *path);
int __wrap_dir_open(struct dir *dir, const char *path)
{
	const char *const *names = strcmp(path, "/sys/block") ? mapped : block;

	memcpy(dir->buf, &names, sizeof(names));
	return 0;
}

const char *__wrap_dir_next(struct dir *dir);
const char *__wrap_dir_next(struct dir *dir)
{
	const char *const *names;

	memcpy(&names, dir->buf, sizeof(names));
	if (!*names)
		return NULL;
	names++;
	memcpy(dir->buf, &names, sizeof(names));
	return names[-1];
}

void __wrap_dir_close(struct dir *dir);
void __wrap_dir_close(struct dir *dir)
{
	(void)dir;
}

bool __wrap_mapper_is_stuck(struct dm *m, int index);
bool __wrap_mapper_is_stuck(struct dm *m, int index)
{
	(void)m;
	assert_int_equal(index, 3);
	return play.stuck;
}

int __wrap_mapper_reset(int index, const char *path, struct nbd_diag *dg);
int __wrap_mapper_reset(int index, const char *path, struct nbd_diag *dg)
{
	assert_int_equal(index, 3);
	assert_string_equal(path, "/dev/nbd3");
	play.resets++;
	return play.reset ? nbd_diag(dg, play.reset, "no memory") : NBD_OK;
}

static int mend(bool down, const char *const *of, struct play p)
{
	play = p;
	mapped = of;
	world = (struct world){ .others = WORLD_ABSENT };
	world_file("/sys/block/dm-0/dm/name", "nbdboot-nbd3\n");
	world_file("/sys/block/dm-1/dm/name", "nbdboot-mirror-nbd3\n");
	world_file("/sys/block/dm-2/dm/name", "vg-root\n");
	world_file(WBT, "0\n");
	return mapper_mend(down, &d);
}

static void copies_are_freed_and_the_kernel_throttles_again(void **state)
{
	(void)state;
	assert_int_equal(mend(false, mirrored, (struct play){ 0 }), 1);
	assert_int_equal(play.resets, 1);
	assert_non_null(strstr(world.written, WBT " = -1\n"));
}

static void what_is_only_read_was_never_throttled(void **state)
{
	(void)state;
	assert_int_equal(mend(false, linear, (struct play){ 0 }), 1);
	assert_null(strstr(world.written, WBT));
}

/* Where the kernel would wait for requests that nobody answers any more. */
static void the_way_down_frees_writes_that_are_held(void **state)
{
	(void)state;
	assert_int_equal(mend(true, mirrored, (struct play){ 0 }), 0);
	assert_int_equal(play.resets, 0);
	assert_int_equal(mend(true, mirrored, (struct play){ .stuck = true }),
			 1);
	assert_int_equal(play.resets, 1);
	assert_null(strstr(world.written, WBT));
}

static void a_failure_ends_it(void **state)
{
	(void)state;
	assert_int_equal(mend(false, mirrored,
			      (struct play){ .reset = NBD_E_NO_MEMORY }),
			 NBD_E_NO_MEMORY);
	assert_string_equal(d.text, "no memory");
	assert_string_equal(world.written, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			copies_are_freed_and_the_kernel_throttles_again),
		cmocka_unit_test(what_is_only_read_was_never_throttled),
		cmocka_unit_test(the_way_down_frees_writes_that_are_held),
		cmocka_unit_test(a_failure_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
