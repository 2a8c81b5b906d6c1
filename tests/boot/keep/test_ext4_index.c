/* SPDX-License-Identifier: BSD-2-Clause */
/* The index blocks of a directory, by an ext4 of a few bytes, sound and not. */
#include "boot/keep/keep.h"
#include "tests/unit.h"

#include <sys/mman.h>
#include <unistd.h>

/* Where things are in it: 16 inodes of 128 bytes, in two groups. */
enum {
	BLOCK = 1024,
	SUPER = 1024,
	GROUPS = 2 * BLOCK,
	TABLE = 5, /* a block, of the second group's inodes */
	INODE = 12,
	NODE = TABLE * BLOCK + 3 * 128 + 40,
	END = 8 * BLOCK
};

static struct keep k;
static struct {
	uint64_t at[8];
	unsigned n;
} locked;

int __wrap_keep_lock(struct keep *of, int fd, uint64_t at, uint64_t len);
int __wrap_keep_lock(struct keep *of, int fd, uint64_t at, uint64_t len)
{
	assert_ptr_equal(of, &k);
	assert_int_equal(fd, k.disk);
	assert_int_equal(len, BLOCK);
	assert_true(locked.n < ARRAY_SIZE(locked.at));
	locked.at[locked.n++] = at;
	return 0;
}

static void put(uint64_t at, unsigned bytes, uint64_t value)
{
	for (; bytes--; at++, value >>= 8) {
		unsigned char c = (unsigned char)value;

		assert_int_equal(pwrite(k.disk, &c, 1, (off_t)at), 1);
	}
}

/* The fields of an entry: the first block of what it leads to, and where that is. */
static void put_entry(unsigned i, uint64_t block)
{
	put(NODE + 12 + 12 * i + 4, 4, block);
	put(NODE + 12 + 12 * i + 8, 2, block >> 32);
}

static int begin(void **state)
{
	(void)state;
	memset(&locked, 0, sizeof(locked));
	k = (struct keep){ .disk = memfd_create("ext4", MFD_CLOEXEC) };
	assert_int_equal(ftruncate(k.disk, END), 0);
	put(SUPER, 4, 16);
	put(SUPER + 20, 4, 1);
	put(SUPER + 40, 4, 8);
	put(SUPER + 56, 2, 0xef53);
	put(SUPER + 88, 2, 128);
	put(GROUPS + 32 + 8, 4, TABLE);
	put(NODE, 2, 0xf30a);
	put(NODE + 2, 2, 2);
	put(NODE + 6, 2, 1);
	put_entry(0, 7);
	put_entry(1, UINT64_C(0x300000002));
	return 0;
}

static int end(void **state)
{
	(void)state;
	return close(k.disk);
}

static void the_blocks_of_an_index_are_locked(void **state)
{
	(void)state;
	keep_tree(&k, INODE);
	assert_int_equal(locked.n, 2);
	assert_int_equal(locked.at[0], 7 * BLOCK);
	assert_int_equal(locked.at[1], UINT64_C(0x300000002) * BLOCK);
}

static void numbers_of_64_bits_are_read_whole(void **state)
{
	(void)state;
	put(SUPER + 96, 4, 0x80);
	put(SUPER + 254, 2, 64);
	put(GROUPS + 32 + 8, 4, 0);
	put(GROUPS + 64 + 8, 4, TABLE);
	keep_tree(&k, INODE);
	assert_int_equal(locked.n, 2);
	/* behind the end of the disk */
	put(GROUPS + 64 + 40, 4, 1);
	keep_tree(&k, INODE);
	assert_int_equal(locked.n, 2);
	/* so far behind that its bytes are counted from the start again */
	put(GROUPS + 64 + 40, 4, 1u << 22);
	keep_tree(&k, INODE);
	assert_int_equal(locked.n, 2);
}

/* Its four extents are in the inode, or it has none. */
static void what_has_no_index_locks_nothing(void **state)
{
	(void)state;
	put(NODE + 6, 2, 0);
	keep_tree(&k, INODE);
	put(NODE + 6, 2, 1);
	put(NODE, 2, 0);
	keep_tree(&k, INODE);
	assert_int_equal(locked.n, 0);
}

static void more_entries_than_an_inode_has_are_not_read(void **state)
{
	(void)state;
	put(NODE + 2, 2, 0xffff);
	keep_tree(&k, INODE);
	assert_int_equal(locked.n, 4);
}

static void a_disk_that_lies_locks_nothing(void **state)
{
	static const struct {
		unsigned at, bytes;
		uint64_t value;
	} lies[] = {
		{ SUPER + 56, 2, 0xef54 },     /* no ext4 */
		{ SUPER + 24, 4, 7 },	       /* blocks of 128 KiB */
		{ SUPER + 24, 4, 0xffffffff }, /* of more than there is */
		{ SUPER + 40, 4, 0 },	       /* no inodes in a group */
		{ SUPER + 88, 2, 0 },	       /* of no bytes */
		{ SUPER + 88, 2, 127 },	       /* of less than fields */
		{ SUPER + 88, 2, 0xffff },     /* of more than a block */
		{ SUPER, 4, INODE - 1 },       /* fewer inodes */
		{ SUPER + 96, 4, 0x10 },       /* descriptors elsewhere */
		{ SUPER + 96, 4, 0x80 },       /* wide ones of 0 bytes */
		{ SUPER + 20, 4, 0xffffffff }, /* a group behind the end */
		{ GROUPS + 40, 4, 0xffffffff } /* a table behind the end */
	};

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		begin(state);
		put(lies[i].at, lies[i].bytes, lies[i].value);
		keep_tree(&k, INODE);
		if (locked.n)
			fail_msg("lie %zu is believed", i);
		end(state);
	}
	begin(state);
	keep_tree(&k, 0);
	keep_tree(&k, 17);
	keep_tree(&k, UINT64_MAX);
	assert_int_equal(locked.n, 0);
}

static void a_disk_that_is_cut_locks_nothing(void **state)
{
	(void)state;
	for (unsigned len = NODE + 60; len; len -= len > 512 ? 100 : 1) {
		assert_int_equal(ftruncate(k.disk, (off_t)len - 1), 0);
		keep_tree(&k, INODE);
		assert_int_equal(locked.n, 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_blocks_of_an_index_are_locked),
		TEST(numbers_of_64_bits_are_read_whole),
		TEST(what_has_no_index_locks_nothing),
		TEST(more_entries_than_an_inode_has_are_not_read),
		TEST(a_disk_that_lies_locks_nothing),
		TEST(a_disk_that_is_cut_locks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
