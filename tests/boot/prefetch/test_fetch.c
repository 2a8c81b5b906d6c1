/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of a list in RAM, and the table of what lies where. */
#include "boot/prefetch/fetch.h"
#include "port/linux/loop.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTORS 4096u

static const struct prefetch_limits plenty = { .bytes = 1u << 30,
					       .ms = 60000,
					       .quiet_ms = 60000 };
static char disk[] = "/tmp/nbdboot-fetch-XXXXXX";
static unsigned char image[SECTORS * 512], got[SECTORS * 512];
static struct prefetch_list list;
static struct prefetch_fetched f;
static struct nbd_diag d;
static bool loop_fails;
static uint32_t loop_flags;

/* A file of this machine may not allow direct reads. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	if (!strcmp(path, disk))
		assert_true(flags & O_DIRECT);
	return __real_open(path, flags & ~O_DIRECT);
}

int __wrap_loop_attach(const char *file, uint32_t flags, uint32_t sector,
		       char name[LOOP_NAME], struct nbd_diag *dg);
int __wrap_loop_attach(const char *file, uint32_t flags, uint32_t sector,
		       char name[LOOP_NAME], struct nbd_diag *dg)
{
	assert_int_equal(sector, 0);
	loop_flags = flags;
	if (loop_fails)
		return nbd_diag(dg, NBD_E_KERNEL, "no loop");
	strcpy(name, "loop7");
	return __real_open(file, O_RDONLY | O_CLOEXEC);
}

void __wrap_loop_load(void);
void __wrap_loop_load(void)
{
}

static int fetch(const char *dev, const struct prefetch_limits *limits)
{
	int rc = prefetch_fetch(&list, dev, limits, &f, &d);

	memset(got, 0xee, sizeof(got));
	if (!rc) {
		assert_true(pread(f.loop, got, sizeof(got), 0) > 0);
		close(f.loop);
	}
	return rc;
}

static void start(void)
{
	list = (struct prefetch_list){ .image = "x", .sectors = SECTORS };
	prefetch_add(&list, 0, 8);
	prefetch_add(&list, 64, 1000);
	prefetch_add(&list, 2000, 16);
	prefetch_add(&list, SECTORS - 8, 8);
	assert_int_equal(list.n, 4);
}

/* Is each extent where the table says? */
static void all_right(void)
{
	for (unsigned i = 0; i < list.n; i++)
		assert_memory_equal(got + f.at[i] * 512,
				    image + list.e[i].start * 512,
				    list.e[i].len * 512);
}

static void the_blocks_of_a_list_come(void **state)
{
	(void)state;
	start();
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	assert_int_equal(list.n, 4);
	assert_int_equal(f.bytes, (8 + 1000 + 16 + 8) * 512);
	assert_int_equal(f.missed, 0);
	assert_string_equal(f.disk, "loop7");
	all_right();
}

static void many_pieces_come(void **state)
{
	(void)state;
	list = (struct prefetch_list){ .image = "x", .sectors = SECTORS };
	for (unsigned i = 0; i < SECTORS; i += 16)
		prefetch_add(&list, i, 8);
	assert_int_equal(list.n, SECTORS / 16);
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	assert_int_equal(list.n, SECTORS / 16);
	all_right();
}

static int count(void *ctx, struct nbd_diag *dg)
{
	unsigned *calls = ctx;

	return ++*calls == 1 ? NBD_OK : nbd_diag(dg, NBD_E_KERNEL, "twice");
}

static int refuse(void *ctx, struct nbd_diag *dg)
{
	(void)ctx;
	return nbd_diag(dg, NBD_E_MISMATCH, "another image");
}

static void it_is_checked_once_and_a_refusal_ends_it(void **state)
{
	struct prefetch_limits limits = plenty;
	unsigned calls = 0;
	int before = dup(0), after;

	(void)state;
	limits.check = count;
	limits.ctx = &calls;
	list = (struct prefetch_list){ .image = "x", .sectors = SECTORS };
	for (unsigned i = 0; i < SECTORS; i += 16)
		prefetch_add(&list, i, 8);
	assert_int_equal(fetch(disk, &limits), NBD_OK);
	assert_int_equal(calls, 1);
	start();
	limits.check = refuse;
	assert_int_equal(fetch(disk, &limits), NBD_E_MISMATCH);
	assert_string_equal(d.text, "another image");
	after = dup(0);
	assert_int_equal(after, before + 1);
	close(before);
	close(after);
}

/* As of a server that fails behind a certain place. */
static void an_extent_that_fails_is_left_out(void **state)
{
	(void)state;
	start();
	assert_int_equal(truncate(disk, 1064 * 512), 0);
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	assert_int_equal(list.n, 2);
	assert_int_equal(f.missed, 2);
	all_right();
	/* cut in the middle of its pieces */
	start();
	assert_int_equal(truncate(disk, 800 * 512), 0);
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	assert_int_equal(list.n, 1);
	all_right();
	start();
	assert_int_equal(truncate(disk, 0), 0);
	assert_int_equal(fetch(disk, &plenty), NBD_E_TIMEOUT);
}

/* What is left out has a place nevertheless. */
static void what_comes_after_a_failure_is_not_moved(void **state)
{
	(void)state;
	start();
	/* the second one has data, the first one is behind the end of nothing */
	list.e[0].start = SECTORS * 2;
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	assert_int_equal(list.n, 3);
	assert_int_equal(f.at[0], 8);
	assert_int_equal(f.at[1], 1008);
	all_right();
}

