/* SPDX-License-Identifier: BSD-2-Clause */
/* A short text at the start of an export, read and written by this program. */
#ifndef BOOT_IMAGES_IMAGES_TEXT_H
#define BOOT_IMAGES_IMAGES_TEXT_H

#include "boot/device/tls.h"
#include "core/nbd_io.h"

/* Zeroed before the first use; all of it is private.  Do not move it. */
struct images_text {
	struct device_tls tls;
	struct conn conn;
	struct nbd_io io;
	bool open;
};

/*
 * Connects to the export, within the deadlines of dial(), also again after the
 * connection was lost: with the credentials that it has.  The strings of the URI
 * stay valid until images_text_close(), which follows a failure, too.
 */
int images_text_open(struct images_text *t, const struct nbd_uri *u,
		     struct nbd_diag *d);

/*
 * Reads the export, or as many whole blocks of it as fit into cap bytes.  Returns
 * the number of bytes, or an error with the reason in d.
 */
int images_text_read(struct images_text *t, void *buf, size_t cap,
		     struct nbd_diag *d);

/* Writes len bytes at its start, and waits until the server has stored them. */
int images_text_write(struct images_text *t, const void *buf, size_t len,
		      struct nbd_diag *d);

void images_text_close(struct images_text *t);

/*
 * Reads the text, up to cap bytes, from the first of n servers that has it, and
 * closes t.  Returns its bytes up to a NUL, as servers fill the last block up, or
 * the error of the last server; NBD_E_USAGE: it has more.
 */
int images_text_first(struct images_text *t, const struct nbd_uri uri[],
		      unsigned n, char *text, size_t cap, struct nbd_diag *d);

#endif
