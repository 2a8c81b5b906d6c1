/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets with kernel TLS: the kernel is played by __wrap_ functions. */
#include "tests/unit.h"
#include "port/linux/ktls.h"

#include <errno.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define FD 77

/* ---- the kernel ---- */

static struct {
	int ulp, tx, rx; /* errno of setsockopt */
	unsigned n_tx, n_rx;
	unsigned char info[56]; /* the latest key */
	socklen_t len;
	/* what recvmsg() finds */
	int type; /* of the record, 0: it says none */
	unsigned char text[1024];
	ssize_t n;
	unsigned asked;
	/* what sendmsg() got */
	unsigned char sent[8];
	size_t n_sent;
	int sent_type;
} kernel;

int __wrap_setsockopt(int fd, int level, int name, const void *p, socklen_t n);
int __wrap_setsockopt(int fd, int level, int name, const void *p, socklen_t n)
{
	assert_int_equal(fd, FD);
	if (level == IPPROTO_TCP) {
		assert_int_equal(name, TCP_ULP);
		errno = kernel.ulp;
		return errno ? -1 : 0;
	}
	kernel.n_tx += name == TLS_TX;
	kernel.n_rx += name == TLS_RX;
	assert_true(n <= sizeof(kernel.info));
	memcpy(kernel.info, p, n);
	kernel.len = n;
	errno = name == TLS_TX ? kernel.tx : kernel.rx;
	return errno ? -1 : 0;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(msg);

	assert_int_equal(fd, FD);
	assert_true(flags & MSG_DONTWAIT);
	kernel.asked++;
	if (kernel.n < 0) {
		errno = EIO;
		return -1;
	}
	memcpy(msg->msg_iov->iov_base, kernel.text, (size_t)kernel.n);
	msg->msg_controllen = kernel.type ? CMSG_LEN(1) : 0;
	if (kernel.type) {
		head->cmsg_level = 282;
		head->cmsg_type = TLS_GET_RECORD_TYPE;
		head->cmsg_len = CMSG_LEN(1);
		*CMSG_DATA(head) = (unsigned char)kernel.type;
	}
	return kernel.n;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(msg);

	assert_int_equal(fd, FD);
	assert_true(flags & MSG_NOSIGNAL && flags & MSG_DONTWAIT);
	assert_int_equal(head->cmsg_type, TLS_SET_RECORD_TYPE);
	kernel.sent_type = *CMSG_DATA(head);
	kernel.n_sent = msg->msg_iov->iov_len;
	memcpy(kernel.sent, msg->msg_iov->iov_base, kernel.n_sent);
	return (ssize_t)kernel.n_sent;
}

/* ---- keys ---- */

static const struct nbd_tls_keys keys = {
	.aead = NBD_CHACHA20_POLY1305,
	.tx = { .key = "transmit", .iv = "iv", .seq = 1 },
	.rx = { .key = "receive", .iv = "vi", .seq = 1 },
};
static struct nbd_diag d;

static int begin(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	memset(&d, 0, sizeof(d));
	return 0;
}

static void both_keys_are_given(void **state)
{
	(void)state;
	assert_int_equal(ktls_start(FD, &keys, &d), 0);
	assert_int_equal(kernel.n_tx, 1);
	assert_int_equal(kernel.n_rx, 1);
	assert_int_equal(kernel.len, 56);
	assert_memory_equal(kernel.info + 4, "vi", 2);
	assert_memory_equal(kernel.info + 16, "receive", 7);
	assert_int_equal(kernel.info[55], 1);
}

/* TLS 1.2 has a salt and a number, TLS 1.3 all of the iv. */
static void the_version_says_what_the_iv_is(void **state)
{
	struct nbd_tls_keys k = {
		.aead = NBD_AES_128_GCM,
		.tx = { .key = "t", .iv = "0123456789a" },
		.rx = { .key = "receive", .iv = "salt56789ab", .seq = 7 }
	};

	(void)state;
	assert_int_equal(ktls_start(FD, &k, &d), 0);
	assert_int_equal(kernel.len, 40);
	assert_memory_equal(kernel.info, "\3\3", 2);
	assert_memory_equal(kernel.info + 4, "\0\0\0\0\0\0\0\7", 8);
	assert_memory_equal(kernel.info + 12, "receive", 7);
	assert_memory_equal(kernel.info + 28, "salt", 4);
	assert_int_equal(kernel.info[39], 7);
	k.is_13 = true;
	k.rx.seq = 0;
	assert_int_equal(ktls_start(FD, &k, &d), 0);
	assert_int_equal(kernel.len, 40);
	assert_memory_equal(kernel.info, "\4\3", 2);
	assert_memory_equal(kernel.info + 4, "56789ab", 8);
	assert_memory_equal(kernel.info + 28, "salt", 4);
	assert_int_equal(kernel.info[39], 0);
	k.aead = NBD_CHACHA20_POLY1305;
	assert_int_equal(ktls_start(FD, &k, &d), 0);
	assert_int_equal(kernel.len, 56);
	assert_memory_equal(kernel.info + 4, "salt56789ab", 12);
}

