/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS records by the Linux kernel, on a socket whose handshake is done. */
#ifndef PORT_LINUX_KTLS_H
#define PORT_LINUX_KTLS_H

#include "port/tls.h"

/*
 * From now on send() and recv() on the TCP socket carry plaintext.  The caller
 * must not have read past the TLS handshake.  Loads the modules needed.
 * NBD_E_TLS_KERNEL: this kernel has no TLS.  NBD_E_NOT_FOUND: it lacks this
 * cipher; try another one on a new connection.
 */
int ktls_start(int fd, const struct nbd_tls_keys *keys, struct nbd_diag *d);

/* "AES-256-GCM" for a TLS_CIPHER_* of linux/tls.h; NULL: not one of ours. */
const char *ktls_cipher(unsigned type);

#endif
