/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials that this machine's TPM has sealed. */
#ifndef BOOT_INIT_UNSEAL_H
#define BOOT_INIT_UNSEAL_H

#include "boot/seal/seal.h"

/* Memory for it, secret: the owner wipes it. */
struct unsealing {
	struct tpm tpm;
	struct sealed s;
};

/*
 * Replaces a sealed credential of len bytes at p by what was sealed, which is
 * shorter.  One that is not sealed stays as it is.  Returns the bytes, or a
 * negative enum nbd_err with the reason in d.
 */
long init_unseal(struct unsealing *u, const char *name, uint8_t *p, long len,
		 struct nbd_diag *d);

/* Writes SEAL_SEEN, for `nbdboot seal`, if this machine has a TPM. */
void init_note_pcrs(struct unsealing *u);

#endif
