/* SPDX-License-Identifier: BSD-2-Clause */
/* A text on an export, whatever requests its server takes. */
#include "boot/images/images_text.h"
#include "tests/boot/server.h"

#define SIZE 200000u

static unsigned char disk[SIZE];
static uint64_t size;
static uint32_t min_block, max_payload; /* 0: not said */
static struct images_text t;
static struct nbd_diag d;
static char text[SIZE];

static void answer(int fd, const unsigned char *request)
{
	unsigned type = be32(request + 4) & 0xffff;
	uint64_t offset = be64(request + 16);
	uint32_t len = be32(request + 24);
	struct script s;

	if (type != NBD_CMD_READ)
		return;
	script_start(&s);
	say(&s, 0x67446698, 4);
	say(&s, 0, 4);
	say_bytes(&s, request + 8, 8);
	send(fd, s.srv, s.n, MSG_NOSIGNAL);
	send(fd, disk + offset, len, MSG_NOSIGNAL);
}

static void start(void)
{
	struct script *s = &server.hello;

	memset(&server, 0, sizeof(server));
	script_start(s);
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(s, size, NBD_FLAG_HAS_FLAGS);
	if (min_block)
		say_info_block(s, min_block, 4096, max_payload);
	say_reply(s, NBD_OPT_GO, NBD_REP_ACK, 0);
	server.answer = answer;
	server_start();
}

/* Returns the length of the text, of which there is room for cap bytes. */
static int first(size_t cap)
{
	struct nbd_uri uri;
	int n;

	start();
	uri = server_uri();
	n = images_text_first(&t, &uri, 1, text, cap, &d);
	server_stop();
	return n;
}

static void write_text(size_t len)
{
	memset(disk, 0, SIZE);
	memset(disk, 'x', len);
	memset(text, 0, sizeof(text));
	size = SIZE / 4096 * 4096;
	min_block = max_payload = 0;
}

static void a_text_is_read_in_blocks_of_the_server(void **state)
{
	(void)state;
	for (min_block = 1; min_block <= 4096; min_block *= 8) {
		uint32_t block = min_block;

		write_text(100001);
		min_block = block;
		max_payload = UINT32_MAX;
		assert_int_equal(first(110000), 100001);
		assert_memory_equal(text, disk, 100001);
	}
}

static void a_text_is_read_in_requests_that_the_server_takes(void **state)
{
	(void)state;
	write_text(100001);
	min_block = 512;
	max_payload = 65536;
	assert_int_equal(first(sizeof(text)), 100001);
	assert_memory_equal(text, disk, 100001);
}

static void a_text_without_an_end_is_too_long(void **state)
{
	(void)state;
	write_text(SIZE);
	assert_int_equal(first(100000), NBD_E_USAGE);
	assert_string_equal(d.text,
			    "the text on the server has more than 100000 "
			    "bytes");
	size = 1000;
	assert_int_equal(first(1000), 1000);
	/* of its last bytes no request is possible */
	min_block = 512;
	max_payload = UINT32_MAX;
	assert_int_equal(first(1000), NBD_E_USAGE);
	size = 100;
	assert_int_equal(first(1000), NBD_E_RANGE);
	assert_string_equal(d.text, "it has 100 bytes, in blocks of 512");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_read_in_blocks_of_the_server),
		cmocka_unit_test(
			a_text_is_read_in_requests_that_the_server_takes),
		cmocka_unit_test(a_text_without_an_end_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
