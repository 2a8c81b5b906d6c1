/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a TPM answers is not trusted: responses that are cut, of other lengths,
 * and of each code.  That commands are right is shown by swtpm, which
 * interop/test_seal.sh runs.
 */
#include "tests/unit.h"
#include "port/linux/tpm_device.h"

#include "core/nbd_err.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct tpm tpm;
/* The response that is played, its size field excepted. */
static uint8_t response[TPM_MESSAGE + 8];
static size_t response_len;
static int failure;
/* The last command, and how many there were. */
static uint8_t command[TPM_MESSAGE];
static size_t command_len;
static unsigned commands;

static int transmit(struct tpm *t, size_t len)
{
	memcpy(command, t->message, len);
	command_len = len;
	commands++;
	if (failure)
		return failure;
	response[2] = response[3] = 0;
	response[4] = (uint8_t)(response_len >> 8);
	response[5] = (uint8_t)response_len;
	memcpy(t->message, response, response_len);
	return (int)response_len;
}

static void play(uint32_t code, const void *p, size_t len)
{
	memset(response, 0, sizeof(response));
	response[0] = 0x80;
	response[1] = 1;
	response[8] = (uint8_t)(code >> 8);
	response[9] = (uint8_t)code;
	memcpy(response + 10, p, len);
	response_len = 10 + len;
	failure = 0;
	commands = 0;
	memset(&tpm, 0, sizeof(tpm));
	tpm.transmit = transmit;
}

#define PLAY(code, text) play(code, text, sizeof(text) - 1)

/* ---- each command, with a response that is right ---- */

#define D32  "0123456789abcdef0123456789abcdef"
/* PCR 7 of the SHA-256 bank */
#define PCR7 "\0\0\0\1\0\13\3\200\0\0\0\0\0\1\0\40" D32

static int read_pcr7(void)
{
	struct tpm_pcrs p = { .mask = 1u << 7 };
	int rc = tpm_read_pcrs(&tpm, &p);

	if (!rc)
		assert_memory_equal(p.value[7], D32, TPM_DIGEST);
	return rc;
}

static int primary(void)
{
	uint32_t handle = 0;
	int rc = tpm_primary(&tpm, &handle);

	if (!rc)
		assert_int_equal(handle, 0x80000001);
	return rc;
}

static int create(void)
{
	struct tpm_blob b;
	int rc = tpm_create(&tpm, 1, (const uint8_t *)D32, (const uint8_t *)D32,
			    &b);

	if (!rc) {
		assert_int_equal(b.private_len, 3);
		assert_int_equal(b.public_len, 2);
		assert_memory_equal(b.private, "abc", 3);
		assert_memory_equal(b.public, "de", 2);
	}
	return rc;
}

static int load(void)
{
	struct tpm_blob b = { .private_len = TPM_PRIVATE,
			      .public_len = TPM_PUBLIC };
	uint32_t handle = 0;

	return tpm_load(&tpm, 1, &b, &handle);
}

static int policy(void)
{
	uint32_t session = 0;

	return tpm_policy(&tpm, true, &session);
}

static int digest(void)
{
	uint8_t got[TPM_DIGEST];

	return tpm_policy_digest(&tpm, 1, got);
}

static int unseal(void)
{
	uint8_t secret[TPM_SECRET];
	int rc = tpm_unseal(&tpm, 1, 2, secret);

	if (!rc) {
		assert_memory_equal(secret, D32, TPM_SECRET);
		for (size_t i = 0; i < sizeof(tpm.message); i++)
			assert_int_equal(tpm.message[i], 0);
	}
	return rc;
}

#define R(text) text, sizeof(text) - 1
static const struct {
	int (*run)(void);
	const char *p;
	size_t len;
} good[] = {
	{ read_pcr7, R("\0\0\0\22" PCR7) },
	{ primary, R("\200\0\0\1") },
	{ create, R("\0\0\0\11\0\3abc\0\2de") },
	{ load, R("\200\0\0\1") },
	{ policy, R("\3\0\0\0") },
	{ digest, R("\0\40" D32) },
	{ unseal, R("\0\0\0\42\0\40" D32) },
};
#define GOOD (sizeof(good) / sizeof(good[0]))

static void responses_that_are_right_are_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < GOOD; i++) {
		play(0, good[i].p, good[i].len);
		assert_int_equal(good[i].run(), TPM_OK);
		/* the command tells its own size */
		assert_int_equal(command[4] << 8 | command[5], command_len);
	}
}

