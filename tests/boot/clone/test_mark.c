/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks: what is printed is parsed, and nothing else is. */
#include "boot/clone/disk.h"
#include "boot/clone/mark.h"
#include "tests/guard.h"
#include "tests/unit.h"

#include <stdlib.h>

#define DEVICE (40u << 11) /* sectors: 40 MiB */

static const struct clone_mark whole = { .state = CLONE_COMPLETE,
					 .device = DEVICE,
					 .sectors = 65536,
					 .part = 2,
					 .image = "w-0123456789abcdef" };
static struct nbd_diag d;

static int parse(struct clone_mark *m, const char *text)
{
	return clone_mark_parse(m, text, DEVICE, &d);
}

static void what_is_printed_is_parsed(void **state)
{
	struct clone_mark m, copying = whole;
	char text[CLONE_MARK];

	(void)state;
	clone_mark_print(&whole, text);
	assert_int_equal(parse(&m, text), NBD_OK);
	assert_int_equal(m.state, CLONE_COMPLETE);
	assert_int_equal(m.sectors, 65536);
	assert_int_equal(m.part, 2);
	assert_string_equal(m.image, whole.image);
	copying.state = CLONE_COPYING;
	nbd_fmt(copying.image, sizeof(copying.image), "-");
	clone_mark_print(&copying, text);
	assert_int_equal(parse(&m, text), NBD_OK);
	assert_int_equal(m.state, CLONE_COPYING);
	assert_string_equal(m.image, "-");
}

static void every_other_byte_is_refused(void **state)
{
	struct clone_mark m;
	char text[CLONE_MARK];

	(void)state;
	clone_mark_print(&whole, text);
	for (size_t i = 0; i < sizeof(text); i++) {
		text[i] ^= 1;
		assert_int_not_equal(parse(&m, text), NBD_OK);
		text[i] ^= 1;
	}
	memset(text, 0, sizeof(text));
	assert_int_equal(parse(&m, text), NBD_E_NOT_FOUND);
}

static void a_mark_of_another_device_is_none(void **state)
{
	struct clone_mark m, large = whole;
	char text[CLONE_MARK];

	(void)state;
	clone_mark_print(&whole, text);
	assert_int_equal(clone_mark_parse(&m, text, DEVICE + 8, &d),
			 NBD_E_MISMATCH);
	/* it would lie in the image */
	large.sectors = DEVICE - CLONE_TAIL / 512 + 1;
	clone_mark_print(&large, text);
	assert_int_equal(parse(&m, text), NBD_E_MISMATCH);
	large.sectors--;
	clone_mark_print(&large, text);
	assert_int_equal(parse(&m, text), NBD_OK);
}

static void a_text_without_an_end_is_not_left(void **state)
{
	struct guard g = guard_new(CLONE_MARK);
	char *text = guard_end(&g, CLONE_MARK);
	struct clone_mark m;

	(void)state;
	clone_mark_print(&whole, text);
	for (size_t i = strlen(text); i < CLONE_MARK; i++)
		text[i] = '9';
	assert_int_equal(parse(&m, text), NBD_E_MISMATCH);
	memset(text + 60, '9', CLONE_MARK - 60);
	assert_int_equal(parse(&m, text), NBD_E_MISMATCH);
}

static void its_place_is_near_the_end(void **state)
{
	(void)state;
	assert_int_equal(clone_mark_at(0), 0);
	assert_int_equal(clone_mark_at(2 * CLONE_TAIL - 1), 0);
	assert_int_equal(clone_mark_at(2 * CLONE_TAIL), CLONE_TAIL);
	assert_int_equal(clone_mark_at(2 * CLONE_TAIL + 4095), CLONE_TAIL);
	assert_int_equal(clone_mark_at(UINT64_MAX) % 4096, 0);
}

/* NBD_E_NO_DEVICE has a hint at nbd devices. */
static void a_disk_that_is_none_is_no_nbd_device(void **state)
{
	struct clone_disk disk = { .path = "/nonexistent" };

	(void)state;
	assert_int_equal(clone_disk_open(&disk, 0, &d), NBD_E_NOT_FOUND);
	assert_string_equal(d.text,
			    "open /nonexistent: No such file or directory");
	strcpy(disk.path, "/dev/null");
	assert_int_equal(clone_disk_open(&disk, 0, &d), NBD_E_NOT_FOUND);
	clone_disk_close(&disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_is_parsed),
		cmocka_unit_test(every_other_byte_is_refused),
		cmocka_unit_test(a_mark_of_another_device_is_none),
		cmocka_unit_test(a_text_without_an_end_is_not_left),
		cmocka_unit_test(its_place_is_near_the_end),
		cmocka_unit_test(a_disk_that_is_none_is_no_nbd_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