static void memory_is_bounded(void **state)
{
	struct prefetch_limits few = plenty;

	(void)state;
	start();
	few.bytes = 1008 * 512;
	assert_int_equal(fetch(disk, &few), NBD_OK);
	assert_int_equal(list.n, 2);
	assert_int_equal(f.missed, 2);
	all_right();
	start();
	few.bytes = 4095;
	assert_int_equal(fetch(disk, &few), NBD_E_NO_MEMORY);
	assert_string_equal(d.text, "nothing of 4 extents has room in 3 KiB");
	list.n = 0;
	assert_int_equal(fetch(disk, &plenty), NBD_E_NO_MEMORY);
}

static void without_a_device_nothing_is_left_open(void **state)
{
	int before = dup(0), after;

	(void)state;
	start();
	assert_int_equal(fetch("/nowhere", &plenty), NBD_E_KERNEL);
	start();
	loop_fails = true;
	assert_int_equal(fetch(disk, &plenty), NBD_E_KERNEL);
	loop_fails = false;
	after = dup(0);
	assert_int_equal(after, before + 1);
	close(before);
	close(after);
}

static void the_table_covers_the_device(void **state)
{
	static char text[PREFETCH_TABLE(4)];

	(void)state;
	start();
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	prefetch_table(&list, &f, "7:7", "43:0", text, sizeof(text));
	assert_string_equal(text, "0 8 linear 7:7 0\n"
				  "8 56 linear 43:0 8\n"
				  "64 1000 linear 7:7 8\n"
				  "1064 936 linear 43:0 1064\n"
				  "2000 16 linear 7:7 1008\n"
				  "2016 2072 linear 43:0 2016\n"
				  "4088 8 linear 7:7 1024\n");
	list.n = 0;
	prefetch_table(&list, &f, "7:7", "43:0", text, sizeof(text));
	assert_string_equal(text, "0 4096 linear 43:0 0\n");
}

static void copies_of_a_written_root_are_where_it_has_them(void **state)
{
	static char text[PREFETCH_TABLE(4)];
	struct prefetch_limits limits = plenty;
	struct stat st;
	int fd;

	(void)state;
	start();
	limits.writable = true;
	assert_int_equal(prefetch_fetch(&list, disk, &limits, &f, &d), NBD_OK);
	assert_int_equal(loop_flags, LO_FLAGS_AUTOCLEAR);
	/* the file has the size of the disk, and holes */
	assert_int_equal(fstat(f.loop, &st), 0);
	assert_int_equal(st.st_size, SECTORS * 512);
	assert_in_range(st.st_blocks, 1032, 1500);
	assert_int_equal(pread(f.loop, got, sizeof(got), 0), sizeof(got));
	close(f.loop);
	all_right();
	prefetch_table(&list, &f, "253:1", "43:0", text, sizeof(text));
	assert_string_equal(text, "0 8 linear 253:1 0\n"
				  "8 56 linear 43:0 8\n"
				  "64 1000 linear 253:1 64\n"
				  "1064 936 linear 43:0 1064\n"
				  "2000 16 linear 253:1 2000\n"
				  "2016 2072 linear 43:0 2016\n"
				  "4088 8 linear 253:1 4088\n");
	/* the last extent alone failed: the others stay where they are */
	fd = __real_open(disk, O_RDWR | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, 2016 * 512), 0);
	close(fd);
	start();
	list.e[0].start = SECTORS * 2;
	assert_int_equal(fetch(disk, &limits), NBD_OK);
	assert_int_equal(list.n, 2);
	all_right();
	start();
	assert_int_equal(fetch(disk, &plenty), NBD_OK);
	assert_int_equal(loop_flags, LO_FLAGS_AUTOCLEAR | LO_FLAGS_READ_ONLY);
}

static void a_mirror_has_regions_that_the_kernel_takes(void **state)
{
	static const struct {
		uint64_t sectors, region;
	} cases[] = { { 4096, 2048 },
		      { 2048, 2048 },
		      { 2047, 1024 },
		      { 1ull << 26, 2048 },
		      { 1ull << 27, 4096 },
		      { 1ull << 31, 65536 },
		      { PREFETCH_DISK, 1ull << 39 } };
	char text[PREFETCH_MIRROR], want[PREFETCH_MIRROR];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		list.sectors = cases[i].sectors;
		prefetch_mirror(&list, "1048575:1048575", "43:0", text);
		snprintf(want, sizeof(want),
			 "0 %llu mirror core 2 %llu nosync 2 1048575:1048575 0 "
			 "43:0 0 1 handle_errors\n",
			 (unsigned long long)cases[i].sectors,
			 (unsigned long long)cases[i].region);
		assert_string_equal(text, want);
	}
}

static int fill(void **state)
{
	int fd = __real_open(disk, O_RDWR | O_TRUNC | O_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < sizeof(image); i++)
		image[i] = (unsigned char)(i * 7 + i / 512);
	assert_int_equal(write(fd, image, sizeof(image)), sizeof(image));
	return close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_blocks_of_a_list_come, fill),
		cmocka_unit_test_setup(many_pieces_come, fill),
		cmocka_unit_test_setup(an_extent_that_fails_is_left_out, fill),
		cmocka_unit_test_setup(what_comes_after_a_failure_is_not_moved,
				       fill),
		cmocka_unit_test_setup(it_is_checked_once_and_a_refusal_ends_it,
				       fill),
		cmocka_unit_test_setup(memory_is_bounded, fill),
		cmocka_unit_test_setup(without_a_device_nothing_is_left_open,
				       fill),
		cmocka_unit_test_setup(the_table_covers_the_device, fill),
		cmocka_unit_test_setup(
			copies_of_a_written_root_are_where_it_has_them, fill),
		cmocka_unit_test(a_mirror_has_regions_that_the_kernel_takes),
	};
	int rc;

	close(mkstemp(disk));
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(disk);
	return rc;
}
