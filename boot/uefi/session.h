/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One export, connected for as long as the firmware reads from it: a disk of
 * port/disk.h with messages on the console, and Esc to give up.
 */
#ifndef BOOT_UEFI_SESSION_H
#define BOOT_UEFI_SESSION_H

#include "boot/words/root.h"
#include "port/disk.h"

/* In flight: pieces of a long read. */
#define UEFI_DEPTH 8u
#define UEFI_PIECE (256u << 10)

struct uefi_session {
	/* The caller sets these. */
	struct nbd_stack *net;
	const struct nbd_uri *uris; /* in the order to be tried */
	unsigned n_uris;
	unsigned connections; /* see struct nbd_disk_config */
	unsigned patience;    /* s to retry; 0: until Esc */
	unsigned block;	      /* divides each range, but for the end; or 0 */
	/* where to keep which session waits: uefi_session_idle() is for it */
	struct uefi_session **waits;

	/* export: of an open session; d: why a request failed */
	struct nbd_disk disk;

	/* private */
	struct nbd_disk_config cfg;
	struct uefi_nbds *nbds; /* NULL: no server needs TLS */
	struct uefi_piece {
		struct nbd_disk_op op;
		struct nbd_iov v;
	} piece[UEFI_DEPTH];
	int dead;	       /* the error that ended it for good */
	volatile int stop;     /* Esc was pressed */
	uint64_t opening;      /* of nbd_now_ms(); 0: it is open */
	uint64_t said, looked; /* of nbd_now_ms(): a message, at the keyboard */
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

/* ---- nbds.c ---- */

/*
 * If a URI is nbds://, makes what its connections need and sets s->cfg.tls.
 * NBD_E_USAGE or NBD_E_NOT_OFFERED: this cannot be, and d says why.
 */
int uefi_nbds_open(struct uefi_session *s, struct nbd_diag *d);
void uefi_nbds_close(struct uefi_session *s);

#endif
