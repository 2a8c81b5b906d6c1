/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One export, connected for as long as the firmware reads from it.  An outage
 * is a pause: the session connects again, to the next server of the list if
 * there are several, and repeats what was not answered.
 */
#ifndef BOOT_UEFI_SESSION_H
#define BOOT_UEFI_SESSION_H

#include "boot/common/root.h"
#include "core/nbd_io.h"
#include "port/dial.h"

/* In flight: pieces of a long read. */
#define UEFI_DEPTH 8u
#define UEFI_PIECE (256u << 10)

struct uefi_session {
	/* The caller sets these. */
	struct nbd_stack *net;
	const struct nbd_uri *uris; /* in the order to be tried */
	unsigned n_uris;
	unsigned patience; /* s to retry; 0: until Esc */

	/* valid once it is connected */
	uint64_t size;
	uint16_t flags;	    /* NBD_FLAG_* */
	uint32_t min_block; /* 1 if the server names none */
	unsigned at;	    /* the URI in use */

	/* private */
	struct conn conn;
	struct nbd_io io;
	struct nbd_config cfg;
	struct nbd_iov iov[UEFI_DEPTH];
	bool connected, known; /* known: size and flags are fixed */
	int dead;	       /* the error that ended it for good */
	volatile int stop;     /* Esc was pressed */
	uint64_t since, said;  /* of nbd_now_ms(): an outage; 0: none */
	uint64_t looked;       /* at the keyboard */
	struct nbd_diag why;
};

/*
 * Connects; retries failures that may pass, for `patience` s (30 if that is 0).
 * Returns 0 or an error with the reason in d.
 */
int uefi_session_open(struct uefi_session *s, struct nbd_diag *d);

/*
 * NBD_CMD_READ, NBD_CMD_WRITE or NBD_CMD_FLUSH of a range within the export.
 * Returns 0, or an error; after one of the connection all others fail, too.
 */
int uefi_session_run(struct uefi_session *s, unsigned type, uint64_t offset,
		     void *buf, size_t len);

/* Says goodbye; a session that is closed may be opened again. */
void uefi_session_close(struct uefi_session *s);

/* The same for good, without a word: requests that follow fail. */
void uefi_session_end(struct uefi_session *s);

/* The world calls this while nothing arrives: keys, and messages. */
void uefi_session_idle(struct uefi_session *s);

/* Writes the URI in use, for messages; cut if it is longer. */
const char *uefi_session_name(const struct uefi_session *s, char *buf,
			      size_t cap);

#endif
