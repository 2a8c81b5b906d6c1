/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to the servers of a device: fail-over, or spread over all. */
#ifndef BOOT_DEVICE_DIALER_H
#define BOOT_DEVICE_DIALER_H

#include "boot/device/backend.h"

/*
 * Makes b->connections connections for the kernel: to the first server that
 * gives them, or with b->spread to all servers in turn, which then have to
 * agree on size and flags, and be read-only (or read_only be wanted).  On
 * failure all is closed, and d names each server and its reason; after success
 * those that were tried before, if any.  At the end device_tls_close().
 */
int device_dialer_open(struct conn conns[], const struct backend *b,
		       bool read_only, struct nbd_diag *d);

/* One connection, to the first server that gives it from `first` on. */
int device_dialer_one(struct conn *conn, const struct backend *b,
		      unsigned first, struct nbd_diag *d);

#endif
