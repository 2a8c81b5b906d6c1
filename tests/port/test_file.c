/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of port/linux/file.c. */
#include "core/nbd_err.h"
#include "port/linux/file.h"
#include "tests/guard.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/test_file.XXXXXX";
static int at = -1;

static void put(const char *text, size_t len)
{
	int fd = openat(at, "file", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static int begin(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return at < 0;
}

static int end(void **state)
{
	(void)state;
	unlinkat(at, "file", 0);
	unlinkat(at, "directory", AT_REMOVEDIR);
	close(at);
	return rmdir(root);
}

static void a_file_is_read_as_far_as_there_is_room(void **state)
{
	static const char text[] = "one\n\0two\n";
	const size_t len = sizeof(text) - 1;
	struct guard g = guard_new(64);

	(void)state;
	put(text, len);
	for (size_t cap = 1; cap <= len + 2; cap++) {
		char *buf = guard_end(&g, cap);
		size_t want = cap - 1 < len ? cap - 1 : len;

		assert_int_equal(file_read(at, "file", buf, cap), want);
		assert_memory_equal(buf, text, want);
		assert_int_equal(buf[want], '\0');
	}
	guard_free(&g);
}

static void assert_fails(int rc, int err, int cause)
{
	int why = errno;

	assert_int_equal(rc, err);
	assert_int_equal(why, cause);
}

static void what_cannot_be_read_is_empty(void **state)
{
	char buf[4] = "abc";

	(void)state;
	assert_fails(file_read(at, "none", buf, sizeof(buf)), NBD_E_NOT_FOUND,
		     ENOENT);
	assert_string_equal(buf, "");
	strcpy(buf, "abc");
	assert_int_equal(mkdirat(at, "directory", 0755), 0);
	assert_fails(file_read(at, "directory", buf, sizeof(buf)), NBD_E_IO,
		     EISDIR);
	assert_string_equal(buf, "");
	assert_fails(file_read(-1, "file", buf, sizeof(buf)), NBD_E_IO, EBADF);
	assert_int_equal(file_number(at, "none"), 0);
	assert_int_equal(file_number(at, "directory"), 0);
}

/* A pipe of packets gives one with each read. */
static void what_comes_in_pieces_is_read_whole(void **state)
{
	char buf[10], path[32];
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_DIRECT | O_CLOEXEC), 0);
	assert_int_equal(write(fds[1], "one ", 4), 4);
	assert_int_equal(write(fds[1], "two ", 4), 4);
	assert_int_equal(write(fds[1], "three", 5), 5);
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_int_equal(file_read(AT_FDCWD, path, buf, sizeof(buf)), 9);
	assert_string_equal(buf, "one two t");
	close(fds[0]);
}

