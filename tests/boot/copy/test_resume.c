/* SPDX-License-Identifier: BSD-2-Clause */
/* copy --resume, from a source that counts what is read, and may fail. */
#include "boot/copy/copy.h"

#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MIB	(1u << 20)
#define SIZE	(24u * MIB + 1000)
#define RECORD	40 /* bytes */
#define NOWHERE UINT64_MAX

static char dir[32], out[64], part[80];
static struct nbd_diag d;
static int flush_error; /* of each child */
static bool no_process;

static struct {
	uint64_t fails_at; /* the first byte that cannot be read */
	uint64_t read;	   /* bytes, in all */
	uint32_t align, piece;
	unsigned char seed; /* another content */
	uint64_t odd;	    /* a byte that changes with each pass */
	unsigned passes;
	bool interrupts; /* a signal comes with each read */
} source;

/* The fourth MiB is a hole. */
static bool in_hole(uint64_t at)
{
	return at / MIB == 3;
}

static unsigned char content(uint64_t at)
{
	return in_hole(at) ? 0
			   : (unsigned char)(at >> 16 ^ at * 7 ^ source.seed);
}

static int read_source(struct side *s, struct task *t, struct nbd_iov *to,
		       struct nbd_diag *diag)
{
	unsigned char *p = to->base;

	(void)s;
	assert_int_equal(t->offset % source.align, 0);
	if (t->offset + t->len > source.fails_at)
		return nbd_diag(diag, NBD_E_IO, "bad sector");
	if (source.interrupts)
		copy_interrupted = 1;
	source.read += t->len;
	source.passes += t->offset == 0;
	for (uint32_t i = 0; i < t->len; i++)
		p[i] = content(t->offset + i);
	if (source.odd - t->offset < t->len)
		p[source.odd - t->offset] ^= (unsigned char)source.passes;
	return 0;
}

static int find_extent(struct side *s, uint64_t offset, uint64_t *len,
		       bool *zero, struct nbd_diag *diag)
{
	(void)diag;
	*zero = in_hole(offset);
	*len = (*zero		    ? 4u * MIB
		: offset < 3u * MIB ? 3u * MIB
				    : s->size) -
	       offset;
	return 0;
}

static void close_source(struct side *s)
{
	(void)s;
}

static const struct side_ops source_ops = {
	.read = read_source,
	.extent = find_extent,
	.close = close_source,
};

/* A second passes whenever somebody looks, so records are frequent. */
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	static time_t now = 1000;

	(void)id;
	*t = (struct timespec){ .tv_sec = now++ };
	return 0;
}

int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
	(void)fd;
	errno = flush_error;
	return flush_error ? -1 : 0;
}

pid_t __real_process_fork(void);
pid_t __wrap_process_fork(void);
pid_t __wrap_process_fork(void)
{
	errno = EAGAIN;
	return no_process ? -1 : __real_process_fork();
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/resume.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(part, sizeof(part), "%s" COPY_PART, out);
	memset(&source, 0, sizeof(source));
	source.fails_at = source.odd = NOWHERE;
	source.align = 1;
	source.piece = COPY_PIECE;
	flush_error = 0;
	no_process = false;
	d.text[0] = '\0';
	return 0;
}

static int cleanup(void **state)
{
	(void)state;
	unlink(out);
	unlink(part);
	rmdir(dir);
	return 0;
}

static int run(uint64_t size, const struct copy_options *o)
{
	struct side dst, src = { .ops = &source_ops,
				 .name = "src",
				 .size = size,
				 .align = source.align,
				 .piece = source.piece,
				 .zeroes = COPY_ZEROES };
	struct copy c = { .src = &src, .dst = &dst, .d = &d };
	uint64_t done;
	int err = o->resume ? copy_side_open_part(&dst, out, &d)
			    : copy_side_open_file(&dst, out, true, &d);

	source.read = source.passes = 0;
	if (err)
		return err;
	err = copy_run(&c, o, &done);
	dst.ops->close(&dst);
	return err;
}

static int copy(void)
{
	return run(SIZE, &(struct copy_options){ .depth = 4 });
}

static int resume(void)
{
	return run(SIZE, &(struct copy_options){ .depth = 4, .resume = true });
}

static void assert_says(const char *text)
{
	if (!strstr(d.text, text))
		fail_msg("\"%s\" lacks \"%s\"", d.text, text);
}

static off_t size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) ? -1 : st.st_size;
}

