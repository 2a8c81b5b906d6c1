/* SPDX-License-Identifier: BSD-2-Clause */
/* What makes another export the same disk. */
#include "port/export_same.h"
#include "tests/unit.h"

#define MIB   (1ull << 20)
#define FLAGS (NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA)

static struct nbd_relied r;
static struct nbd_export e;
static struct nbd_diag d;

/* A device of 1 MiB, and an export that has just what it relies on. */
static int begin(void **state)
{
	(void)state;
	r = (struct nbd_relied){ .size = MIB,
				 .flags = NBD_FLAG_SEND_FLUSH,
				 .block = 1024,
				 .longest = 65536 };
	e = (struct nbd_export){ .size = MIB,
				 .flags = FLAGS,
				 .has_block = true,
				 .min_block = 1024,
				 .pref_block = 4096,
				 .max_payload = 65536 };
	d.text[0] = '\0';
	return 0;
}

static void assert_fits(void)
{
	assert_int_equal(nbd_export_fits(&r, &e, &d), 0);
}

static void assert_not(int err, const char *why)
{
	assert_int_equal(nbd_export_fits(&r, &e, &d), err);
	assert_non_null(strstr(d.text, why));
}

static void a_larger_export_fits_unless_the_size_is_fixed(void **state)
{
	(void)state;
	assert_fits();
	e.size++;
	assert_fits();
	r.fixed = true;
	assert_not(NBD_E_SIZE, "1048577 bytes, the device has 1048576");
	e.size = MIB - 1;
	assert_not(NBD_E_SIZE, "1048575");
	r.fixed = false;
	assert_not(NBD_E_SIZE, "would be lost");
}

static void features_in_use_must_stay(void **state)
{
	static const struct {
		uint16_t flag;
		int err;
		const char *name;
	} cases[] = {
		{ NBD_FLAG_SEND_FLUSH, NBD_E_MISMATCH, "flush" },
		{ NBD_FLAG_SEND_FUA, NBD_E_MISMATCH, "FUA" },
		{ NBD_FLAG_SEND_TRIM, NBD_E_MISMATCH, "trim" },
		{ NBD_FLAG_SEND_WRITE_ZEROES, NBD_E_MISMATCH, "zeroes" },
		{ NBD_FLAG_SEND_CACHE, NBD_E_MISMATCH, "a feature" },
		{ NBD_FLAG_CAN_MULTI_CONN, NBD_E_MULTI_CONN, "several" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		r.flags = cases[i].flag;
		e.flags = NBD_FLAG_HAS_FLAGS | cases[i].flag;
		assert_fits();
		e.flags = 0xfffd & (uint16_t)~cases[i].flag;
		assert_not(cases[i].err, cases[i].name);
	}
}

static void what_is_written_must_stay_writable(void **state)
{
	(void)state;
	e.flags |= NBD_FLAG_READ_ONLY;
	assert_not(NBD_E_MISMATCH, "read-only");
	r.read_only = true;
	assert_fits();
	e.flags ^= NBD_FLAG_READ_ONLY;
	assert_fits();
}

static void block_sizes_may_only_become_wider(void **state)
{
	(void)state;
	e.min_block = 512;
	e.max_payload = 1 << 20;
	assert_fits();
	e.min_block = 2048;
	assert_not(NBD_E_BLOCK, "minimum block size is 2048 bytes, the "
				"device's is 1024");
	e.min_block = 1;
	e.max_payload = 65535;
	assert_not(NBD_E_PAYLOAD,
		   "accepts 65535 bytes at once, the device sends up to 65536");
	/* a server that says nothing accepts 32 MiB */
	e.has_block = false;
	assert_fits();
	r.longest = 32 << 20;
	assert_fits();
	r.longest++;
	assert_not(NBD_E_PAYLOAD, "accepts 33554432");
}

static void exports_side_by_side_are_equal_but_for_block_sizes(void **state)
{
	struct nbd_export all = e;

	(void)state;
	e.min_block = 4096;
	e.max_payload = 1 << 20;
	assert_int_equal(nbd_export_agree(&all, &e, &d), 0);
	assert_int_equal(all.min_block, 4096);
	assert_int_equal(all.max_payload, 65536);
	e.min_block = 1;
	e.max_payload = 32768;
	assert_int_equal(nbd_export_agree(&all, &e, &d), 0);
	assert_int_equal(all.min_block, 4096);
	assert_int_equal(all.max_payload, 32768);
	e.size++;
	assert_int_equal(nbd_export_agree(&all, &e, &d), NBD_E_MISMATCH);
	assert_string_equal(
		d.text, "sizes 1048576 and 1048577, flags 0xd and 0xd (serve "
			"the same export on every connection)");
	e.size--;
	e.flags |= NBD_FLAG_READ_ONLY;
	assert_int_equal(nbd_export_agree(&all, &e, &d), NBD_E_MISMATCH);
	e.flags = all.flags;
	e.max_payload = 2048;
	assert_int_equal(nbd_export_agree(&all, &e, &d), NBD_E_MISMATCH);
	assert_non_null(strstr(d.text, "at least 4096"));
}

static void
one_that_says_nothing_about_blocks_accepts_the_defaults(void **state)
{
	struct nbd_export all = e;

	(void)state;
	e.has_block = false;
	e.min_block = e.max_payload = 0;
	assert_int_equal(nbd_export_agree(&all, &e, &d), 0);
	assert_int_equal(all.min_block, 1024);
	assert_int_equal(all.max_payload, 65536);
	/* the other way round */
	assert_int_equal(nbd_export_agree(&e, &all, &d), 0);
	assert_true(e.has_block);
	assert_int_equal(e.min_block, 1024);
	assert_int_equal(e.max_payload, 65536);
	e.has_block = all.has_block = false;
	assert_int_equal(nbd_export_agree(&e, &all, &d), 0);
	assert_false(e.has_block);
	all.max_payload = UINT32_MAX;
	all.has_block = true;
	assert_int_equal(nbd_export_agree(&e, &all, &d), 0);
	assert_int_equal(e.max_payload, 32 << 20);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
	static const struct CMUnitTest tests[] = {
		T(a_larger_export_fits_unless_the_size_is_fixed),
		T(features_in_use_must_stay),
		T(what_is_written_must_stay_writable),
		T(block_sizes_may_only_become_wider),
		T(exports_side_by_side_are_equal_but_for_block_sizes),
		T(one_that_says_nothing_about_blocks_accepts_the_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
