/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses after failures, against a clock that is played. */
#include "port/retry.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

static int begin(void **state)
{
	(void)state;
	world = (struct world){ .ns = 7000000000 };
	return 0;
}

static struct nbd_retry retry(uint32_t min, uint32_t max, uint32_t patience)
{
	struct nbd_retry r = { .min = min, .max = max, .patience = patience };

	nbd_retry_begin(&r);
	return r;
}

static void assert_about(uint32_t ms, uint32_t base)
{
	assert_in_range(ms, base - base / 2, base + base / 2 + 1);
}

static void pauses_double_up_to_the_longest(void **state)
{
	static const uint32_t base[] = { 100, 200, 400, 500, 500, 500 };
	struct nbd_retry r = retry(100, 500, 0);

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(base); i++)
		assert_about(nbd_retry_pause(&r), base[i]);
	for (unsigned i = 0; i < 100; i++)
		nbd_retry_pause(&r);
	assert_about(nbd_retry_pause(&r), 500);
	nbd_retry_begin(&r);
	assert_about(nbd_retry_pause(&r), 100);
}

static void the_longest_pauses_do_not_overflow(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned i = 30; i < 70; i++)
		assert_in_range(nbd_retry_ms(3, 3000000000, i, &random),
				2625000000, 3375000000);
	assert_in_range(nbd_retry_ms(1000, 1000, 5, &random), 875, 1125);
	/* a pause of nothing stays one */
	assert_in_range(nbd_retry_ms(0, 0, 9, &random), 0, 0);
}

/* As much as the pause is random, and each part of it comes. */
static void machines_that_start_together_do_not_retry_in_step(void **state)
{
	unsigned parts[5] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct nbd_retry r = retry(1000, 1000, 0);

		parts[(nbd_retry_pause(&r) - 500) / 201]++;
		world.ns += 12345;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++)
		assert_in_range(parts[i], 100, 400);
}

static void pauses_in_a_row_differ(void **state)
{
	struct nbd_retry r = retry(1000, 1000, 0);
	uint32_t a = nbd_retry_pause(&r), b = nbd_retry_pause(&r);

	(void)state;
	assert_int_not_equal(a, b);
}

static void what_cannot_pass_is_final_at_once(void **state)
{
	struct nbd_retry r = retry(100, 500, 0);

	(void)state;
	assert_int_equal(nbd_retry_failed(&r, NBD_E_NO_EXPORT),
			 NBD_E_NO_EXPORT);
	assert_int_equal(nbd_retry_failed(&r, NBD_E_MISMATCH), NBD_E_MISMATCH);
	/* and counts for nothing */
	assert_about((uint32_t)nbd_retry_failed(&r, NBD_E_REFUSED), 100);
}

static void an_outage_is_final_when_patience_is_over(void **state)
{
	struct nbd_retry r = retry(100, 500, 2000);

	(void)state;
	world.ns += 1999999999;
	assert_about((uint32_t)nbd_retry_failed(&r, NBD_E_TIMEOUT), 100);
	world.ns += 1;
	assert_int_equal(nbd_retry_failed(&r, NBD_E_TIMEOUT), NBD_E_TIMEOUT);
	nbd_retry_begin(&r);
	assert_about((uint32_t)nbd_retry_failed(&r, NBD_E_TIMEOUT), 100);
	r = retry(100, 500, 0);
	world.ns += UINT64_C(1) << 60;
	assert_about((uint32_t)nbd_retry_failed(&r, NBD_E_TIMEOUT), 100);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
	static const struct CMUnitTest tests[] = {
		T(pauses_double_up_to_the_longest),
		T(the_longest_pauses_do_not_overflow),
		T(machines_that_start_together_do_not_retry_in_step),
		T(pauses_in_a_row_differ),
		T(what_cannot_pass_is_final_at_once),
		T(an_outage_is_final_when_patience_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
