/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of a TPM 2.0 that bind a secret to this machine and to its platform
 * configuration registers (PCRs), without a library.  The commands are those of
 * part 3 of the TCG's TPM 2.0 Library, and the structures of part 2, by their
 * names: the numbers of sections differ from one revision to the next.
 *
 *	tpm_primary --> tpm_create                        a blob of its TPM
 *	tpm_primary --> tpm_load --> tpm_unseal           the secret again
 *	tpm_policy  --> tpm_policy_pcr  --^
 *
 * Nothing on the way to the TPM is encrypted: somebody who listens on the bus of
 * a TPM that is a chip of its own reads the secret.
 */
#ifndef PORT_TPM_H
#define PORT_TPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TPM_PCRS    24u /* registers: 0 to 23 */
#define TPM_DIGEST  32u /* bytes of SHA-256, the only bank that is used */
/* Bytes: of a sealed secret, and of the two parts of its blob. */
#define TPM_SECRET  32u
#define TPM_PUBLIC  128u
#define TPM_PRIVATE 256u
/* Bytes of the longest command or response; a TPM takes at least 4096. */
#define TPM_MESSAGE 1024u

/* Failures of a command, beside negative values of enum nbd_err. */
enum tpm_result {
	TPM_OK = 0,
	TPM_FOREIGN = 1,   /* the blob is of another TPM, or damaged */
	TPM_PCR = 2,	   /* a PCR has another value than the policy demands */
	TPM_PASSWORD = 3,  /* the owner's hierarchy has a password */
	TPM_MALFORMED = 4, /* the response is none */
	TPM_REFUSED = 5,   /* any other response code, in tpm->code */
};

struct tpm {
	/*
	 * Sends the command of len bytes in message, and replaces it by the
	 * response.  Returns the bytes of that, TPM_MESSAGE at most, or a
	 * negative enum nbd_err.  Set by the owner.
	 */
	int (*transmit)(struct tpm *tpm, size_t len);
	int fd; /* for transmit() */
	uint8_t message[TPM_MESSAGE];
	uint32_t code; /* of the last response, tpm_flush() excepted: a TPM_RC */
	/* private: where the next byte of the message goes, or comes from */
	size_t at, len;
	bool bad;
};

/* The PCRs of a mask (bit n: PCR n), and their values. */
struct tpm_pcrs {
	uint32_t mask;
	uint8_t value[TPM_PCRS][TPM_DIGEST];
};

/* The two halves of a sealed object: a TPM2B_PUBLIC and a TPM2B_PRIVATE. */
struct tpm_blob {
	uint8_t public[TPM_PUBLIC], private[TPM_PRIVATE];
	size_t public_len, private_len; /* bytes */
};

/* All of these return an enum tpm_result, or a negative enum nbd_err. */

/* TPM2_PCR_Read: the SHA-256 values of p->mask, a bit at least. */
int tpm_read_pcrs(struct tpm *tpm, struct tpm_pcrs *p);
/* TPM2_CreatePrimary: the key that encrypts blobs, always the same of a TPM. */
int tpm_primary(struct tpm *tpm, uint32_t *handle);
/* TPM2_Create: seals a secret, for a policy whose digest is known. */
int tpm_create(struct tpm *tpm, uint32_t parent,
	       const uint8_t secret[TPM_SECRET],
	       const uint8_t policy[TPM_DIGEST], struct tpm_blob *blob);
/* TPM2_Load: a blob. */
int tpm_load(struct tpm *tpm, uint32_t parent, const struct tpm_blob *blob,
	     uint32_t *handle);
/* TPM2_StartAuthSession: of a policy, or a trial for its digest. */
int tpm_policy(struct tpm *tpm, bool trial, uint32_t *session);
/*
 * TPM2_PolicyPCR: demands values of the PCRs of the mask, whose SHA-256, one behind
 * the other, is digest; not in a trial, the TPM compares them at once.
 */
int tpm_policy_pcr(struct tpm *tpm, uint32_t session, uint32_t mask,
		   const uint8_t digest[TPM_DIGEST]);
/* TPM2_PolicyGetDigest: of the policy so far. */
int tpm_policy_digest(struct tpm *tpm, uint32_t session,
		      uint8_t digest[TPM_DIGEST]);
/* TPM2_Unseal: opens a loaded blob, and ends the session. */
int tpm_unseal(struct tpm *tpm, uint32_t item, uint32_t session,
	       uint8_t secret[TPM_SECRET]);
/* TPM2_FlushContext; its failure changes nothing for the caller. */
void tpm_flush(struct tpm *tpm, uint32_t handle);

#endif
