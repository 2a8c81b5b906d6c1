/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel TLS: Linux encrypts a TCP socket after the TLS handshake. */
#ifndef PORT_LINUX_KTLS_H
#define PORT_LINUX_KTLS_H

#include "port/tls.h"

/*
 * Makes send() and recv() on the TCP socket carry plaintext.  The caller must
 * not have read past the TLS handshake.  Loads the needed modules.
 * NBD_E_TLS_KERNEL: this kernel has no TLS.  NBD_E_NOT_FOUND: it lacks this
 * cipher; retry with another one on a new connection.
 */
int ktls_start(int fd, const struct nbd_tls_keys *keys, struct nbd_diag *d);

/* The name ("AES-256-GCM") of a TLS_CIPHER_* of linux/tls.h; NULL: unknown. */
const char *ktls_cipher(unsigned type);

#endif
