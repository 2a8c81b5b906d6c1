/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses of a TPM, any bytes: none of them is read or written beyond. */
#include "port/tpm.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *next;
static size_t left;

/* Two bytes are the length of each response. */
static int transmit(struct tpm *t, size_t len)
{
	size_t n;

	(void)len;
	if (left < 2)
		return -1;
	n = ((size_t)next[0] << 8 | next[1]) % (TPM_MESSAGE + 1);
	next += 2, left -= 2;
	n = n < left ? n : left;
	memcpy(t->message, next, n);
	if (n >= 6) {
		t->message[2] = t->message[3] = 0;
		t->message[4] = (uint8_t)(n >> 8);
		t->message[5] = (uint8_t)n;
	}
	next += n, left -= n;
	return (int)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tpm t = { .transmit = transmit };
	struct tpm_pcrs p = { .mask = 0xffffff };
	struct tpm_blob b = { .public_len = 0 };
	uint8_t d[TPM_DIGEST] = { 0 };
	uint32_t handle;

	next = data, left = size;
	while (left >= 2) {
		tpm_read_pcrs(&t, &p);
		tpm_primary(&t, &handle);
		tpm_create(&t, 1, d, d, &b);
		tpm_load(&t, 1, &b, &handle);
		tpm_policy(&t, false, &handle);
		tpm_policy_pcr(&t, 1, p.mask, d);
		tpm_policy_digest(&t, 1, d);
		tpm_unseal(&t, 1, 2, d);
	}
	return 0;
}
