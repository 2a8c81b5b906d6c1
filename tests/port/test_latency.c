/* SPDX-License-Identifier: BSD-2-Clause */
/* port/latency.c: what is counted where, and how it is shown. */
#include "core/nbd_io.h"
#include "tests/unit.h"
#include "port/latency.h"

static struct nbd_latency l;
static char text[4096];

static int fresh(void **state)
{
	(void)state;
	memset(&l, 0, sizeof(l));
	return 0;
}

static const char *printed(void)
{
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	nbd_latency_print(&l, &o);
	assert_false(o.cut);
	text[o.len] = '\0';
	return text;
}

static void add_many(unsigned type, uint64_t ns, unsigned n)
{
	while (n--)
		nbd_latency_add(&l, type, ns);
}

static unsigned lines(const char *p)
{
	unsigned n = 0;

	for (; *p; p++)
		n += *p == '\n';
	return n;
}

static void each_power_of_two_begins_a_bucket(void **state)
{
	(void)state;
	nbd_latency_add(&l, NBD_CMD_READ, 0);
	nbd_latency_add(&l, NBD_CMD_READ, 1);
	assert_int_equal(l.type[0].n[0], 2);
	for (unsigned i = 1; i < NBD_LATENCY_BUCKETS; i++) {
		uint64_t low = UINT64_C(1) << i;

		nbd_latency_add(&l, NBD_CMD_WRITE, low);
		nbd_latency_add(&l, NBD_CMD_WRITE, 2 * low - 1);
		assert_int_equal(l.type[1].n[i], 2);
		assert_int_equal(l.type[1].n[i - 1], i > 1 ? 2 : 0);
		assert_int_equal(l.type[1].max, 2 * low - 1);
	}
	assert_int_equal(l.type[0].n[0], 2);
}

static void what_is_longer_than_the_buckets_is_in_the_last(void **state)
{
	(void)state;
	nbd_latency_add(&l, NBD_CMD_FLUSH, UINT64_C(1) << 40);
	nbd_latency_add(&l, NBD_CMD_FLUSH, UINT64_MAX);
	assert_int_equal(l.type[NBD_CMD_FLUSH].n[39], 2);
	assert_int_equal(l.type[NBD_CMD_FLUSH].max, (UINT64_C(1) << 40) - 1);
	assert_int_equal(nbd_latency_quantile(&l, NBD_CMD_FLUSH, 1000),
			 (UINT64_C(1) << 40) - 1);
}

static void an_unknown_command_counts_nowhere(void **state)
{
	static const struct nbd_latency empty;

	(void)state;
	nbd_latency_add(&l, NBD_LATENCY_TYPES, 1);
	nbd_latency_add(&l, UINT32_MAX, 1);
	assert_memory_equal(&l, &empty, sizeof(l));
}

static void nothing_is_printed_of_nothing(void **state)
{
	(void)state;
	assert_string_equal(printed(), "");
	assert_int_equal(nbd_latency_quantile(&l, 0, 500), 0);
}

static void a_quantile_lies_in_the_bucket_of_its_request(void **state)
{
	(void)state;
	add_many(NBD_CMD_READ, 5000, 98);
	add_many(NBD_CMD_READ, 70000, 1);
	add_many(NBD_CMD_READ, 900000, 1);
	assert_in_range(nbd_latency_quantile(&l, 0, 500), 4096, 8191);
	assert_in_range(nbd_latency_quantile(&l, 0, 980), 4096, 8192);
	assert_in_range(nbd_latency_quantile(&l, 0, 990), 65536, 131072);
	assert_int_equal(nbd_latency_quantile(&l, 0, 1000), 900000);
}

static void quantiles_of_evenly_spread_times_are_near(void **state)
{
	(void)state;
	for (unsigned ns = 1; ns <= 100000; ns++)
		nbd_latency_add(&l, NBD_CMD_READ, ns);
	assert_in_range(nbd_latency_quantile(&l, 0, 250), 24900, 25100);
	assert_in_range(nbd_latency_quantile(&l, 0, 500), 49900, 50100);
	assert_int_equal(nbd_latency_quantile(&l, 0, 1000), 100000);
}