/* Is the file, under its own name alone, all of the source? */
static void assert_complete(void)
{
	static unsigned char got[SIZE];
	int fd = open(out, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(size_of(out), SIZE);
	assert_int_equal(read(fd, got, SIZE), SIZE);
	close(fd);
	for (uint64_t i = 0; i < SIZE; i++)
		if (got[i] != content(i))
			fail_msg("offset %llu", (unsigned long long)i);
	assert_int_equal(size_of(part), -1);
}

static void a_copy_goes_on_where_it_ended(void **state)
{
	(void)state;
	source.fails_at = 20 * MIB;
	assert_int_equal(copy(), NBD_E_IO);
	assert_says("out.nbdboot-part is incomplete (--resume goes on at "
		    "offset 20971520): bad sector");
	source.fails_at = NOWHERE;
	assert_int_equal(resume(), 0);
	assert_complete();
	/* samples, three of which are in the hole, and the rest */
	assert_int_equal(source.read,
			 (COPY_SAMPLES - 3) * COPY_SAMPLE + SIZE - 20 * MIB);
}

static void it_may_end_again_and_again(void **state)
{
	(void)state;
	for (source.fails_at = MIB; source.fails_at < SIZE;
	     source.fails_at += 3 * MIB)
		assert_int_equal(size_of(part) < 0 ? copy() : resume(),
				 NBD_E_IO);
	assert_says("(--resume goes on at offset 23068672)");
	source.fails_at = NOWHERE;
	assert_int_equal(resume(), 0);
	assert_complete();
}

/* Nobody else would see the error: the child has taken it. */
static void data_that_cannot_be_flushed_is_not_counted(void **state)
{
	(void)state;
	flush_error = ENOSPC;
	assert_int_equal(copy(), NBD_E_IO);
	assert_says("is incomplete: flush ");
	assert_says("/out: No space left on device");
	assert_int_equal(size_of(part), SIZE);
	assert_int_equal(resume(), NBD_E_NOT_FOUND);
	assert_says("does not tell how far it is");
}

static void the_old_record_stays_if_a_later_flush_fails(void **state)
{
	(void)state;
	source.fails_at = 8 * MIB;
	assert_int_equal(copy(), NBD_E_IO);
	flush_error = EIO;
	source.fails_at = 16 * MIB;
	assert_int_equal(resume(), NBD_E_IO);
	assert_says("(--resume goes on at offset 8388608)");
	flush_error = 0;
	source.fails_at = NOWHERE;
	assert_int_equal(resume(), 0);
	assert_complete();
}

static void another_source_changes_nothing(void **state)
{
	const struct copy_options o = { .resume = true };

	(void)state;
	source.fails_at = 20 * MIB;
	assert_int_equal(copy(), NBD_E_IO);
	source.fails_at = NOWHERE;
	assert_int_equal(run(SIZE + 1, &o), NBD_E_MISMATCH);
	assert_says("is from a source of 25166824 bytes, and src has 25166825");
	source.seed = 1;
	assert_int_equal(resume(), NBD_E_IO);
	assert_says("out.nbdboot-part is not from this source: src and ");
	source.interrupts = true;
	assert_int_equal(resume(), NBD_E_IO);
	assert_says("out.nbdboot-part is not from this source: src and ");
	source.interrupts = false;
	copy_interrupted = 0;
	source.seed = 0;
	assert_int_equal(resume(), 0);
	assert_complete();
}

/* A server that is replaced may have other blocks. */
static void it_goes_on_at_a_whole_block(void **state)
{
	(void)state;
	source.piece = 1001;
	source.fails_at = 2 * MIB;
	assert_int_equal(copy(), NBD_E_IO);
	assert_says("(--resume goes on at offset 2097095)");
	source.fails_at = NOWHERE;
	source.align = 8;
	source.piece = COPY_PIECE;
	assert_int_equal(resume(), 0);
	assert_complete();
}

static void what_differs_is_not_gone_on_with(void **state)
{
	const struct copy_options o = { .verify = true };

	(void)state;
	source.odd = 9 * MIB;
	assert_int_equal(run(SIZE, &o), NBD_E_IO);
	assert_says("out.nbdboot-part is incomplete: src and ");
	assert_int_equal(size_of(part), SIZE);
	assert_int_equal(resume(), NBD_E_NOT_FOUND);
}

static void a_map_needs_no_process(void **state)
{
	char map[80], text[400];
	const struct copy_options o = { .depth = 4, .map = map };
	FILE *f;

	(void)state;
	snprintf(map, sizeof(map), "%s/map", dir);
	no_process = true;
	assert_int_equal(run(SIZE, &o), 0);
	assert_complete();
	f = fopen(map, "r");
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	unlink(map);
	assert_non_null(strstr(text, "\n0x00000000  0x018003e8  +\n"));
}

/* Flips each bit, cuts it, and makes it longer. */
static void a_record_that_is_spoiled_is_none(void **state)
{
	unsigned char was[RECORD];
	off_t at;
	int fd;

	(void)state;
	source.fails_at = 20 * MIB;
	assert_int_equal(copy(), NBD_E_IO);
	source.fails_at = NOWHERE;
	at = size_of(part) - RECORD;
	assert_int_equal(at % 4096, 0);
	fd = open(part, O_RDWR);
	assert_int_equal(pread(fd, was, RECORD, at), RECORD);
	for (unsigned bit = 0; bit < RECORD * 8; bit++) {
		unsigned char bad = was[bit / 8] ^
				    (unsigned char)(1 << bit % 8);

		assert_int_equal(pwrite(fd, &bad, 1, at + bit / 8), 1);
		assert_int_equal(resume(), NBD_E_NOT_FOUND);
		assert_int_equal(pwrite(fd, &was[bit / 8], 1, at + bit / 8), 1);
	}
	for (off_t len = 0; len <= at + RECORD + 1; len++) {
		if (len == at + RECORD)
			continue;
		assert_int_equal(ftruncate(fd, len), 0);
		assert_int_equal(resume(), NBD_E_NOT_FOUND);
		if (len == 100)
			len = at - 100;
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_copy_goes_on_where_it_ended,
						setup, cleanup),
		cmocka_unit_test_setup_teardown(it_may_end_again_and_again,
						setup, cleanup),
		cmocka_unit_test_setup_teardown(
			data_that_cannot_be_flushed_is_not_counted, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			the_old_record_stays_if_a_later_flush_fails, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(another_source_changes_nothing,
						setup, cleanup),
		cmocka_unit_test_setup_teardown(it_goes_on_at_a_whole_block,
						setup, cleanup),
		cmocka_unit_test_setup_teardown(
			what_differs_is_not_gone_on_with, setup, cleanup),
		cmocka_unit_test_setup_teardown(a_map_needs_no_process, setup,
						cleanup),
		cmocka_unit_test_setup_teardown(
			a_record_that_is_spoiled_is_none, setup, cleanup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
