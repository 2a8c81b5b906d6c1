/* SPDX-License-Identifier: BSD-2-Clause */
/* A secret that only this machine's TPM gives back. */
#ifndef BOOT_SEAL_SEAL_H
#define BOOT_SEAL_SEAL_H

#include "boot/seal/sealed.h"

/* Secure Boot: its keys, and whether it is on. */
#define SEAL_SECURE_BOOT (1u << 7)
/* Which PCRs count unless a list names others. */
#define SEAL_PCRS	 SEAL_SECURE_BOOT
/* The PCRs as init found them, in /run/nbdboot; see seal_note_pcrs(). */
#define SEAL_SEEN	 "nbdboot/pcrs"
#define SEAL_SEEN_MAX	 1024u /* bytes of that file, and a NUL */

/* "7,11" as a mask, or 0: it is no list of PCRs. */
uint32_t seal_parse_pcrs(const char *list);

/*
 * Seals len bytes at p, at most SEALED_DATA - 16, for s->pcrs, whose values the
 * caller has set; s->name is set, too.  The rest of *s is written here, and all
 * of the text to o.  NBD_E_CREDENTIAL or another negative enum nbd_err, with
 * the reason in d.
 */
int seal_make(struct sealed *s, struct tpm *tpm, const uint8_t *p, size_t len,
	      struct nbd_out *o, struct nbd_diag *d);

/*
 * Opens a text of `len` bytes; the credential is s->data, of the bytes that are
 * returned.  The owner wipes *s.  `name` is the credential that it must be.
 * NBD_E_CREDENTIAL or another negative enum nbd_err, with the reason in d: it
 * is of another TPM, or which PCR has changed.
 */
int seal_open(struct sealed *s, struct tpm *tpm, const char *name,
	      const char *text, size_t len, struct nbd_diag *d);

/*
 * The TPM's SHA-256 values of p->mask.  Those in the text `seen` count before
 * what the TPM says now: the system has extended some since it began.  `seen`
 * is "" or lines "pcr N HEX".
 */
int seal_read_pcrs(struct tpm *tpm, struct tpm_pcrs *p, const char *seen,
		   struct nbd_diag *d);

/* Such lines, of the PCRs that are measured before init. */
int seal_note_pcrs(struct tpm *tpm, struct nbd_out *o, struct nbd_diag *d);

#endif