static void the_one_request_is_every_quantile(void **state)
{
	(void)state;
	nbd_latency_add(&l, NBD_CMD_TRIM, 777);
	assert_int_equal(nbd_latency_quantile(&l, NBD_CMD_TRIM, 1), 777);
	assert_int_equal(nbd_latency_quantile(&l, NBD_CMD_TRIM, 500), 777);
	assert_int_equal(nbd_latency_quantile(&l, NBD_CMD_TRIM, 1000), 777);
}

static void counts_of_years_do_not_overflow(void **state)
{
	struct nbd_latency_type *t = &l.type[NBD_CMD_READ];

	(void)state;
	t->n[39] = t->n[38] = UINT64_C(1) << 50;
	t->max = (UINT64_C(1) << 40) - 1;
	assert_in_range(nbd_latency_quantile(&l, 0, 750),
			(UINT64_C(3) << 38) - (1 << 20),
			(UINT64_C(3) << 38) + (1 << 20));
	assert_non_null(strstr(printed(), "read: count 2251799813685248,"));
	assert_non_null(strstr(text, "|****************************************"
				     "|\n"));
}

#define STARS_40  "****************************************"
#define SPACES_30 "                              "

static void rows_are_printed_from_the_first_bucket_to_the_last(void **state)
{
	(void)state;
	add_many(NBD_CMD_READ, 200000, 8);
	add_many(NBD_CMD_READ, 1000000, 2);
	assert_string_equal(
		printed(),
		"read: count 10, p50 212, p99 1000, max 1000 usecs\n"
		"     usecs               : count    distribution\n"
		"       131 -> 262        : 8        |" STARS_40 "|\n"
		"       262 -> 524        : 0        |" SPACES_30
		"          |\n"
		"       524 -> 1048       : 2        |**********" SPACES_30
		"|\n");
}

static void short_times_are_printed_in_nanoseconds(void **state)
{
	(void)state;
	nbd_latency_add(&l, NBD_CMD_FLUSH, 0);
	nbd_latency_add(&l, NBD_CMD_FLUSH, 3);
	assert_string_equal(
		printed(),
		"flush: count 2, p50 2, p99 3, max 3 nsecs\n"
		"     nsecs               : count    distribution\n"
		"         0 -> 1          : 1        |" STARS_40 "|\n"
		"         2 -> 3          : 1        |" STARS_40 "|\n");
	nbd_latency_add(&l, NBD_CMD_CACHE, 1024);
	assert_non_null(strstr(printed(), "cache: count 1, p50 1, p99 1, "
					  "max 1 usecs\n"));
}

static void only_commands_that_occurred_are_printed(void **state)
{
	(void)state;
	nbd_latency_add(&l, NBD_CMD_BLOCK_STATUS, 5000);
	nbd_latency_add(&l, NBD_CMD_WRITE_ZEROES, 5000);
	assert_int_equal(lines(printed()), 6);
	assert_ptr_equal(strstr(text, "write-zeroes: "), text);
	assert_non_null(strstr(text, "\nblock-status: "));
	assert_null(strstr(text, "read"));
}

/* A bar says more than "a few" only if the longest one is full. */
static void a_few_among_many_have_no_star_but_a_row(void **state)
{
	(void)state;
	add_many(NBD_CMD_WRITE, 2000, 100);
	add_many(NBD_CMD_WRITE, 5000, 1);
	assert_non_null(
		strstr(printed(), " : 1        |" SPACES_30 "          |\n"));
	assert_non_null(strstr(text, " : 100      |" STARS_40 "|\n"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, fresh)
	static const struct CMUnitTest tests[] = {
		T(each_power_of_two_begins_a_bucket),
		T(what_is_longer_than_the_buckets_is_in_the_last),
		T(an_unknown_command_counts_nowhere),
		T(nothing_is_printed_of_nothing),
		T(a_quantile_lies_in_the_bucket_of_its_request),
		T(quantiles_of_evenly_spread_times_are_near),
		T(the_one_request_is_every_quantile),
		T(counts_of_years_do_not_overflow),
		T(rows_are_printed_from_the_first_bucket_to_the_last),
		T(short_times_are_printed_in_nanoseconds),
		T(only_commands_that_occurred_are_printed),
		T(a_few_among_many_have_no_star_but_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
