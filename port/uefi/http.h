/* SPDX-License-Identifier: BSD-2-Clause */
/* One file by the firmware's HTTP (EFI_HTTP_PROTOCOL, over IPv4 or IPv6). */
#ifndef PORT_UEFI_HTTP_H
#define PORT_UEFI_HTTP_H

#include "port/ip.h"
#include "port/uefi/uefi.h"

/* What the firmware knows of the network, after HTTP boot. */
struct efi_http_from {
	efi_handle nic;	    /* has the protocol's service binding */
	struct nbd_ip addr; /* of IPv4; none: IPv6 */
};

/*
 * Gets the file at url, which is "http://HOST/...", of at most cap bytes.
 * Returns its length, or an error: NBD_E_NOT_FOUND if the answer is 404, NBD_E_IO
 * if it is another one than 200, NBD_E_TIMEOUT after 5 s.
 */
int efi_http_get(const struct efi_http_from *from, const char *url, void *buf,
		 size_t cap);

#endif
