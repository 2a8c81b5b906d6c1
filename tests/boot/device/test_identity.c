/* SPDX-License-Identifier: BSD-2-Clause */
/* Which disks are taken for the same, read from a server. */
#include "tests/boot/server.h"
#include "tests/port/conn.h"
#include "boot/device/identity.h"

#define SIZE (1u << 20)

static unsigned char disk[SIZE];
static int broken; /* an error for every read, or 0 */
static uint64_t size;
static uint32_t min_block; /* 0: not said */
static unsigned requests, exchanges;

static struct conn conn;
static struct device_reader reader;
static struct nbd_diag d;
static char text[DEVICE_IDENTITY_TEXT];

/* Simple replies; beyond the memory there are zeroes. */
static void answer(int fd, const unsigned char *request)
{
	uint64_t offset = be64(request + 16);
	uint32_t len = be32(request + 24);
	static unsigned char data[8192];
	struct script s;

	if ((be32(request + 4) & 0xffff) != 0)
		return;
	requests++;
	script_start(&s);
	say(&s, 0x67446698, 4);
	say(&s, (uint32_t)broken, 4);
	say_bytes(&s, request + 8, 8);
	memset(data, 0, sizeof(data));
	if (offset < SIZE)
		memcpy(data, disk + offset, len);
	if (!broken)
		say_bytes(&s, data, len);
	send(fd, s.srv, s.n, MSG_NOSIGNAL);
}

int __real_device_reader_await(struct conn *c, unsigned n, int *failed,
			       struct nbd_diag *dg);
int __wrap_device_reader_await(struct conn *c, unsigned n, int *failed,
			       struct nbd_diag *dg);
int __wrap_device_reader_await(struct conn *c, unsigned n, int *failed,
			       struct nbd_diag *dg)
{
	exchanges++;
	return __real_device_reader_await(c, n, failed, dg);
}

static int setup(void **state)
{
	(void)state;
	memset(disk, 0, sizeof(disk));
	for (unsigned i = 0; i < SIZE; i += 512)
		memset(disk + i, (int)(i >> 9 & 0x7f), 512);
	broken = 0;
	size = SIZE;
	min_block = 0;
	return 0;
}

static void begin(void)
{
	static const struct nbd_config go = { .name = "", .name_len = 0 };
	struct script *s = &server.hello;
	struct nbd_uri uri;

	memset(&server, 0, sizeof(server));
	script_start(s);
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(s, size, NBD_FLAG_HAS_FLAGS);
	if (min_block) {
		say_reply(s, NBD_OPT_GO, NBD_REP_INFO, 14);
		say(s, NBD_INFO_BLOCK_SIZE, 2);
		say(s, min_block, 4);
		say(s, min_block, 4);
		say(s, 1u << 20, 4);
	}
	say_reply(s, NBD_OPT_GO, NBD_REP_ACK, 0);
	server.answer = answer;
	server_start();
	uri = server_uri();
	memset(&conn, 0, sizeof(conn));
	d.text[0] = '\0';
	requests = exchanges = 0;
	conn.net = &sock_stack;
	assert_int_equal(dial(&conn, 1, &uri, &go, NULL, &d), 0);
}

static void end(void)
{
	/* nothing is left in the socket that the kernel would stumble over */
	if (conn.s.fd >= 0)
		assert_int_equal(recv(conn.s.fd, text, 1, MSG_DONTWAIT), -1);
	dial_hangup(&conn, 1);
	server_stop();
}

static void take(bool writable, char to[DEVICE_IDENTITY_TEXT])
{
	begin();
	assert_int_equal(device_identity_take(&reader, &conn, writable, to, &d),
			 0);
	end();
}

static int check(const char *want)
{
	int err;

	begin();
	err = device_identity_check(&reader, &conn, want, &d);
	end();
	return err;
}

static void the_same_disk_has_the_same_identity(void **state)
{
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	take(false, id);
	assert_memory_equal(id, "r19-", 4);
	assert_int_equal(check(id), 0);
	/* 1 MiB: four sectors, and 2^17, 2^18, 2^19 */
	assert_int_equal(requests, 7);
}

