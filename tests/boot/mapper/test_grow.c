/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapping whose device has grown.  The device mapper is played. */
#include "boot/mapper/mapper.h"
#include "port/linux/dm.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/dm.h"

#include <fcntl.h>
#include <stdlib.h>

#define DEV 41
#define RUN 42

static char sys[] = "/tmp/test_grow.XXXXXX";
static struct play {
	int lock, set;	   /* results */
	const char *table; /* that the kernel shows; NULL: it has no room */
	unsigned sets, opens;
	char now[128]; /* that is set */
	bool read_only;
} play;
static struct nbd_diag d;

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", sys, name);
	assert_int_equal(file_save(AT_FDCWD, path, text, strlen(text)), 0);
}

int __wrap_mapper_lock(int run, int index, bool wait, struct nbd_diag *dg);
int __wrap_mapper_lock(int run, int index, bool wait, struct nbd_diag *dg)
{
	(void)dg;
	assert_int_equal(run, RUN);
	assert_int_equal(index, 3);
	assert_false(wait);
	return play.lock;
}

static void count(char what, const char *name)
{
	assert_string_equal(name, "");
	assert_int_equal(world.dm_dev, DEV);
	play.opens += what == '(';
}

int __wrap_dm_text(struct dm *m, const char *name, bool status, char *text,
		   size_t cap, struct nbd_diag *dg);
int __wrap_dm_text(struct dm *m, const char *name, bool status, char *text,
		   size_t cap, struct nbd_diag *dg)
{
	(void)m, (void)dg;
	assert_string_equal(name, "nbdboot-nbd3");
	assert_false(status);
	return play.table ? nbd_fmt(text, cap, "%s", play.table)
			  : NBD_E_NO_MEMORY;
}

int __wrap_mapper_set(struct dm *m, int index, const char *table,
		      bool read_only, struct nbd_diag *dg);
int __wrap_mapper_set(struct dm *m, int index, const char *table,
		      bool read_only, struct nbd_diag *dg)
{
	(void)m, (void)dg;
	assert_int_equal(index, 3);
	play.sets++;
	play.read_only = read_only;
	snprintf(play.now, sizeof(play.now), "%s", table);
	return play.set;
}

static int grow(const char *table)
{
	int rc;

	play.table = table;
	rc = mapper_grow(DEV, RUN, 3, &d);
	assert_int_equal(play.opens, 1);
	return rc;
}

static int begin(void **state)
{
	(void)state;
	play = (struct play){ 0 };
	world = (struct world){ .dm = count, .dm_found = 7 };
	put("nbd3/dev", "43:96\n");
	put("nbd3/size", "8192\n");
	put("nbd3/ro", "0\n");
	return 0;
}

static void it_gets_the_size_of_the_device(void **state)
{
	(void)state;
	assert_int_equal(grow("0 4096 linear 43:96 0\n"), 0);
	assert_string_equal(play.now, "0 8192 linear 43:96 0");
	assert_false(play.read_only);
	begin(state);
	put("nbd3/ro", "1\n");
	assert_int_equal(grow("0 4096 linear 43:96 0 \n"), 0);
	assert_true(play.read_only);
	begin(state);
	play.set = NBD_E_KERNEL;
	assert_int_equal(grow("0 4096 linear 43:96 0\n"), NBD_E_KERNEL);
}

static void it_gets_the_size_of_its_partition(void **state)
{
	(void)state;
	put("nbd3/nbd3p7/dev", "43:103\n");
	put("nbd3/nbd3p7/size", "6000\n");
	assert_int_equal(grow("0 4096 linear 43:103 0\n"), 0);
	assert_string_equal(play.now, "0 6000 linear 43:103 0");
	begin(state);
	assert_int_equal(grow("0 6000 linear 43:103 0\n"), 0);
	assert_int_equal(play.sets, 0);
}

static void any_other_mapping_stays(void **state)
{
	static const char *const tables[] = {
		/* as large, or larger */
		"0 8192 linear 43:96 0\n",
		"0 9000 linear 43:96 0\n",
		/* of another device, of a part */
		"0 4096 linear 43:98 0\n",
		"0 4096 linear 7:0 0\n",
		"0 4096 linear 43:96 8\n",
		/* with copies */
		"0 8 linear 43:96 0\n8 8 linear 7:0 0\n",
		"0 4096 mirror core 1 1024 2 43:96 0 8:0 0\n",
		"",
		NULL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		begin(state);
		assert_int_equal(grow(tables[i]), 0);
		assert_int_equal(play.sets, 0);
	}
}

static void without_a_mapping_there_is_nothing_to_do(void **state)
{
	(void)state;
	world.dm_found = 0;
	assert_int_equal(mapper_grow(DEV, RUN, 3, &d), 0);
	world.dm_found = NBD_E_KERNEL;
	assert_int_equal(mapper_grow(DEV, RUN, 3, &d), NBD_E_KERNEL);
}

static void another_process_has_to_end_first(void **state)
{
	(void)state;
	play.lock = NBD_E_AGAIN;
	assert_int_equal(mapper_grow(DEV, RUN, 3, &d), NBD_E_AGAIN);
	assert_int_equal(play.sets + play.opens, 0);
}

static int end(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -r %s", sys);
	return system(cmd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_gets_the_size_of_the_device, begin),
		cmocka_unit_test_setup(it_gets_the_size_of_its_partition,
				       begin),
		cmocka_unit_test_setup(any_other_mapping_stays, begin),
		cmocka_unit_test_setup(without_a_mapping_there_is_nothing_to_do,
				       begin),
		cmocka_unit_test_setup(another_process_has_to_end_first, begin),
	};

	if (!mkdtemp(sys))
		return 1;
	nbdk_sys = sys;
	return cmocka_run_group_tests(tests, NULL, end);
}
