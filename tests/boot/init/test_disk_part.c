/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions by the table of a disk that nobody trusts. */
#include "boot/init/disk_part.h"

#include <string.h>

#include "tests/boot/init/gpt_bad.h"
#include "tests/boot/init/image.h"

static int disk;
static unsigned reads;

static int bytes(void *ctx, void *buf, size_t len, uint64_t at,
		 struct nbd_diag *d)
{
	const struct disk_bytes *b = ctx;

	(void)d;
	reads++;
	assert_true(at <= b->size && len <= b->size - at);
	assert_int_equal(pread(disk, buf, len, (off_t)at), len);
	return 0;
}

static int find(struct disk_part *p, const char *name)
{
	struct disk_bytes b = {
		.name = "disk", .size = 4 * MIB, .read = bytes, .ctx = &b
	};
	struct nbd_diag d;
	int rc;

	reads = 0;
	rc = init_disk_part(p, &b, "--part", name, &d);
	/* of hostile tables no more than of good ones: 256 entries */
	assert_in_range(reads, 0, 600);
	return rc;
}

static void put32(off_t at, uint32_t v)
{
	unsigned char p[4];

	for (unsigned i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> 8 * i);
	put(disk, at, p, 4);
}

static uint32_t crc(off_t at, size_t len)
{
	unsigned char p[4096];
	uint32_t c = ~0u;

	assert_int_equal(pread(disk, p, len, at), len);
	for (size_t i = 0; i < len; i++) {
		c ^= p[i];
		for (unsigned k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

/* With two entries, the second one from sector 2048 to `last`. */
static void gpt(uint32_t last)
{
	disk = image(4 * MIB);
	put(disk, 446 + 4, "\xee", 1);
	put32(446 + 8, 1);
	put(disk, 510, "\x55\xaa", 2);
	put(disk, 512, "EFI PART\0\0\1\0", 12);
	put32(512 + 12, 92);
	put32(512 + 72, 2);
	put32(512 + 80, 4);
	put32(512 + 84, 128);
	put(disk, 1024 + 128, "type", 4);
	put(disk, 1024 + 128 + 16, "uuid", 4);
	put32(1024 + 128 + 32, 2048);
	put32(1024 + 128 + 40, last);
	put32(512 + 88, crc(1024, 4 * 128));
	put32(512 + 16, crc(512, 92));
}

static void a_partition_lies_in_the_disk(void **state)
{
	struct disk_part p;

	(void)state;
	gpt(4095);
	assert_int_equal(find(&p, "2"), 0);
	assert_int_equal(p.at, MIB);
	assert_int_equal(p.len, MIB);
	assert_int_equal(find(&p, "1"), NBD_E_NOT_FOUND);
	assert_int_equal(find(&p, "PARTUUID=64697575-0000-0000-0000-"
				  "000000000000"),
			 0);
	close(disk);
	gpt(8191);
	assert_int_equal(find(&p, "2"), 0);
	close(disk);
	for (uint32_t last = 8192; last; last = last << 3 | 1) {
		gpt(last);
		assert_int_equal(find(&p, "2"), NBD_E_MISMATCH);
		close(disk);
		if (last > UINT32_MAX >> 3)
			break;
	}
	gpt(2047);
	assert_int_equal(find(&p, "2"), NBD_E_MISMATCH);
	close(disk);
}

static void a_bad_table_is_refused(void **state)
{
	struct disk_part p;

	(void)state;
	for (size_t i = 0; i < sizeof(gpt_bad) / sizeof(gpt_bad[0]); i++) {
		gpt(4095);
		put(disk, gpt_bad[i].at, gpt_bad[i].bytes, 8);
		put32(512 + 16, 0);
		put32(512 + 16, crc(512, 92));
		assert_int_not_equal(find(&p, "2"), 0);
		close(disk);
	}
}

static void one_byte_breaks_the_sums(void **state)
{
	struct disk_part p;

	(void)state;
	for (off_t at = 512 + 20; at < 512 + 92; at++) {
		gpt(4095);
		put(disk, at, "\x99", 1);
		assert_int_not_equal(find(&p, "2"), 0);
		close(disk);
	}
	gpt(4095);
	put32(1024 + 128 + 40, 4094);
	assert_int_equal(find(&p, "2"), NBD_E_MISMATCH);
	close(disk);
}

static void a_chain_ends(void **state)
{
	struct disk_part p;

	(void)state;
	disk = image(4 * MIB);
	put(disk, 510, "\x55\xaa", 2);
	put(disk, 446 + 4, "\x05", 1);
	put32(446 + 8, 8);
	put32(446 + 12, 1000);
	put(disk, 8 * 512 + 510, "\x55\xaa", 2);
	put(disk, 8 * 512 + 446 + 4, "\x83", 1);
	put32(8 * 512 + 446 + 8, 8);
	put32(8 * 512 + 446 + 12, 16);
	assert_int_equal(find(&p, "5"), 0);
	assert_int_equal(p.at, 16 * 512);
	assert_int_equal(p.len, 16 * 512);
	/* the next link is this one, one that is none, or no sector */
	put(disk, 8 * 512 + 462 + 4, "\x05", 1);
	assert_int_equal(find(&p, "5"), 0);
	put32(8 * 512 + 462 + 8, 100);
	/* an empty entry is no link, as for the kernel */
	assert_int_equal(find(&p, "5"), 0);
	put32(8 * 512 + 462 + 12, 100);
	assert_int_equal(find(&p, "5"), NBD_E_MISMATCH);
	put32(8 * 512 + 462 + 8, UINT32_MAX);
	assert_int_equal(find(&p, "5"), NBD_E_MISMATCH);
	put32(446 + 8, 0);
	assert_int_equal(find(&p, "5"), NBD_E_NOT_FOUND);
	/* two that point at each other, without an end */
	put32(446 + 8, 8);
	put32(8 * 512 + 462 + 8, 1);
	put(disk, 9 * 512 + 510, "\x55\xaa", 2);
	put(disk, 9 * 512 + 462 + 4, "\x05", 1);
	put32(9 * 512 + 462 + 8, 1);
	put32(9 * 512 + 462 + 12, 100);
	assert_int_equal(find(&p, "5"), NBD_E_MISMATCH);
	put32(446 + 12, 0);
	assert_int_equal(find(&p, "5"), NBD_E_NOT_FOUND);
	close(disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_partition_lies_in_the_disk),
		cmocka_unit_test(a_bad_table_is_refused),
		cmocka_unit_test(one_byte_breaks_the_sums),
		cmocka_unit_test(a_chain_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
