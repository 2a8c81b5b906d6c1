/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that settings are read from and written to. */
#include "boot/device/tune.h"
#include "boot/device/limit.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/file.h"
#include "tests/world/nbdk.h"

#include <errno.h>
#include <stdlib.h>

#define QUEUE "/sys/block/nbd3/queue/"
#define TCP   "/proc/sys/net/ipv4/tcp_rmem"

static uint64_t noted;
static const char *backend = "";

void __wrap_device_limit_first(int index, uint32_t max);
uint64_t __wrap_device_limit_noted(int index);

void __wrap_device_limit_first(int index, uint32_t max)
{
	assert_int_equal(index, 3);
	noted = max;
}

uint64_t __wrap_device_limit_noted(int index)
{
	assert_int_equal(index, 3);
	return noted;
}

static void info(int index, struct nbdk_info *info)
{
	assert_int_equal(index, 3);
	strcpy(info->backend, backend);
}

/* Each of them. */
static void files_hold(const char *text)
{
	world = (struct world){ .info = info };
	world_file(QUEUE "*", text);
	world_file("/proc/sys/net/ipv4/tcp_?mem", text);
}

static int tune(const char *before, const char *words)
{
	struct nbd_diag d = { .text = "" };

	files_hold(before);
	return device_tune(3, words, &d);
}

static void a_setting_of_the_queue_is_replaced(void **state)
{
	(void)state;
	assert_int_equal(tune("[none] mq-deadline\n", "scheduler=mq-deadline"),
			 0);
	assert_string_equal(world.written, QUEUE "scheduler = mq-deadline\n");
}

static void only_the_largest_buffer_of_tcp_is_replaced(void **state)
{
	(void)state;
	assert_int_equal(tune("4096\t131072\t6291456\n", "tcp_rmem=8388608"),
			 0);
	assert_string_equal(world.written, TCP " = 4096\t131072\t8388608\n");
}

static void only_the_largest_buffer_of_tcp_is_shown(void **state)
{
	char value[128];

	(void)state;
	files_hold("4096\t16384\t4194304\n");
	device_tuned(3, "tcp_wmem", value, sizeof(value));
	assert_string_equal(value, "4194304");
	files_hold("[none] mq-deadline\n");
	device_tuned(3, "scheduler", value, sizeof(value));
	assert_string_equal(value, "[none] mq-deadline");
}

static void words_are_set_one_after_the_other(void **state)
{
	(void)state;
	assert_int_equal(tune("128\n", "read_ahead_kb=512,nr_requests=64"), 0);
	assert_string_equal(world.written, QUEUE "read_ahead_kb = 512\n" QUEUE
						 "nr_requests = 64\n");
	assert_int_equal(tune("", "read_ahead=1,nr_requests=64"), NBD_E_USAGE);
	assert_string_equal(world.written, "");
	assert_int_equal(tune("", "read_ahead_kb="), NBD_E_USAGE);
}

static void a_refusal_names_the_word(void **state)
{
	struct nbd_diag d = { .text = "" };

	(void)state;
	files_hold("128\n");
	world_file_refuses(QUEUE "max_sectors_kb", EINVAL);
	assert_true(device_tune(3, "max_sectors_kb=3,nomerges=1", &d) < 0);
	assert_string_equal(d.text, "max_sectors_kb=3: Invalid argument");
	assert_string_equal(world.written, QUEUE "max_sectors_kb = 3\n");
}

static void a_request_may_be_as_long_as_the_servers_accept(void **state)
{
	struct nbd_diag d = { .text = "" };

	(void)state;
	noted = 256 << 10;
	backend = "nbd://h/x";
	assert_int_equal(tune("128\n", "max_sectors_kb=256"), 0);
	assert_string_equal(world.written, QUEUE "max_sectors_kb = 256\n");
	files_hold("128\n");
	assert_int_equal(device_tune(3, "max_sectors_kb=257,nomerges=1", &d),
			 NBD_E_USAGE);
	assert_string_equal(d.text, "max_sectors_kb=257: the server accepts at "
				    "most 262144 bytes at once, so the largest "
				    "value is 256");
	assert_string_equal(world.written, "");
	assert_int_equal(tune("128\n", "nr_requests=257"), 0);
	/* the kernel takes it as 257, and 0 as its own largest size */
	assert_int_equal(tune("128\n", "max_sectors_kb=+257"), NBD_E_USAGE);
	assert_int_equal(tune("128\n", "max_sectors_kb=257\n"), NBD_E_USAGE);
	assert_int_equal(tune("128\n", "max_sectors_kb=0"), NBD_E_USAGE);
	assert_string_equal(world.written, "");
	/* a note about an earlier device */
	backend = "";
	assert_int_equal(tune("128\n", "max_sectors_kb=257"), 0);
	noted = 0;
	backend = "nbd://h/x";
	assert_int_equal(tune("128\n", "max_sectors_kb=257"), 0);
}

static void
a_queue_makes_no_longer_requests_than_the_server_accepts(void **state)
{
	struct nbd_diag d = { .text = "" };

	(void)state;
	files_hold("128\n");
	assert_int_equal(device_limit(3), 128 * 1024);
	assert_int_equal(device_limit_set(3, 128 * 1024, &d), 0);
	assert_string_equal(world.written, "");
	assert_int_equal(noted, 128 * 1024);
	assert_int_equal(device_limit_set(3, 128 * 1024 - 512, &d), 0);
	assert_string_equal(world.written, QUEUE "max_sectors_kb = 127\n");
	/* it was set for an earlier server */
	files_hold("1024\n");
	assert_int_equal(device_limit_set(3, 1 << 19, &d), 0);
	assert_string_equal(world.written, QUEUE "max_sectors_kb = 512\n");
	world_file_refuses(QUEUE "max_sectors_kb", EINVAL);
	assert_int_equal(device_limit_set(3, 2048, &d), NBD_E_PAYLOAD);
	assert_non_null(strstr(d.text, "at most 2048 bytes"));
	/* 0 is no limit for the kernel */
	files_hold("1024\n");
	assert_int_equal(device_limit_set(3, 1023, &d), NBD_E_PAYLOAD);
	assert_string_equal(world.written, "");
	noted = 0;
}

static void before_there_is_a_device_only_tcp_is_set(void **state)
{
	struct nbd_diag d = { .text = "" };

	(void)state;
	files_hold("4096\t131072\t6291456\n");
	assert_int_equal(device_tune(-1, "nr_requests=64", &d), 0);
	assert_string_equal(world.written, "");
	assert_int_equal(
		device_tune(-1, "tcp_rmem=8388608,read_ahead_kb=512", &d), 0);
	assert_string_equal(world.written, TCP " = 4096\t131072\t8388608\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_setting_of_the_queue_is_replaced),
		cmocka_unit_test(only_the_largest_buffer_of_tcp_is_replaced),
		cmocka_unit_test(only_the_largest_buffer_of_tcp_is_shown),
		cmocka_unit_test(words_are_set_one_after_the_other),
		cmocka_unit_test(
			a_request_may_be_as_long_as_the_servers_accept),
		cmocka_unit_test(
			a_queue_makes_no_longer_requests_than_the_server_accepts),
		cmocka_unit_test(before_there_is_a_device_only_tcp_is_set),
		cmocka_unit_test(a_refusal_names_the_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
