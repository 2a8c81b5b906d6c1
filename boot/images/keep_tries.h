/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a machine keeps what tries.h says: in a variable of its UEFI firmware,
 * or on an export of its own.
 */
#ifndef BOOT_IMAGES_KEEP_TRIES_H
#define BOOT_IMAGES_KEEP_TRIES_H

#include "boot/images/images_text.h"
#include "boot/images/tries.h"

#define IMAGES_EFI_DIR	"/sys/firmware/efi/efivars"
#define IMAGES_EFI_NAME "NbdBootImages-9bd1b1c7-2b4a-4e0d-8a57-6e6264626f6f"

/* Zeroed before the first use, but dir, which is -1. */
struct images_keeper {
	struct nbd_uri uri; /* with its strings in text */
	char text[IMAGES_URI + 64];
	struct images_text t;
	int dir;    /* the directory of variables, open; -1: an export */
	bool known; /* there is such a place */
};

/*
 * Opens the place: the export that uri names, or the variables of the firmware
 * if it is NULL (dir: IMAGES_EFI_DIR, which is mounted for a moment).  Returns
 * 0, NBD_E_NOT_FOUND if the machine has no such firmware, or another error with
 * the reason in d.  It stays open until images_keeper_close(), also when the
 * path and the name of the server are no longer known.
 */
int images_keeper_open(struct images_keeper *k, const char *uri,
		       const char *dir, struct nbd_diag *d);

/*
 * Reads what was kept.  What is no such text counts as nothing; d says so, or
 * is "".
 */
int images_keeper_read(struct images_keeper *k, struct images_tries *t,
		       struct nbd_diag *d);

/* Connects again if the export was lost. */
int images_keeper_write(struct images_keeper *k, const struct images_tries *t,
			struct nbd_diag *d);

void images_keeper_close(struct images_keeper *k);

#endif
