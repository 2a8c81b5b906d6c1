/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a sealed credential, which only one TPM opens, and only while its
 * PCRs are as they were:
 *
 *	nbdboot sealed credential 1
 *	name nbdboot.tls-key
 *	pcr 7 HEX
 *	public HEX
 *	private HEX
 *	data HEX
 *
 * There is a line of each PCR that counts, in their order.  The TPM seals a key,
 * and that key encrypts the data: the credential and, behind it, the tag of
 * AES-256-GCM, which authenticates all lines before.
 */
#ifndef BOOT_SEAL_SEALED_H
#define BOOT_SEAL_SEALED_H

#include "port/port.h"
#include "port/tpm.h"

/* Bytes: of a credential, and of the text that has it. */
#define SEALED_DATA  (16u * 1024u)
#define SEALED_TEXT  (36u * 1024u)
#define SEALED_NAME  32u
#define SEALED_MAGIC "nbdboot sealed credential "

struct sealed {
	char name[SEALED_NAME];
	struct tpm_pcrs pcrs;
	struct tpm_blob blob;
	/* of the text: the bytes before "data", which the tag covers */
	size_t covered;
	uint8_t data[SEALED_DATA];
	size_t len; /* bytes of data, the tag included */
};

/* Is this a text of that form, of whatever version? */
bool seal_is_text(const uint8_t *text, size_t len);

/* False: it is damaged, or of another version; *s is undefined. */
bool seal_parse(struct sealed *s, const char *text, size_t len);

/* The lines "pcr N HEX" of a text. */
struct sealed_rest {
	const char *p, *end; /* what is left of it */
};
/* Reads these lines, in their order, one at least; false: they are malformed. */
bool seal_take_pcrs(struct sealed_rest *r, struct tpm_pcrs *p);
void seal_put_pcrs(struct nbd_out *o, const struct tpm_pcrs *p);

/* The lines up to the data, and those.  o->cut: o is too small. */
void seal_put_head(struct nbd_out *o, const struct sealed *s);
void seal_put_data(struct nbd_out *o, const struct sealed *s);

#endif
