/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages about a TPM that refuses.  interop/test_seal.sh shows with swtpm
 * that it opens what was sealed.
 */
#include "tests/unit.h"
#include "boot/seal/seal.h"
#include "core/be.h"

#define LOAD	   0x157u
#define UNSEAL	   0x15eu
#define PCR_READ   0x17eu
#define POLICY_PCR 0x17fu

static struct tpm tpm;
static struct sealed s;
static struct nbd_diag d;
static char text[SEALED_TEXT];
static size_t text_len;
/* The command that is refused, with this code, so many times. */
static uint32_t refused, code;
static unsigned times;

/* The response to a command: its code, and PCR 7 or a handle. */
static int transmit(struct tpm *t, size_t len)
{
	static const uint8_t pcr7[] = { 0, 0,	 0, 1, 0, 0, 0, 1, 0, 11,
					3, 0x80, 0, 0, 0, 0, 0, 1, 0, 32 };
	uint32_t command = be32(t->message + 6);
	bool refuse = command == refused && times;
	uint8_t *p = t->message + 10;

	(void)len;
	memset(t->message, 0, sizeof(t->message));
	if (refuse) {
		times--;
		t->message[8] = (uint8_t)(code >> 8);
		t->message[9] = (uint8_t)code;
	} else if (command == PCR_READ) {
		memcpy(p, pcr7, sizeof(pcr7));
		memset(p + sizeof(pcr7), 7, TPM_DIGEST);
		p += sizeof(pcr7) + TPM_DIGEST;
	} else if (command == UNSEAL) {
		p[5] = TPM_SECRET;
		p += 6 + TPM_SECRET;
	} else {
		p += 4;
	}
	t->message[5] = (uint8_t)(p - t->message);
	return (int)(p - t->message);
}

/* Of a key that is all zero, and of no data. */
static void make(void)
{
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	memset(&s, 0, sizeof(s));
	strcpy(s.name, "nbdboot.tls-key");
	s.pcrs.mask = 1u << 7;
	memset(s.pcrs.value[7], 7, TPM_DIGEST);
	s.blob.public_len = s.blob.private_len = 8;
	s.len = 16;
	seal_put_head(&o, &s);
	seal_put_data(&o, &s);
	text_len = o.len;
}

static int open_refused(uint32_t command, uint32_t with, unsigned n)
{
	make();
	tpm = (struct tpm){ .transmit = transmit };
	refused = command;
	code = with;
	times = n;
	d.text[0] = '\0';
	return seal_open(&s, &tpm, "nbdboot.tls-key", text, text_len, &d);
}

static void the_code_of_a_refusal_is_printed(void **state)
{
	static const struct {
		uint32_t command;
		const char *text;
	} all[] = {
		{ LOAD, "TPM, load: response code 0x902" },
		{ POLICY_PCR, "TPM, unseal: response code 0x902" },
		{ UNSEAL, "TPM, unseal: response code 0x902" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(open_refused(all[i].command, 0x902, 1),
				 NBD_E_CREDENTIAL);
		assert_string_equal(d.text, all[i].text);
	}
}

/* As of a text that names other PCRs, or while another program extends one. */
static void a_pcr_that_is_as_it_was_is_not_blamed(void **state)
{
	static const uint32_t codes[] = { 0x99d, 0x128 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(open_refused(UNSEAL, codes[i], 1),
				 NBD_E_CREDENTIAL);
		assert_string_equal(d.text,
				    "the sealed text was changed, or a PCR at "
				    "this moment (try again)");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_of_a_refusal_is_printed),
		cmocka_unit_test(a_pcr_that_is_as_it_was_is_not_blamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
