/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of firmware, and what ends a session; the disk is played. */
#include "tests/unit.h"

#include "port/stack.h"

#include "boot/uefi/session.c"
#include "tests/boot/uefi/printed.h"

#define LONG (UEFI_PIECE * (UEFI_DEPTH + 2))

struct efi_world efi;

static struct disk {
	struct nbd_disk_op *ops[UEFI_DEPTH + 1];
	unsigned n, most, added;
	int result; /* of each request from number `from` on */
	unsigned from;
	bool stays; /* connected behind that result */
} disk;
static struct uefi_session session, *waits;
static struct nbd_uri uri;
static unsigned char buf[LONG];

/* ---- the disk ---- */

int nbd_disk_open(struct nbd_disk *k, const struct nbd_disk_config *cfg)
{
	(void)cfg;
	k->connected = true;
	k->export.size = LONG;
	return 0;
}

void nbd_disk_close(struct nbd_disk *k)
{
	k->connected = false;
}

void nbd_disk_add(struct nbd_disk *k, struct nbd_disk_op *op)
{
	(void)k;
	assert_true(disk.n < UEFI_DEPTH);
	assert_true(op->op.len <= UEFI_PIECE);
	assert_ptr_equal(op->op.iov->base,
			 buf + op->op.offset); /* each at its place */
	op->result = disk.added++ < disk.from ? 0 : disk.result;
	disk.ops[disk.n++] = op;
	if (disk.n > disk.most)
		disk.most = disk.n;
}

/* The latest is the first that is done. */
struct nbd_disk_op *nbd_disk_wait(struct nbd_disk *k, unsigned ms)
{
	(void)ms;
	assert_true(disk.n);
	if (disk.n == 1)
		k->connected = disk.stays;
	return disk.ops[--disk.n];
}

int nbd_disk_do(struct nbd_disk *k, unsigned type, uint64_t offset, void *to,
		size_t len)
{
	(void)k, (void)offset, (void)to, (void)len;
	assert_int_equal(type, NBD_CMD_FLUSH);
	disk.added++;
	return disk.result;
}

int uefi_nbds_open(struct uefi_session *s, struct nbd_diag *d)
{
	(void)s, (void)d;
	return 0;
}

void uefi_nbds_close(struct uefi_session *s)
{
	(void)s;
}

/* ---- the firmware ---- */

bool efi_key(struct efi_key *k)
{
	(void)k;
	return false;
}

/* ---- tests ---- */

static int begin(void **state)
{
	static char strings[32];
	struct nbd_diag d;

	(void)state;
	assert_int_equal(
		nbd_uri_parse(&uri, strings, sizeof(strings), "nbd://h/x"), 0);
	disk = (struct disk){ .stays = true };
	session = (struct uefi_session){ .uris = &uri,
					 .n_uris = 1,
					 .waits = &waits };
	printed[0] = '\0';
	return uefi_session_open(&session, &d);
}

static int read_all(void)
{
	return uefi_session_run(&session, NBD_CMD_READ, 0, buf, LONG);
}

static void a_long_read_keeps_its_pieces_in_flight(void **state)
{
	(void)state;
	assert_int_equal(read_all(), 0);
	assert_int_equal(disk.added, UEFI_DEPTH + 2);
	assert_int_equal(disk.most, UEFI_DEPTH);
	assert_string_equal(printed, "");
}

static void an_error_reply_ends_the_request_alone(void **state)
{
	(void)state;
	disk.result = 5;
	disk.from = 1;
	assert_int_equal(read_all(), NBD_E_IO);
	/* no new pieces behind it, and none that nobody waits for */
	assert_int_equal(disk.added, UEFI_DEPTH);
	assert_int_equal(disk.n, 0);
	assert_string_equal(printed, "");
	disk.result = 0;
	assert_int_equal(read_all(), 0);
}

static void an_error_of_the_connection_ends_the_session(void **state)
{
	(void)state;
	disk.result = NBD_E_TIMEOUT;
	disk.stays = false;
	session.disk.d = (struct nbd_diag){ "no answer" };
	assert_int_equal(read_all(), NBD_E_TIMEOUT);
	assert_string_equal(printed, "nbdboot: FAILED: nbd://h/x: no answer\n");
	disk = (struct disk){ .stays = true };
	assert_int_equal(read_all(), NBD_E_TIMEOUT);
	assert_int_equal(disk.added, 0);
}

/* Such as that of a request that the engine refuses. */
static void one_that_leaves_the_connection_does_not(void **state)
{
	(void)state;
	disk.result = NBD_E_ALIGN;
	assert_int_equal(read_all(), NBD_E_ALIGN);
	assert_string_equal(printed, "");
	disk.result = 0;
	assert_int_equal(read_all(), 0);
}

static void a_connection_lost_behind_the_last_reply_is_no_failure(void **state)
{
	(void)state;
	disk.stays = false;
	assert_int_equal(read_all(), 0);
	assert_string_equal(printed, "");
	assert_int_equal(read_all(), 0);
}

static void a_flush_is_for_servers_that_have_it(void **state)
{
	(void)state;
	assert_int_equal(uefi_session_run(&session, NBD_CMD_FLUSH, 0, NULL, 0),
			 0);
	assert_int_equal(disk.added, 0);
	session.disk.export.flags = NBD_FLAG_SEND_FLUSH;
	disk.result = 28;
	assert_int_equal(uefi_session_run(&session, NBD_CMD_FLUSH, 0, NULL, 0),
			 NBD_E_IO);
	assert_int_equal(disk.added, 1);
}

static void a_session_that_ended_sends_nothing(void **state)
{
	(void)state;
	uefi_session_end(&session);
	assert_int_equal(read_all(), NBD_E_SHUTDOWN);
	assert_int_equal(disk.added, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		T(a_long_read_keeps_its_pieces_in_flight),
		T(an_error_reply_ends_the_request_alone),
		T(an_error_of_the_connection_ends_the_session),
		T(one_that_leaves_the_connection_does_not),
		T(a_connection_lost_behind_the_last_reply_is_no_failure),
		T(a_flush_is_for_servers_that_have_it),
		T(a_session_that_ended_sends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