static void responses_that_are_cut_are_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < GOOD; i++)
		for (size_t n = 0; n < good[i].len; n++) {
			play(0, good[i].p, n);
			assert_int_equal(good[i].run(), TPM_MALFORMED);
		}
	for (size_t n = 0; n < 10; n++) {
		play(0, "", 0);
		response_len = n;
		assert_int_equal(primary(), TPM_MALFORMED);
	}
}

static void lengths_beyond_the_room_are_malformed(void **state)
{
	static uint8_t big[600];

	(void)state;
	/* a private part of 257 bytes */
	big[4] = 1, big[5] = 1;
	play(0, big, sizeof(big));
	assert_int_equal(create(), TPM_MALFORMED);
	/* a secret of 33 and of 31 */
	PLAY(0, "\0\0\0\43\0\41" D32 "x");
	assert_int_equal(unseal(), TPM_MALFORMED);
	PLAY(0, "\0\0\0\41\0\37" D32);
	assert_int_equal(unseal(), TPM_MALFORMED);
}

static void pcrs_that_nobody_asked_for_are_malformed(void **state)
{
	(void)state;
	/* PCR 6, no PCR, PCR 7 without a value, another bank, two banks */
	PLAY(0, "\0\0\0\22\0\0\0\1\0\13\3\100\0\0\0\0\0\1\0\40" D32);
	assert_int_equal(read_pcr7(), TPM_MALFORMED);
	PLAY(0, "\0\0\0\22\0\0\0\1\0\13\3\0\0\0\0\0\0\0");
	assert_int_equal(read_pcr7(), TPM_MALFORMED);
	PLAY(0, "\0\0\0\22\0\0\0\1\0\13\3\200\0\0\0\0\0\0");
	assert_int_equal(read_pcr7(), TPM_MALFORMED);
	PLAY(0, "\0\0\0\22\0\0\0\1\0\4\3\200\0\0\0\0\0\1\0\40" D32);
	assert_int_equal(read_pcr7(), TPM_MALFORMED);
	PLAY(0, "\0\0\0\22\0\0\0\2\0\13\3\200\0\0\0\0\0\1\0\40" D32);
	assert_int_equal(read_pcr7(), TPM_MALFORMED);
	assert_int_equal(commands, 1);
}

static void codes_have_their_meaning(void **state)
{
	static const struct {
		uint32_t code;
		int rc;
	} c[] = {
		{ 0x1df, TPM_FOREIGN },	 /* INTEGRITY of parameter 1 */
		{ 0x99d, TPM_PCR },	 /* POLICY_FAIL of session 1 */
		{ 0x1c4, TPM_PCR },	 /* VALUE of parameter 1 */
		{ 0x128, TPM_PCR },	 /* PCR_CHANGED */
		{ 0x9a2, TPM_PASSWORD }, /* BAD_AUTH of session 1 */
		{ 0x922, TPM_REFUSED },	 /* RETRY */
		{ 0x101, TPM_REFUSED },	 /* FAILURE */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		PLAY(c[i].code, "");
		assert_int_equal(unseal(), c[i].rc);
		assert_int_equal(tpm.code, c[i].code);
	}
	PLAY(0x1c4, "");
	assert_int_equal(load(), TPM_FOREIGN);
	PLAY(0, "");
	failure = NBD_E_TIMEOUT;
	assert_int_equal(load(), NBD_E_TIMEOUT);
}

static void a_socket_that_was_closed_is_an_error(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	struct nbd_diag d;
	struct tpm t;

	(void)state;
	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/test_tpm.%d", getpid());
	unlink(a.sun_path);
	assert_false(bind(server, (struct sockaddr *)&a, sizeof(a)));
	assert_false(listen(server, 1));
	assert_int_equal(tpm_open(&t, a.sun_path, &d), NBD_OK);
	unlink(a.sun_path);
	close(server);
	assert_int_equal(t.transmit(&t, 10), NBD_E_IO);
	tpm_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(responses_that_are_right_are_taken),
		cmocka_unit_test(responses_that_are_cut_are_malformed),
		cmocka_unit_test(lengths_beyond_the_room_are_malformed),
		cmocka_unit_test(pcrs_that_nobody_asked_for_are_malformed),
		cmocka_unit_test(codes_have_their_meaning),
		cmocka_unit_test(a_socket_that_was_closed_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
