/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists behind the data of images, and bytes there that are none. */
#include "boot/init/prefetch.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD  "nbdboot-prefetch 1\nimage %llu ext4:1-2\n"
#define MARK  "nbdboot-prefetch-tail "
#define BLOCK 4096
#define IMAGE "ext4:1-2"

static struct prefetch_list l[2];
static struct nbd_diag d;

/* Bytes from one word of data to the next. */
#define STEP 512

/* An image of `size` bytes, which are not all zero. */
static int image(off_t size)
{
	char name[] = "/tmp/nbdboot-tail-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	for (off_t at = 0; at + 4 <= size; at += STEP)
		assert_int_equal(pwrite(fd, "data", 4, at), 4);
	assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

/* l[0] becomes a list of n extents, of an image of `size` bytes. */
static void list(unsigned n, off_t size)
{
	l[0] = (struct prefetch_list){ .image = IMAGE,
				       .sectors = (uint64_t)size / 512 };
	for (unsigned i = 0; i < n; i++)
		prefetch_add(l, i * 16ull, 8);
	assert_int_equal(l[0].n, n);
}

static off_t size_of(int fd)
{
	return lseek(fd, 0, SEEK_END);
}

static void data_is_whole(int fd, off_t size)
{
	char text[4];

	for (off_t at = 0; at + 4 <= size; at += STEP) {
		assert_int_equal(pread(fd, text, 4, at), 4);
		assert_memory_equal(text, "data", 4);
	}
}

static void a_list_behind_an_image_is_read(void **state)
{
	/* one that the first read has, and one that it has not */
	static const unsigned counts[] = { 1, 100, 4096 };
	off_t size = 4096 * 16 * 512 + 512;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		int fd = image(size);

		list(counts[i], size);
		assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d),
				 NBD_OK);
		assert_int_equal(size_of(fd) % BLOCK, 0);
		data_is_whole(fd, size);
		memset(l, 0, sizeof(l));
		assert_int_equal(init_prefetch_tail(l, fd, &d), NBD_OK);
		assert_int_equal(l[0].n, counts[i]);
		assert_int_equal(l[0].sectors, size_of(fd) / 512);
		assert_string_equal(l[0].image, IMAGE);
		close(fd);
	}
}

static void another_list_takes_its_place(void **state)
{
	off_t size = 8 << 20, longer, first;
	int fd = image(size);

	(void)state;
	list(10, size);
	assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d), NBD_OK);
	first = size_of(fd);
	assert_int_equal(first, size + BLOCK);
	/* of the image as it is now: longer, and then shorter */
	list(1000, first);
	assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d), NBD_OK);
	longer = size_of(fd);
	assert_true(longer > first);
	for (unsigned i = 0; i < 3; i++) {
		list(1 + i * 400, longer);
		assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d),
				 NBD_OK);
		/* machines that use it refuse one that is smaller */
		assert_int_equal(size_of(fd), longer);
		assert_int_equal(init_prefetch_tail(l, fd, &d), NBD_OK);
		assert_int_equal(l[0].n, 1 + i * 400);
	}
	/* and of the image without */
	list(2, size);
	assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d), NBD_OK);
	data_is_whole(fd, size);
	close(fd);
}

static void an_extent_that_ends_with_the_image_stays(void **state)
{
	off_t size = 8192 + 512;
	int fd = image(size);

	(void)state;
	list(0, size);
	prefetch_add(l, 16, 1);
	assert_int_equal(l[0].e[0].len, 1);
	assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d), NBD_OK);
	assert_int_equal(init_prefetch_tail(l, fd, &d), NBD_OK);
	assert_int_equal(l[0].e[0].start, 16);
	assert_int_equal(l[0].e[0].len, 8);
	close(fd);
}