static void a_kernel_without_tls_leaves_the_socket_as_it_is(void **state)
{
	(void)state;
	kernel.ulp = ENOENT;
	assert_int_equal(ktls_start(FD, &keys, &d), NBD_E_TLS_KERNEL);
	assert_int_equal(kernel.n_tx + kernel.n_rx, 0);
}

static void a_kernel_without_the_cipher_leaves_the_socket_as_it_is(void **state)
{
	(void)state;
	kernel.tx = ENOENT;
	assert_int_equal(ktls_start(FD, &keys, &d), NBD_E_NOT_FOUND);
	assert_int_equal(kernel.n_rx, 0);
	/* Linux before 5.11 does not know the number of ChaCha20-Poly1305 */
	kernel.tx = EINVAL;
	assert_int_equal(ktls_start(FD, &keys, &d), NBD_E_NOT_FOUND);
	assert_int_equal(kernel.n_rx, 0);
	kernel.tx = EBUSY;
	assert_int_equal(ktls_start(FD, &keys, &d), NBD_E_TLS_KERNEL);
}

/* Linux has TLS only for what is connected: another try may succeed. */
static void a_server_that_closed_is_an_outage(void **state)
{
	(void)state;
	kernel.ulp = ENOTCONN;
	assert_int_equal(ktls_start(FD, &keys, &d), NBD_E_CUT);
	assert_true(nbd_err_is_outage(NBD_E_CUT));
	assert_string_equal(d.text,
			    "kernel TLS: the server closed the connection");
}

/* What we send is encrypted by then: nobody may go on in the program. */
static void half_of_the_keys_is_an_error_of_its_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		kernel.rx = i ? ENOENT : ENOMEM;
		assert_int_equal(ktls_start(FD, &keys, &d), NBD_E_IO);
	}
}

/* ---- a socket that is kept ---- */

static int results[8];
static unsigned at;
static struct ktls k;

static int next_read(struct nbd_transport *t, void *buf, size_t len)
{
	(void)t, (void)buf, (void)len;
	assert_true(at < ARRAY_SIZE(results));
	return results[at++];
}

static int all_written(struct nbd_transport *t, const struct nbd_iov v[],
		       unsigned n)
{
	(void)t, (void)n;
	return (int)v->len;
}

static struct nbd_transport below = { next_read, all_written, NULL };

/* begin(), with a connection whose recv() fails at a record that is no data. */
static int keep(void **state)
{
	begin(state);
	for (unsigned i = 0; i < ARRAY_SIZE(results); i++)
		results[i] = NBD_E_CUT;
	at = 0;
	ktls_keep(&k, &below, FD, false);
	return 0;
}

static void other(int type, const char *text, ssize_t n)
{
	kernel.type = type;
	kernel.n = n;
	memcpy(kernel.text, text, (size_t)n);
}

static int read_some(void)
{
	char buf[16];

	return k.t.read(&k.t, buf, sizeof(buf));
}

static void data_and_failures_pass(void **state)
{
	(void)state;
	results[0] = 5;
	results[1] = NBD_E_AGAIN;
	results[2] = NBD_E_RESET;
	results[3] = 0;
	assert_int_equal(read_some(), 5);
	assert_int_equal(read_some(), NBD_E_AGAIN);
	assert_int_equal(read_some(), NBD_E_RESET);
	assert_int_equal(read_some(), 0);
	assert_int_equal(kernel.asked, 0);
}

static void harmless_records_are_skipped(void **state)
{
	(void)state;
	other(NBD_TLS_HANDSHAKE, "\0\0\0\0", 4);
	results[1] = 7;
	assert_int_equal(read_some(), 7);
	other(NBD_TLS_ALERT, "\1\132", 2);
	results[3] = 8;
	assert_int_equal(read_some(), 8);
}

static void they_have_an_end(void **state)
{
	(void)state;
	other(NBD_TLS_ALERT, "\1\132", 2);
	assert_int_equal(read_some(), NBD_E_TLS);
	assert_int_equal(kernel.asked, NBD_TLS_IDLE_MAX + 1);
}

static int keep_13(void **state)
{
	keep(state);
	ktls_keep(&k, &below, FD, true);
	return 0;
}

static void tickets_are_skipped(void **state)
{
	(void)state;
	/* one of 12 bytes, and the first 4 of another one */
	other(NBD_TLS_HANDSHAKE, "\4\0\0\10ticket!!\4\0\0\4", 16);
	results[1] = NBD_E_AGAIN;
	assert_int_equal(read_some(), NBD_E_AGAIN);
	other(NBD_TLS_HANDSHAKE, "abcd", 4);
	results[3] = 7;
	assert_int_equal(read_some(), 7);
	assert_int_equal(kernel.asked, 2);
}