static void a_file_is_made_what_is_written(void **state)
{
	struct rlimit old, limit;
	struct stat st;
	char buf[16];

	(void)state;
	unlinkat(at, "file", 0);
	umask(0);
	assert_int_equal(file_write(at, "file", "a longer one", 12), 0);
	assert_int_equal(fstatat(at, "file", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(file_write(at, "file", "short", 5), 0);
	assert_int_equal(file_read(at, "file", buf, sizeof(buf)), 5);
	assert_string_equal(buf, "short");
	assert_int_equal(file_write(at, "file", "", 0), 0);
	assert_int_equal(file_read(at, "file", buf, sizeof(buf)), 0);
	assert_fails(file_write(at, "none/file", "x", 1), NBD_E_NOT_FOUND,
		     ENOENT);
	assert_fails(file_write(AT_FDCWD, "/dev/full", "x", 1), NBD_E_IO,
		     ENOSPC);
	/* in part is not done */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ 3, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_fails(file_write(at, "file", "12345", 5), NBD_E_IO, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void a_place_of_a_file_is_written_as_a_whole(void **state)
{
	struct rlimit old, limit;
	char buf[16];
	int fd;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	put("0123456789", 10);
	fd = openat(at, "file", O_RDWR | O_CLOEXEC);
	assert_true(file_write_at(fd, "abc", 3, 4));
	assert_int_equal(pread(fd, buf, sizeof(buf), 0), 10);
	assert_memory_equal(buf, "0123abc789", 10);
	/* there is room for a part */
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ 12, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	errno = 0;
	assert_false(file_write_at(fd, "12345", 5, 9));
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	close(fd);
}

static void a_place_of_a_file_is_read_as_a_whole(void **state)
{
	char buf[16];
	int fd;

	(void)state;
	put("0123456789", 10);
	fd = openat(at, "file", O_RDONLY | O_CLOEXEC);
	assert_true(file_read_at(fd, buf, 3, 7));
	assert_memory_equal(buf, "789", 3);
	/* a part, or nothing */
	for (uint64_t place = 8; place <= 10; place += 2) {
		errno = 0;
		assert_false(file_read_at(fd, buf, 3, place));
		assert_int_equal(errno, ENODATA);
	}
	close(fd);
	errno = 0;
	assert_false(file_read_at(fd, buf, 3, 0));
	assert_int_equal(errno, EBADF);
}

static void a_file_is_replaced_as_a_whole(void **state)
{
	struct rlimit old, limit;
	char buf[16], path[PATH_MAX + 1];

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(file_replace(at, "file", "old", 3), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ 3, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_fails(file_replace(at, "file", "12345", 5), NBD_E_IO, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(file_read(at, "file", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "old");
	assert_int_equal(faccessat(at, "file.part", F_OK, 0), -1);
	assert_int_equal(file_replace(at, "file", "new", 3), 0);
	assert_int_equal(file_read(at, "file", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "new");
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_fails(file_replace(at, path, "x", 1), NBD_E_NO_MEMORY,
		     ENAMETOOLONG);
}

static void the_directories_of_a_file_are_made(void **state)
{
	char buf[16];

	(void)state;
	for (int i = 0; i < 2; i++) /* the second time they are there */
		assert_int_equal(file_save(at, "a/b.d/file", "text", 4), 0);
	assert_int_equal(file_read(at, "a/b.d/file", buf, sizeof(buf)), 4);
	assert_string_equal(buf, "text");
	assert_fails(file_save(at, "a/b.d/file/c", "x", 1), NBD_E_NOT_FOUND,
		     ENOTDIR);
	assert_int_equal(unlinkat(at, "a/b.d/file", 0), 0);
	assert_int_equal(unlinkat(at, "a/b.d", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(at, "a", AT_REMOVEDIR), 0);
}

/* Not half of one whose path is longer than any of ours. */
static void no_other_directory_is_made(void **state)
{
	char path[140];

	(void)state;
	memset(path, 'x', sizeof(path) - 3);
	strcpy(path + sizeof(path) - 3, "/f");
	assert_fails(file_save(at, path, "x", 1), NBD_E_NOT_FOUND, ENOENT);
	path[127] = '\0';
	assert_int_equal(faccessat(at, path, F_OK, 0), -1);
}

static void a_line_of_meminfo_is_found_by_its_key(void **state)
{
	uint64_t all = file_meminfo("MemTotal:");

	(void)state;
	assert_in_range(file_meminfo("MemAvailable:"), 1, all - 1);
	/* a part of a key is none */
	assert_int_equal(file_meminfo("Total:"), 0);
	assert_int_equal(file_meminfo("NoSuchKey:"), 0);
}

static void the_number_at_the_start_of_a_file_is_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t v;
	} t[] = {
		{ "", 0 },
		{ "\n", 0 },
		{ "x1\n", 0 },
		{ "-1\n", 0 },
		{ " 1\n", 0 },
		{ "0\n", 0 },
		{ "4", 4 },
		{ "4\n", 4 },
		{ "4096 kB\n", 4096 },
		{ "007\n", 7 },
		{ "4294967296\n", 4294967296 },
		{ "9999999999999999999\n", 9999999999999999999u },
		/* what does not fit is none */
		{ "18446744073709551616\n", 0 },
		{ "10000000000000000000000001\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		put(t[i].text, strlen(t[i].text));
		if (file_number(at, "file") != t[i].v)
			fail_msg("%s: %llu", t[i].text,
				 (unsigned long long)file_number(at, "file"));
	}
}

static void a_number_of_a_line_is_found_by_its_place(void **state)
{
	static const char line[] = "     725        3 52706\n";

	(void)state;
	assert_int_equal(file_nth_number(line, 0), 725);
	assert_int_equal(file_nth_number(line, 1), 3);
	assert_int_equal(file_nth_number(line, 2), 52706);
	assert_int_equal(file_nth_number(line, 3), 0);
	assert_int_equal(file_nth_number("", 2), 0);
}

/* ---- lines ---- */

static const char *path(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s/file", root);
	return text;
}

static void a_text_of_any_length_is_read_by_lines(void **state)
{
	static char text[100000], want[32];
	struct file_lines f;
	size_t len = 0;
	char *line;

	(void)state;
	for (unsigned i = 0; i < 9000; i++)
		len += (size_t)sprintf(text + len, "line %u\n", i);
	put(text, len);
	assert_int_equal(file_lines_open(&f, path()), 0);
	for (unsigned i = 0; i < 9000; i++) {
		line = file_lines_next(&f);
		sprintf(want, "line %u", i);
		assert_string_equal(line, want);
	}
	assert_null(file_lines_next(&f));
	assert_null(file_lines_next(&f));
	assert_int_equal(f.fd, -1);
}

static void a_last_line_needs_no_newline(void **state)
{
	struct file_lines f;

	(void)state;
	put("a\n\nb", 4);
	assert_int_equal(file_lines_open(&f, path()), 0);
	assert_string_equal(file_lines_next(&f), "a");
	assert_string_equal(file_lines_next(&f), "");
	assert_string_equal(file_lines_next(&f), "b");
	assert_null(file_lines_next(&f));
	put("", 0);
	assert_int_equal(file_lines_open(&f, path()), 0);
	assert_null(file_lines_next(&f));
}

/* Every length around that of the buffer, and another line behind it. */
static void of_a_line_that_is_too_long_the_end_is_read(void **state)
{
	static char text[3 * FILE_LINE];
	struct file_lines f;
	const char *line;

	(void)state;
	for (size_t n = FILE_LINE - 5; n < FILE_LINE + 3; n++) {
		memset(text, 'x', n);
		strcpy(text + n, "end\nb\n");
		put(text, strlen(text));
		text[n + 3] = '\0';
		assert_int_equal(file_lines_open(&f, path()), 0);
		line = file_lines_next(&f);
		assert_true(strlen(line) == n + 3 || n + 3 >= FILE_LINE);
		assert_string_equal(line, text + n + 3 - strlen(line));
		assert_string_equal(file_lines_next(&f), "b");
		file_lines_close(&f);
		file_lines_close(&f);
	}
}

static void what_cannot_be_opened_has_no_lines(void **state)
{
	struct file_lines f;

	(void)state;
	assert_int_equal(file_lines_open(&f, "/nothing"), NBD_E_NOT_FOUND);
	assert_null(file_lines_next(&f));
	file_lines_close(&f);
}

static void a_lock_of_another_file_description_is_waited_for(void **state)
{
	int one, two;

	(void)state;
	assert_int_equal(file_write(at, "lock", "", 0), 0);
	one = openat(at, "lock", O_RDONLY);
	two = openat(at, "lock", O_RDONLY);
	assert_true(file_lock(one, 0));
	assert_false(file_lock(two, 0));
	assert_int_equal(errno, EWOULDBLOCK);
	assert_false(file_lock(two, 60));
	close(one);
	assert_true(file_lock(two, 0));
	close(two);
	assert_false(file_lock(-1, 60000));
	assert_int_equal(errno, EBADF);
	assert_int_equal(unlinkat(at, "lock", 0), 0);
}

static void nothing_is_left_open(void **state)
{
	int before = dup(at), after;
	char buf[2];

	(void)state;
	close(before);
	for (int i = 0; i < 3; i++) {
		file_read(at, "file", buf, sizeof(buf));
		file_read(at, "directory", buf, sizeof(buf));
		file_number(at, "file");
		file_write(at, "file", "1", 1);
		file_write(at, "directory", "1", 1);
	}
	after = dup(at);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_as_far_as_there_is_room),
		cmocka_unit_test(what_cannot_be_read_is_empty),
		cmocka_unit_test(what_comes_in_pieces_is_read_whole),
		cmocka_unit_test(a_file_is_made_what_is_written),
		cmocka_unit_test(a_place_of_a_file_is_written_as_a_whole),
		cmocka_unit_test(a_place_of_a_file_is_read_as_a_whole),
		cmocka_unit_test(a_file_is_replaced_as_a_whole),
		cmocka_unit_test(the_directories_of_a_file_are_made),
		cmocka_unit_test(no_other_directory_is_made),
		cmocka_unit_test(a_line_of_meminfo_is_found_by_its_key),
		cmocka_unit_test(the_number_at_the_start_of_a_file_is_read),
		cmocka_unit_test(a_number_of_a_line_is_found_by_its_place),
		cmocka_unit_test(a_text_of_any_length_is_read_by_lines),
		cmocka_unit_test(a_last_line_needs_no_newline),
		cmocka_unit_test(of_a_line_that_is_too_long_the_end_is_read),
		cmocka_unit_test(what_cannot_be_opened_has_no_lines),
		cmocka_unit_test(
			a_lock_of_another_file_description_is_waited_for),
		cmocka_unit_test(nothing_is_left_open),
	};

	return cmocka_run_group_tests_name("file", tests, begin, end);
}
