/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of a TPM 2.0 that bind a secret to this machine and to its platform
 * configuration registers (PCRs), without a library.  Sections are of the TCG's
 * TPM 2.0 Library, part 3 (Commands), unless part 2 (Structures) is named.
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
	uint32_t code; /* of the last response; part 2, 6.6 */
	/* private: where the next byte of the message goes, or comes from */
	size_t at, len;
	bool bad;
};

/* The PCRs of a mask (bit n: PCR n), and their values. */
struct tpm_pcrs {
	uint32_t mask;
	uint8_t value[TPM_PCRS][TPM_DIGEST];
};

/* The two halves of a sealed object (part 2, 12.3.7 and 12.2.5). */
struct tpm_blob {
	uint8_t public[TPM_PUBLIC], private[TPM_PRIVATE];
	size_t public_len, private_len; /* bytes */
};

/* All of these return an enum tpm_result, or a negative enum nbd_err. */

/* Reads the SHA-256 values of p->mask, a bit at least (22.4). */
int tpm_read_pcrs(struct tpm *tpm, struct tpm_pcrs *p);
/* Makes the key that encrypts blobs: always the same one of a TPM (24.1). */
int tpm_primary(struct tpm *tpm, uint32_t *handle);
/* Seals a secret, for a policy whose digest is known (12.1). */
int tpm_create(struct tpm *tpm, uint32_t parent,
	       const uint8_t secret[TPM_SECRET],
	       const uint8_t policy[TPM_DIGEST], struct tpm_blob *blob);
/* Loads a blob (12.2). */
int tpm_load(struct tpm *tpm, uint32_t parent, const struct tpm_blob *blob,
	     uint32_t *handle);
/* Begins a session of a policy, or a trial for its digest (11.1). */
int tpm_policy(struct tpm *tpm, bool trial, uint32_t *session);
/*
 * Demands values of the PCRs of the mask, whose SHA-256, one behind the other, is
 * digest; not in a trial, the TPM compares them at once (23.7).
 */
int tpm_policy_pcr(struct tpm *tpm, uint32_t session, uint32_t mask,
		   const uint8_t digest[TPM_DIGEST]);
/* The digest of the policy so far (23.6). */
int tpm_policy_digest(struct tpm *tpm, uint32_t session,
		      uint8_t digest[TPM_DIGEST]);
/* Opens a loaded blob, and ends the session (12.7). */
int tpm_unseal(struct tpm *tpm, uint32_t item, uint32_t session,
	       uint8_t secret[TPM_SECRET]);
/* Frees a handle (28.4); its failure changes nothing for the caller. */
void tpm_flush(struct tpm *tpm, uint32_t handle);

#endif
