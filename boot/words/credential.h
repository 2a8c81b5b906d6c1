/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials as systemd passes them to a machine, in clear: in the OEM strings
 * of SMBIOS, or each in a file.
 */
#ifndef BOOT_WORDS_CREDENTIAL_H
#define BOOT_WORDS_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where init puts them, each in a file of mode 0600. */
#define CREDENTIALS_DIR	 "/run/nbdboot/credentials"
/* Where systemd-stub puts them in the initramfs, as NAME.cred. */
#define CREDENTIALS_STUB "/.extra/credentials"

/* Those that we know. */
enum { CREDENTIAL_CA, CREDENTIAL_CERT, CREDENTIAL_KEY, CREDENTIAL_PSK };
#define CREDENTIALS 4

extern const struct credential_name {
	const char *name; /* "nbdboot.tls-key" */
	const char *file; /* "client-key.pem" */
} boot_credential_names[CREDENTIALS];

/*
 * Copies credential `which` from len bytes of SMBIOS tables, whose strings are
 *	io.systemd.credential:NAME=TEXT
 *	io.systemd.credential.binary:NAME=BASE64
 * to `to`, which has cap bytes; the first of several counts.  Returns its bytes;
 * 0: it is not there; -1: its BASE64 is none, or has more bytes.
 */
long boot_credential_find(unsigned which, const uint8_t *tables, size_t len,
			  uint8_t *to, size_t cap);

/*
 * Can these bytes be credential `which`?  PEM, or a line with a colon; not what
 * systemd-creds has encrypted.
 */
bool boot_credential_plausible(unsigned which, const uint8_t *p, size_t len);

#endif