static void data_within_a_ticket_are_a_failure(void **state)
{
	(void)state;
	other(NBD_TLS_HANDSHAKE, "\4\0\0\10tick", 8);
	results[1] = 7;
	assert_int_equal(read_some(), NBD_E_TLS);
}

/* The kernel has no other one. */
static void a_new_key_is_an_outage(void **state)
{
	for (int asks = 0; asks < 2; asks++) {
		keep_13(state);
		other(NBD_TLS_HANDSHAKE, asks ? "\30\0\0\1\1" : "\30\0\0\1", 5);
		assert_int_equal(read_some(), NBD_E_CUT);
		assert_int_equal(read_some(), NBD_E_CUT);
		assert_int_equal(at, 1);
	}
}

static void others_of_tls_13_are_failures(void **state)
{
	keep_13(state);
	other(NBD_TLS_HANDSHAKE, "\0\0\0\0", 4);
	assert_int_equal(read_some(), NBD_E_TLS);
	keep_13(state);
	other(NBD_TLS_HANDSHAKE, "\30\0\0\1\2", 5);
	assert_int_equal(read_some(), NBD_E_TLS);
	keep_13(state);
	other(NBD_TLS_ALERT, "\1\0", 2);
	assert_int_equal(read_some(), 0);
}

static void a_goodbye_is_the_end(void **state)
{
	(void)state;
	other(NBD_TLS_ALERT, "\1\0", 2);
	assert_int_equal(read_some(), 0);
	/* nothing is read any more */
	assert_int_equal(read_some(), 0);
	assert_int_equal(at, 1);
}

/* Each of them: no byte of it is data. */
static void others_are_failures(void **state)
{
	static const struct {
		int type;
		const char *text;
		ssize_t n;
	} bad[] = {
		{ NBD_TLS_ALERT, "\2\24", 2 },
		{ NBD_TLS_ALERT, "\1", 1 },
		{ NBD_TLS_ALERT, "\1\0\0", 3 },
		{ NBD_TLS_HANDSHAKE, "\16\0\0\0", 4 },
		{ NBD_TLS_HANDSHAKE, "\0\0\0\0\0", 5 },
		{ NBD_TLS_DATA, "data", 4 },
		{ 20, "\1", 1 },
		{ 0, "data", 4 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		keep(state);
		other(bad[i].type, bad[i].text, bad[i].n);
		assert_int_equal(read_some(), NBD_E_TLS);
		assert_int_equal(read_some(), NBD_E_TLS);
		assert_int_equal(at, 1);
	}
}

static void what_is_no_record_is_a_failure(void **state)
{
	(void)state;
	results[0] = NBD_E_IO;
	assert_int_equal(read_some(), NBD_E_TLS);
	assert_int_equal(kernel.asked, 0);
}

static void an_error_that_stays_is_an_outage(void **state)
{
	(void)state;
	kernel.n = -1;
	assert_int_equal(read_some(), NBD_E_CUT);
}

static void a_goodbye_is_sent_once(void **state)
{
	(void)state;
	k.t.close(&k.t);
	assert_int_equal(kernel.sent_type, NBD_TLS_ALERT);
	assert_int_equal(kernel.n_sent, 2);
	assert_memory_equal(kernel.sent, "\1\0", 2);
	kernel.n_sent = 0;
	ktls_goodbye(&k);
	assert_int_equal(kernel.n_sent, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both_keys_are_given, begin),
		cmocka_unit_test_setup(the_version_says_what_the_iv_is, begin),
		cmocka_unit_test_setup(
			a_kernel_without_tls_leaves_the_socket_as_it_is, begin),
		cmocka_unit_test_setup(
			a_kernel_without_the_cipher_leaves_the_socket_as_it_is,
			begin),
		cmocka_unit_test_setup(a_server_that_closed_is_an_outage,
				       begin),
		cmocka_unit_test_setup(half_of_the_keys_is_an_error_of_its_own,
				       begin),
		cmocka_unit_test_setup(data_and_failures_pass, keep),
		cmocka_unit_test_setup(harmless_records_are_skipped, keep),
		cmocka_unit_test_setup(they_have_an_end, keep),
		cmocka_unit_test_setup(tickets_are_skipped, keep_13),
		cmocka_unit_test_setup(data_within_a_ticket_are_a_failure,
				       keep_13),
		cmocka_unit_test_setup(a_new_key_is_an_outage, keep_13),
		cmocka_unit_test_setup(others_of_tls_13_are_failures, keep_13),
		cmocka_unit_test_setup(a_goodbye_is_the_end, keep),
		cmocka_unit_test_setup(others_are_failures, keep),
		cmocka_unit_test_setup(what_is_no_record_is_a_failure, keep),
		cmocka_unit_test_setup(an_error_that_stays_is_an_outage, keep),
		cmocka_unit_test_setup(a_goodbye_is_sent_once, keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
