/* SPDX-License-Identifier: BSD-2-Clause */
/* Which images take words from whoever starts them. */
#include "tests/guard.h"
#include "tests/unit.h"
#include "boot/uefi/pe.h"

static struct guard guard;
static uint8_t image[1024];

/* An empty image, whose table of sections is at 0x158. */
static void begin(void)
{
	memset(image, 0, sizeof(image));
	memcpy(image, "MZ", 2);
	image[0x3c] = 0x40;
	memcpy(image + 0x40, "PE\0\0", 4);
	image[0x54] = 0xf0; /* the optional header */
	image[0x55] = 0;
}

static void section(const char *name, unsigned char size)
{
	uint8_t *p = image + 0x40 + 4 + 20 + 0xf0 + 40 * image[0x46]++;

	memcpy(p, name, strnlen(name, 8));
	p[8] = size;
}

/* All of it, at the end of readable memory. */
static bool obeys(size_t len)
{
	return uefi_pe_obeys(guard_copy(&guard, image, len), len);
}

static void kernels_obey(void **state)
{
	(void)state;
	begin();
	section(".text", 1);
	assert_false(obeys(sizeof(image)));
	memcpy(image + 0x202, "HdrS", 4);
	assert_true(obeys(sizeof(image)));
	assert_true(obeys(0x206));
	assert_false(obeys(0x205));
	begin();
	memcpy(image + 0x38, "ARM\x64", 4);
	assert_true(obeys(sizeof(image)));
	begin();
	memcpy(image + 4, "zimg", 4);
	assert_true(obeys(sizeof(image)));
}

static void an_image_with_words_of_its_own_does_not(void **state)
{
	(void)state;
	begin();
	section(".linux", 1);
	assert_true(obeys(sizeof(image)));
	section(".cmdline", 0);
	assert_true(obeys(sizeof(image)));
	section(".cmdlinX", 1);
	assert_true(obeys(sizeof(image)));
	section(".cmdline", 1);
	assert_false(obeys(sizeof(image)));
	/* the kernel is behind it: only .linux itself counts */
	memcpy(image + 0x202, "HdrS", 4);
	assert_false(obeys(sizeof(image)));
}

static void headers_that_lie_are_not_followed(void **state)
{
	(void)state;
	begin();
	section(".linux", 1);
	section(".cmdline", 1);
	for (size_t len = 0; len < sizeof(image); len++)
		obeys(len);
	for (unsigned at = 0x3c; at < 0x60; at++) {
		begin();
		section(".linux", 1);
		image[at] = image[at + 1] = 0xff;
		obeys(sizeof(image));
		obeys(0x160);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_obey),
		cmocka_unit_test(an_image_with_words_of_its_own_does_not),
		cmocka_unit_test(headers_that_lie_are_not_followed),
	};
	int rc;

	guard = guard_new(sizeof(image));
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	guard_free(&guard);
	return rc;
}
