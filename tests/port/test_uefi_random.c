/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes of firmware, with its generator and without. */
#include "tests/unit.h"

#include "port/uefi/random.c"
#include "tests/world/clock.h"

static struct firmware {
	efi_status found, got; /* the results */
	unsigned stalls;
} fw;

static efi_status get(struct rng *r, const struct efi_guid *algorithm,
		      size_t len, void *to)
{
	(void)r;
	assert_null(algorithm);
	memset(to, 0x5a, len);
	return fw.got;
}

static struct rng generator = { .get = get };

static efi_status locate(const struct efi_guid *what, void *key, void **found)
{
	assert_memory_equal(what, &rng, sizeof(rng));
	assert_null(key);
	*found = &generator;
	return fw.found;
}

/* Takes a little longer each time. */
static efi_status stall(size_t us)
{
	assert_int_equal(us, 1);
	world.now += ++fw.stalls;
	return 0;
}

static struct efi_boot boot = { .locate = locate, .stall = stall };
struct efi_world efi = { .bs = &boot };

static int set_up(void **state)
{
	(void)state;
	fw = (struct firmware){ 0 };
	return 0;
}

static void they_are_the_generators(void **state)
{
	unsigned char to[4] = { 0 };

	(void)state;
	efi_random(to, 3);
	assert_memory_equal(to, "\x5a\x5a\x5a\0", 4);
	assert_int_equal(fw.stalls, 0);
}

/* By the clock; nothing but those bytes is written. */
static void is_of_the_clock(void)
{
	unsigned char a[33] = { 0 }, b[33] = { 0 };

	efi_random(a, 32);
	efi_random(b, 32);
	assert_int_equal(fw.stalls, 2 * 32 * 4);
	assert_memory_not_equal(a, b, 32);
	assert_int_equal(a[32], 0);
	assert_int_equal(b[32], 0);
}

static void without_one_they_are_of_the_clock(void **state)
{
	(void)state;
	fw.found = EFI_NOT_FOUND;
	is_of_the_clock();
}

static void with_one_that_fails_too(void **state)
{
	(void)state;
	fw.got = EFI_DEVICE_ERROR;
	is_of_the_clock();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(they_are_the_generators, set_up),
		cmocka_unit_test_setup(without_one_they_are_of_the_clock,
				       set_up),
		cmocka_unit_test_setup(with_one_that_fails_too, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
