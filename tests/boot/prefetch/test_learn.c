/* SPDX-License-Identifier: BSD-2-Clause */
/* When a boot is over, and what becomes of the mapping then. */
#include "boot/prefetch/learn.h"
#include "boot/prefetch/seen.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/say.h"
#include "tests/world/harden.h"
#include "tests/world/ready.h"
#include "tests/world/dm.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUIET 15000 /* ms */

static char top[] = "/tmp/test_learn.XXXXXX";
static struct nbd_diag d;
static struct prefetch_learn l;
/* ms until which a fetch reads the device below, and reads of the mapping come */
static uint64_t fetches, reads;
/* ... and from when a mirror holds writes */
static uint64_t stuck = UINT64_MAX;
static bool cached;   /* some of it is read from a local device */
static int no_mapper; /* the error of its device */
static uint32_t near; /* us of a read, if there is no mapping */

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(file_save(AT_FDCWD, path, text, strlen(text)), 0);
}

/* ---- the world ---- */

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	char stat[64];

	(void)p, (void)n;
	world.now += (unsigned)ms;
	if (world.now < fetches) {
		snprintf(stat, sizeof(stat), "9 0 %u 0 0\n",
			 (unsigned)world.now);
		put("dev/block/43:0/stat", stat);
	}
	return 0;
}

unsigned __wrap_prefetch_trace_read(struct prefetch_trace *t,
				    struct prefetch_list *list);
unsigned __wrap_prefetch_trace_read(struct prefetch_trace *t,
				    struct prefetch_list *list)
{
	(void)t, (void)list;
	return world.now < reads;
}

void __wrap_prefetch_trace_close(struct prefetch_trace *t);
void __wrap_prefetch_trace_close(struct prefetch_trace *t)
{
	t->pipe = -1;
}

bool __wrap_mapper_is_stuck(struct dm *m, int index);
bool __wrap_mapper_is_stuck(struct dm *m, int index)
{
	(void)m;
	assert_int_equal(index, 3);
	return world.now >= stuck;
}

int __wrap_mapper_set_plain(struct dm *m, int index, const char *text,
			    bool read_only, struct nbd_diag *dg);
int __wrap_mapper_set_plain(struct dm *m, int index, const char *text,
			    bool read_only, struct nbd_diag *dg)
{
	(void)m, (void)read_only, (void)dg;
	assert_int_equal(index, 3);
	snprintf(world.table, sizeof(world.table), "%s", text);
	return 0;
}

bool __wrap_mapper_is_cached(struct dm *m, int index);
bool __wrap_mapper_is_cached(struct dm *m, int index)
{
	(void)m;
	assert_int_equal(index, 3);
	return cached;
}

static void name_image(char image[64], int disk)
{
	(void)disk;
	strcpy(image, "-");
}

static bool seen(struct prefetch_seen *s, const char *path)
{
	char text[512];

	return file_read(AT_FDCWD, path, text, sizeof(text)) > 0 &&
	       prefetch_seen_parse(s, text);
}

/* ---- the tests ---- */