static void a_list_of_another_image_is_not_appended(void **state)
{
	off_t size = 65536;
	int fd = image(size);

	(void)state;
	list(1, size + 512);
	assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d),
			 NBD_E_MISMATCH);
	list(1, size);
	strcpy(l[0].image, "ext4:1-3");
	assert_int_equal(init_prefetch_append(l, IMAGE, fd, &d),
			 NBD_E_MISMATCH);
	list(1, size);
	assert_int_equal(init_prefetch_append(l, "-", fd, &d), NBD_E_NOT_FOUND);
	assert_int_equal(size_of(fd), size);
	data_is_whole(fd, size);
	close(fd);
}

/* An image of 64 KiB that ends with a list and a sector with this text. */
static int marked(const char *mark)
{
	char text[128], sector[512] = "";
	int fd = image(65536), n;

	n = snprintf(text, sizeof(text), HEAD "8 8\nend 1\n", 128ull);
	assert_int_equal(pwrite(fd, text, (size_t)n, 61440), n);
	snprintf(sector, sizeof(sector), "%s", mark);
	assert_int_equal(pwrite(fd, sector, 512, 65024), 512);
	return fd;
}

static void bytes_that_are_no_list_are_none(void **state)
{
	static const struct {
		const char *mark;
		int rc;
	} cases[] = {
		{ MARK "61440 48\n", NBD_OK },
		{ "", NBD_E_NOT_FOUND },
		{ MARK, NBD_E_NOT_FOUND },
		{ MARK "61440", NBD_E_NOT_FOUND },
		{ MARK "61440 48", NBD_E_NOT_FOUND },
		{ MARK "61440  48\n", NBD_E_NOT_FOUND },
		{ MARK "-1 48\n", NBD_E_NOT_FOUND },
		/* no whole blocks, behind the end, and more than there is */
		{ MARK "61441 47\n", NBD_E_NOT_FOUND },
		{ MARK "65536 48\n", NBD_E_NOT_FOUND },
		{ MARK "61440 3585\n", NBD_E_NOT_FOUND },
		{ MARK "0 196609\n", NBD_E_NOT_FOUND },
		{ MARK "18446744073709551615 48\n", NBD_E_NOT_FOUND },
		{ MARK "18446744073709547520 18446744073709551615\n",
		  NBD_E_NOT_FOUND },
		{ MARK "99999999999999999999999 1\n", NBD_E_NOT_FOUND },
		/* the data, a part of the list, and more than it */
		{ MARK "0 48\n", NBD_E_MISMATCH },
		{ MARK "0 65024\n", NBD_E_MISMATCH },
		{ MARK "61440 0\n", NBD_E_MISMATCH },
		{ MARK "61440 47\n", NBD_E_MISMATCH },
		{ MARK "61440 49\n", NBD_E_MISMATCH },
	};
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fd = marked(cases[i].mark);
		assert_int_equal(init_prefetch_tail(l, fd, &d), cases[i].rc);
		close(fd);
	}
	/* digits up to the end of the sector */
	fd = marked(MARK "1");
	for (off_t at = 65024 + 23; at < 65536; at++)
		assert_int_equal(pwrite(fd, "0", 1, at), 1);
	assert_int_equal(init_prefetch_tail(l, fd, &d), NBD_E_NOT_FOUND);
	close(fd);
}

static void images_may_be_as_short_as_the_mark(void **state)
{
	char sector[512] = MARK "0 0\n";
	int fd;

	(void)state;
	for (off_t size = 0; size < 512; size += 73) {
		fd = image(size);
		assert_int_equal(init_prefetch_tail(l, fd, &d),
				 NBD_E_NOT_FOUND);
		close(fd);
	}
	fd = image(512);
	assert_int_equal(pwrite(fd, sector, 512, 0), 512);
	assert_int_equal(init_prefetch_tail(l, fd, &d), NBD_E_MISMATCH);
	assert_non_null(strstr(d.text, "behind the image: line 1 "));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_behind_an_image_is_read),
		cmocka_unit_test(another_list_takes_its_place),
		cmocka_unit_test(an_extent_that_ends_with_the_image_stays),
		cmocka_unit_test(a_list_of_another_image_is_not_appended),
		cmocka_unit_test(bytes_that_are_no_list_are_none),
		cmocka_unit_test(images_may_be_as_short_as_the_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
