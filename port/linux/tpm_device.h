/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's TPM 2.0, or a TPM behind a UNIX socket, such as swtpm's. */
#ifndef PORT_LINUX_TPM_DEVICE_H
#define PORT_LINUX_TPM_DEVICE_H

#include "port/port.h"
#include "port/tpm.h"

/* It frees what a program that ends has left (the kernel's tpmrm). */
#define TPM_DEVICE "/dev/tpmrm0"

/*
 * Opens path, or TPM_DEVICE if it is NULL.  tpm_close() must follow a success.
 * NBD_E_NOT_FOUND: this machine has none; or NBD_E_PERM, NBD_E_IO.
 */
int tpm_open(struct tpm *tpm, const char *path, struct nbd_diag *d);
void tpm_close(struct tpm *tpm);

#endif