/* Returns when it has ended, in ms from its begin. */
static uint64_t learn(void)
{
	char path[128];

	world = (struct world){ .now = 1000, .wait = played_wait };
	put("dev/block/43:0/stat", "9 0 8 0 0\n");
	put("block/dm-0/stat", "9 0 8 0 0\n");
	put("block/nbd3/queue/wbt_lat_usec", "0\n");
	l = (struct prefetch_learn){ .index = 3,
				     .wbt = "2000\n",
				     .dev = "/dev/dm-0",
				     .below = "43:0",
				     .mapped = !near,
				     .near = near,
				     .name_image = name_image,
				     .list.sectors = 4096 };
	l.run = open(top, O_PATH | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/block", top);
	assert_int_equal(chdir(path), 0); /* as prefetch_learn_begin() does */
	l.disk = open("/dev/null", O_RDONLY | O_CLOEXEC);
	world.dm_error = no_mapper;
	assert_int_equal(prefetch_learn_run(&l, &d), no_mapper);
	close(l.run);
	return world.now - 1000;
}

static void it_ends_when_nothing_was_read_for_a_while(void **state)
{
	(void)state;
	fetches = reads = 0;
	assert_in_range(learn(), QUIET, QUIET + 500);
	reads = 6000;
	assert_in_range(learn(), QUIET + 4500, QUIET + 5500);
}

/* What is fetched behind its back would never be freed. */
static void it_stays_as_long_as_a_fetch_reads(void **state)
{
	(void)state;
	reads = 0;
	fetches = 61000;
	assert_in_range(learn(), QUIET + 59500, QUIET + 60500);
}

static void it_maps_one_to_one(void **state)
{
	(void)state;
	fetches = reads = 0;
	learn();
	assert_string_equal(world.table, "0 4096 linear 43:0 0\n");
}

static void it_lets_the_kernel_throttle_writes_again(void **state)
{
	char path[128], text[16];

	(void)state;
	fetches = reads = 0;
	learn();
	snprintf(path, sizeof(path), "%s/block/nbd3/queue/wbt_lat_usec", top);
	file_read(AT_FDCWD, path, text, sizeof(text));
	assert_string_equal(text, "2000\n");
}

static void a_cache_stays_in_use(void **state)
{
	(void)state;
	fetches = reads = 0;
	cached = true;
	learn();
	cached = false;
	assert_string_equal(world.table, "");
}

/* As an image that got longer while the machine booted. */
static void it_maps_what_the_device_has_by_then(void **state)
{
	(void)state;
	fetches = reads = 0;
	put("dev/block/43:0/size", "8192\n");
	learn();
	assert_string_equal(world.table, "0 8192 linear 43:0 0\n");
	/* never less than there was */
	put("dev/block/43:0/size", "0\n");
	learn();
	assert_string_equal(world.table, "0 4096 linear 43:0 0\n");
}

static void what_came_from_ram_is_counted_behind_a_mirror(void **state)
{
	struct prefetch_seen s;
	char path[128];

	(void)state;
	fetches = reads = 0;
	put("block/dm-0/slaves/dm-1/x", "");
	put("block/dm-1/dm/name", "nbdboot-mirror-nbd3\n");
	put("block/dm-1/slaves/loop0/x", "");
	put("block/dm-1/slaves/nbd3/x", "");
	put("block/loop0/stat", "7 0 200 0 0\n");
	put("block/dm-0/slaves/dm-2/x", "");
	put("block/dm-2/dm/name", "nbdboot-cache-nbd3\n");
	put("block/dm-2/stat", "1 0 16 0 0\n");
	put("nbdboot/prefetch.ram", "120\n");
	learn();
	snprintf(path, sizeof(path), "%s/nbdboot/prefetch.seen", top);
	assert_true(seen(&s, path));
	assert_int_equal(s.n[PREFETCH_RAM_READS], 7);
	assert_int_equal(s.n[PREFETCH_RAM_KIB], 100);
	assert_int_equal(s.n[PREFETCH_CACHE_KIB], 8);
	assert_int_equal(s.n[PREFETCH_FETCHED_KIB], 120);
	assert_int_equal(s.n[PREFETCH_VAIN_KIB], 20);
}

/* The writes go on when the table has no mirrors any more. */
static void it_ends_when_a_mirror_holds_writes(void **state)
{
	(void)state;
	fetches = reads = 60000;
	stuck = 5000;
	assert_in_range(learn(), 4000, 4500);
	stuck = UINT64_MAX;
	assert_string_equal(world.table, "0 4096 linear 43:0 0\n");
}

/* As there is no mapping, no device mapper is opened. */
static void without_a_mapping_nothing_is_undone(void **state)
{
	struct prefetch_seen s;
	char path[128];

	(void)state;
	fetches = reads = 0;
	near = 1250;
	stuck = 5000;
	assert_in_range(learn(), QUIET, QUIET + 500);
	near = 0;
	stuck = UINT64_MAX;
	assert_string_equal(world.table, "");
	snprintf(path, sizeof(path), "%s/nbdboot/prefetch.seen", top);
	assert_true(seen(&s, path));
	assert_int_equal(s.n[PREFETCH_NEAR_US], 1250);
	assert_int_equal(s.n[PREFETCH_READS], 9);
	assert_int_equal(s.n[PREFETCH_KIB], 4);
}

/* It would trace until the next boot. */
static void without_the_mapper_the_trace_ends(void **state)
{
	(void)state;
	no_mapper = NBD_E_KERNEL;
	learn();
	no_mapper = 0;
	assert_int_equal(l.trace.pipe, -1);
}

static int begin(void **state)
{
	char cmd[256];

	(void)state;
	if (!mkdtemp(top))
		return -1;
	snprintf(cmd, sizeof(cmd),
		 "cd %s && mkdir -p nbdboot dev/block/43:0 block/dm-0/queue "
		 "block/dm-0/slaves block/nbd3/queue class && "
		 "ln -s ../block class/block",
		 top);
	return system(cmd);
}

static int end(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -r %s", top);
	return system(cmd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_when_nothing_was_read_for_a_while),
		cmocka_unit_test(it_stays_as_long_as_a_fetch_reads),
		cmocka_unit_test(it_maps_one_to_one),
		cmocka_unit_test(it_lets_the_kernel_throttle_writes_again),
		cmocka_unit_test(a_cache_stays_in_use),
		cmocka_unit_test(it_maps_what_the_device_has_by_then),
		cmocka_unit_test(what_came_from_ram_is_counted_behind_a_mirror),
		cmocka_unit_test(it_ends_when_a_mirror_holds_writes),
		cmocka_unit_test(without_a_mapping_nothing_is_undone),
		cmocka_unit_test(without_the_mapper_the_trace_ends),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