static void a_read_only_disk_is_known_by_each_of_its_samples(void **state)
{
	static const uint32_t at[] = { 0,	512,	 1024,	 65536,
				       1 << 17, 1 << 18, 1 << 19 };
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	take(false, id);
	for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
		disk[at[i] + 511] ^= 1;
		assert_int_equal(check(id), NBD_E_MISMATCH);
		assert_non_null(strstr(d.text, "another disk image"));
		disk[at[i] + 511] ^= 1;
	}
	assert_int_equal(check(id), 0);
}

static void a_disk_that_grew_is_still_the_same(void **state)
{
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	take(false, id);
	size *= 4;
	assert_int_equal(check(id), 0);
}

static void the_largest_disk_takes_one_exchange(void **state)
{
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	size = INT64_MAX;
	take(false, id);
	assert_memory_equal(id, "r62-", 4);
	assert_int_equal(requests, 50);
	assert_int_equal(exchanges, 1);
}

static void long_blocks_hold_the_same_samples(void **state)
{
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	take(false, id);
	min_block = 4096;
	assert_int_equal(check(id), 0);
	disk[1024] ^= 1;
	assert_int_equal(check(id), NBD_E_MISMATCH);
}

static void a_disk_that_is_written_to_is_known_by_its_uuids(void **state)
{
	static const struct {
		uint32_t magic, len, uuid;
		const char *text;
	} kinds[] = {
		{ 512, 8, 568, "EFI PART" },
		{ 510, 2, 440, "\x55\xaa" },
		{ 1080, 2, 1143, "\x53\xef" },
		{ 0, 4, 47, "XFSB" },
		{ 65600, 8, 65568, "_BHRfS_M" },
		{ 82, 5, 70, "FAT32" },
		{ 54, 4, 42, "FAT1" },
		{ 0, 6, 168, "LUKS\xba\xbe" },
		{ 0, 4, 95, "hsqs" },
		{ 1024, 4, 1151, "\xe2\xe1\xf5\xe0" },
	};
	char id[DEVICE_IDENTITY_TEXT];

	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
		setup(state);
		memcpy(disk + kinds[i].magic, kinds[i].text, kinds[i].len);
		take(true, id);
		assert_memory_equal(id, "w-", 2);
		/* what is written */
		disk[1400] ^= 1;
		disk[1 << 18] ^= 1;
		assert_int_equal(check(id), 0);
		disk[kinds[i].uuid] ^= 1;
		assert_int_equal(check(id), NBD_E_MISMATCH);
	}
}

static void a_disk_without_a_uuid_has_no_identity(void **state)
{
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	take(true, id);
	assert_string_equal(id, "");
}

static void nor_has_one_that_cannot_be_read(void **state)
{
	char id[DEVICE_IDENTITY_TEXT], none[DEVICE_IDENTITY_TEXT];

	(void)state;
	take(false, id);
	broken = NBD_EIO;
	take(false, none);
	assert_string_equal(none, "");
	assert_int_equal(check(id), NBD_E_IO);
}

static void tiny_exports_have_no_samples_beyond_their_end(void **state)
{
	char id[DEVICE_IDENTITY_TEXT];

	(void)state;
	for (size = 512; size <= 2048; size += 512) {
		take(false, id);
		assert_int_equal(check(id), 0);
		assert_int_equal(requests, size / 512 < 3 ? size / 512 : 3);
	}
}

static void what_is_no_identity_is_refused(void **state)
{
	static const char *const bad[] = { "",	   "r",	    "r-",   "x-1",
					   "r9-1", "r99-1", "rr-1", "r17" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(check(bad[i]), NBD_E_PARAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_same_disk_has_the_same_identity,
				       setup),
		cmocka_unit_test_setup(
			a_read_only_disk_is_known_by_each_of_its_samples,
			setup),
		cmocka_unit_test_setup(a_disk_that_grew_is_still_the_same,
				       setup),
		cmocka_unit_test_setup(the_largest_disk_takes_one_exchange,
				       setup),
		cmocka_unit_test_setup(long_blocks_hold_the_same_samples,
				       setup),
		cmocka_unit_test_setup(
			a_disk_that_is_written_to_is_known_by_its_uuids, setup),
		cmocka_unit_test_setup(a_disk_without_a_uuid_has_no_identity,
				       setup),
		cmocka_unit_test_setup(nor_has_one_that_cannot_be_read, setup),
		cmocka_unit_test_setup(
			tiny_exports_have_no_samples_beyond_their_end, setup),
		cmocka_unit_test_setup(what_is_no_identity_is_refused, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
