/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is it the same disk?  What was agreed with one server is not assumed of the
 * next: whoever makes one more connection compares its export here.
 */
#ifndef NBD_EXPORT_SAME_H
#define NBD_EXPORT_SAME_H

#include "port/port.h"

/* What a disk in use relies on. */
struct nbd_relied {
	uint64_t size;	  /* bytes; the export may be larger, unless ... */
	bool fixed;	  /* ... a disk that has grown is another one */
	uint16_t flags;	  /* NBD_FLAG_SEND_* and CAN_MULTI_CONN that are used */
	bool read_only;	  /* nothing is written */
	uint32_t block;	  /* bytes: divides each offset and length */
	uint32_t longest; /* bytes of the longest read or write */
};

/*
 * Compares an export with that.  NBD_E_SIZE; NBD_E_MISMATCH: it is read-only,
 * or lacks a feature; NBD_E_MULTI_CONN; NBD_E_BLOCK: its minimum block size is
 * larger; NBD_E_PAYLOAD: its maximum is smaller.
 */
int nbd_export_fits(const struct nbd_relied *r, const struct nbd_export *e,
		    struct nbd_diag *d);

/*
 * For connections that are used side by side: NBD_E_MISMATCH unless sizes and
 * flags are equal.  Narrows the block sizes of `all` to those that both accept.
 */
int nbd_export_agree(struct nbd_export *all, const struct nbd_export *e,
		     struct nbd_diag *d);

/* The maximum block size; what the protocol says if the server sent none. */
unsigned nbd_export_max(const struct nbd_export *e);

#endif
