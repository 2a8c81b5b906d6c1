/* SPDX-License-Identifier: BSD-2-Clause */
/* Two samples of a device, and what was slow between them. */
#include "boot/device/latency.h"
#include "tests/unit.h"

#include <sys/socket.h>

/* /sys/block/nbd0/stat of Linux 6.1, one second apart: 20 ms for a read. */
static const char before[] =
	"     500        3    64000    10000      100       20    16000"
	"     3000        0     1200    14500        2        0     2048"
	"      100        5     1400\n";
static const char after[] =
	"     600        9    64800    12000      110       20    16080"
	"     3100        4     2200    16610        2        0     2048"
	"      100        6     1410\n";

static struct device_sample sample(const char *text, uint32_t rtt)
{
	struct device_sample s = {
		.ns = text == before ? 5000000000 : 6000000000,
		.counted = true,
		.live = 1,
		.rtt = rtt,
	};

	nbdk_stat_parse(&s.stat, text);
	return s;
}

static struct device_latency between(uint32_t rtt)
{
	struct device_sample a = sample(before, rtt), b = sample(after, rtt);
	struct device_latency l;

	device_latency(&l, &a, &b);
	return l;
}

/* ---- the kernel's text ---- */

static void every_field_of_stat_is_read(void **state)
{
	static const struct {
		unsigned kind;
		uint64_t n, sectors, ms;
	} want[] = {
		{ NBDK_READ, 600, 64800, 12000 },
		{ NBDK_WRITE, 110, 16080, 3100 },
		{ NBDK_DISCARD, 2, 2048, 100 },
		{ NBDK_FLUSH, 6, 0, 1410 },
	};
	struct nbdk_stat s;

	(void)state;
	nbdk_stat_parse(&s, after);
	assert_int_equal(s.in_flight, 4);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(s.kind[want[i].kind].n, want[i].n);
		assert_int_equal(s.kind[want[i].kind].sectors, want[i].sectors);
		assert_int_equal(s.kind[want[i].kind].ms, want[i].ms);
	}
}

static void an_older_kernel_reports_fewer_fields(void **state)
{
	struct nbdk_stat s;

	(void)state;
	nbdk_stat_parse(&s, "1 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(s.kind[NBDK_WRITE].ms, 8);
	assert_int_equal(s.in_flight, 9);
	assert_int_equal(s.kind[NBDK_DISCARD].n, 0);
	assert_int_equal(s.kind[NBDK_FLUSH].n, 0);
	nbdk_stat_parse(&s, "");
	assert_int_equal(s.kind[NBDK_READ].n, 0);
	nbdk_stat_parse(&s, "7 x 9");
	assert_int_equal(s.kind[NBDK_READ].n, 7);
	assert_int_equal(s.kind[NBDK_READ].sectors, 0);
}

/* ---- samples ---- */

static void the_smallest_round_trip_counts_of_live_tcp_alone(void **state)
{
	static struct device dev = {
		.info.index = 4711, /* there is none */
		.counted = true,
		.live = 3,
		.n_links = 5,
		.links = {
			{ .family = AF_INET, .live = true, .rtt = 9000,
			  .min_rtt = 100, .retransmits = 1 },
			{ .family = AF_INET6, .live = true, .rtt = 400,
			  .retransmits = 2 },
			{ .family = AF_UNIX, .live = true },
			{ .family = AF_INET, .rtt = 5, .min_rtt = 5,
			  .retransmits = 4 },
			{ .family = AF_UNIX },
		},
	};
	struct device_sample s;

	(void)state;
	device_sample(&s, &dev);
	/* without a minimum the smoothed one has to do */
	assert_int_equal(s.rtt, (100 + 400) / 2);
	assert_int_equal(s.retries, 7);
	assert_int_equal(s.live, 3);
	assert_int_equal(s.stat.kind[NBDK_READ].n, 0);
	dev.counted = false;
	device_sample(&s, &dev);
	assert_int_equal(s.rtt, 0);
}

/* ---- differences ---- */

static void counts_and_times_are_those_of_the_interval(void **state)
{
	struct device_latency l = between(300);

	(void)state;
	assert_int_equal(l.ms, 1000);
	assert_int_equal(l.kind[NBDK_READ].n, 100);
	assert_int_equal(l.kind[NBDK_READ].sectors, 800);
	assert_int_equal(device_mean(&l.kind[NBDK_READ]), 20000);
	assert_int_equal(device_mean(&l.kind[NBDK_WRITE]), 10000);
	assert_int_equal(device_mean(&l.kind[NBDK_DISCARD]), 0);
	assert_int_equal(device_mean(&l.kind[NBDK_FLUSH]), 10000);
	assert_int_equal(l.n, 111);
	assert_int_equal(l.in_flight, 4);
	/* (2000 + 100 + 10) ms of 111 requests */
	assert_int_equal(l.latency, 19009);
}

static void network_and_server_add_up_and_the_larger_is_blamed(void **state)
{
	static const struct {
		uint32_t rtt, network;
		enum device_slow slow;
	} t[] = {
		{ 0, 0, DEVICE_SERVER },
		{ 300, 300, DEVICE_SERVER },
		{ 9504, 9504, DEVICE_SERVER },
		{ 9505, 9505, DEVICE_NETWORK },
		{ 19009, 19009, DEVICE_NETWORK },
		/* fewer round trips than requests: never more than all */
		{ 50000, 19009, DEVICE_NETWORK },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct device_latency l = between(t[i].rtt);

		assert_int_equal(l.network, t[i].network);
		assert_int_equal(l.network + l.server, 19009);
		assert_int_equal(l.slow, t[i].slow);
	}
}

static void nothing_answered_is_told_apart(void **state)
{
	struct device_sample a = sample(before, 300), b = sample(before, 300);
	struct device_latency l;

	(void)state;
	device_latency(&l, &a, &b);
	assert_int_equal(l.slow, DEVICE_IDLE);
	assert_int_equal(l.ms, 1);
	b.stat.in_flight = 3;
	device_latency(&l, &a, &b);
	assert_int_equal(l.slow, DEVICE_SILENT);
	b.live = 0;
	device_latency(&l, &a, &b);
	assert_int_equal(l.slow, DEVICE_DEAD);
	b.counted = false;
	device_latency(&l, &a, &b);
	assert_int_equal(l.slow, DEVICE_SILENT);
	b = sample(after, 0);
	b.counted = false;
	device_latency(&l, &a, &b);
	assert_int_equal(l.slow, DEVICE_UNKNOWN);
}

static void counters_that_begin_anew_are_not_negative(void **state)
{
	struct device_sample a = sample(after, 0), b = sample(before, 0);
	struct device_latency l;

	(void)state;
	a.retries = 9;
	b.retries = 3;
	device_latency(&l, &a, &b);
	assert_int_equal(l.n, 0);
	assert_int_equal(l.retries, 0);
	assert_int_equal(l.latency, 0);
	assert_int_equal(l.ms, 1);
}

static void each_verdict_has_a_word(void **state)
{
	(void)state;
	assert_string_equal(device_slow_text(DEVICE_IDLE), "idle");
	assert_string_equal(device_slow_text(DEVICE_SILENT), "no answer");
	assert_string_equal(device_slow_text(DEVICE_SERVER), "server");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_stat_is_read),
		cmocka_unit_test(an_older_kernel_reports_fewer_fields),
		cmocka_unit_test(
			the_smallest_round_trip_counts_of_live_tcp_alone),
		cmocka_unit_test(counts_and_times_are_those_of_the_interval),
		cmocka_unit_test(
			network_and_server_add_up_and_the_larger_is_blamed),
		cmocka_unit_test(nothing_answered_is_told_apart),
		cmocka_unit_test(counters_that_begin_anew_are_not_negative),
		cmocka_unit_test(each_verdict_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
